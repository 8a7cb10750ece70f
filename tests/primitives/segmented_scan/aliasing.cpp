// SPDX-License-Identifier: Apache-2.0
// Scans and reductions by key whose results go where the keys or the values are, as Thrust and CUB allow it; what overlaps
// otherwise; and that nothing is lost if an operator throws meanwhile.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

template <class T>
struct input {
  input(std::size_t n, std::size_t mean)
      : keys(test::keys_of<T>(test::segment_starts(n, n + mean, mean), n, n)),
        values(test::random_values<T>(n, n)),
        heads(test::heads_of_keys(keys)) {}
  std::vector<T> keys, values;
  std::vector<std::uint8_t> heads;
};

std::vector<std::size_t> sizes() { return {0, 1, 2, 64, 1000, 20011, test::limited(300007)}; }

template <class T, class Op, class Backend>
void check_reduction(const Backend& backend, Op op) {
  for (const std::size_t n : sizes()) {
    for (const std::size_t mean : {1, 3, 40, 5000}) {
      SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
      const input<T> in(n, mean);
      const std::vector<T> firsts = test::kept(in.keys, in.heads);
      const std::vector<T> results =
          test::ends_of(test::inclusive_segmented_reference(in.values, in.heads, op), in.heads);
      const test::buffer<T> keys(backend, in.keys, 1), values(backend, in.values);
      const test::buffer<std::int64_t> count(backend, 1);
      const auto check = [&](const char* call) {
        EXPECT_TRUE(test::same(keys.to_host(firsts.size()), firsts)) << call;
        EXPECT_TRUE(test::same(values.to_host(results.size()), results)) << call;
        keys.assign(in.keys);
        values.assign(in.values);
      };
      const auto p = backend.policy();
      const auto ends = onepass::reduce_by_key(p, keys.begin(), keys.end(), values.begin(), keys.begin(),
                                               values.begin(), test::same_value{}, op);
      EXPECT_EQ(ends.first, keys.begin() + firsts.size());
      check("reduce_by_key");
      onepass::reduce_by_key_async(p, keys.begin(), keys.end(), values.begin(), keys.begin(), values.begin(),
                                   test::same_value{}, op, count.begin());
      EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(firsts.size()));
      check("reduce_by_key_async");
      const test::buffer<std::uint8_t> flags(backend, in.heads);
      onepass::segmented_reduce(p, values.begin(), values.end(), flags.begin(), values.begin(), op);
      EXPECT_TRUE(test::same(values.to_host(results.size()), results)) << "segmented_reduce";
    }
  }
}

template <class T, class Op, class Backend>
void check_scans(const Backend& backend, Op op, T init) {
  for (const std::size_t n : sizes()) {
    for (const std::size_t mean : {1, 3, 40, 5000}) {
      SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
      const input<T> in(n, mean);
      const std::vector<T> inclusive = test::inclusive_segmented_reference(in.values, in.heads, op),
                           exclusive = test::exclusive_segmented_reference(in.values, in.heads, init, op);
      const test::buffer<T> keys(backend, in.keys, 1), values(backend, in.values);
      const auto p = backend.policy();
      onepass::inclusive_scan_by_key(p, keys.begin(), keys.end(), values.begin(), keys.begin(), test::same_value{}, op);
      EXPECT_TRUE(test::same(keys.to_host(), inclusive));
      EXPECT_TRUE(test::same(values.to_host(), in.values)) << "the values have changed";
      keys.assign(in.keys);
      onepass::exclusive_scan_by_key(p, keys.begin(), keys.end(), values.begin(), keys.begin(), init,
                                     test::same_value{}, op);
      EXPECT_TRUE(test::same(keys.to_host(), exclusive));
      // All three in one place: keys that are their own values.
      const std::vector<T> own = test::inclusive_segmented_reference(in.keys, in.heads, op);
      keys.assign(in.keys);
      onepass::inclusive_scan_by_key(p, keys.begin(), keys.end(), keys.begin(), keys.begin(), test::same_value{}, op);
      EXPECT_TRUE(test::same(keys.to_host(), own));
    }
  }
}

}  // namespace

ONEPASS_TEST(reduce_by_key, in_place) { check_reduction<std::uint32_t>(backend, onepass::sum{}); }
ONEPASS_TEST(reduce_by_key, in_place_by_a_functor) { check_reduction<std::uint64_t>(backend, test::plain_sum{}); }
ONEPASS_TEST(reduce_by_key, in_place_not_commutative) { check_reduction<std::int16_t>(backend, test::latter{}); }

ONEPASS_TEST(scan_by_key, results_over_the_keys) { check_scans<std::uint32_t>(backend, onepass::sum{}, 7); }
ONEPASS_TEST(scan_by_key, results_over_the_keys_not_commutative) {
  check_scans<std::uint64_t>(backend, test::latter{}, std::uint64_t{7});
}

ONEPASS_TEST(reduce_by_key, overlaps) {
  const std::vector<std::int32_t> items(1000, 1);
  const test::buffer<std::int32_t> keys(backend, items), values(backend, items), out(backend, items.size());
  std::int32_t *const k = keys.begin(), *const end = keys.end(), *const v = values.begin(), *const to = out.begin();
  const auto p = backend.policy();
  const auto refuses = [](const std::string& text, auto call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + text, call));
  };
  refuses("reduce_by_key: out_keys overlaps keys", [&] { onepass::reduce_by_key(p, k, end, v, k + 1, to); });
  refuses("reduce_by_key: out_values overlaps keys", [&] { onepass::reduce_by_key(p, k, end, v, to, k); });
  refuses("reduce_by_key: out_keys overlaps values", [&] { onepass::reduce_by_key(p, k, end, v, v + 5, to); });
  refuses("reduce_by_key: out_values overlaps values", [&] { onepass::reduce_by_key(p, k, end, v, to, v + 5); });
  refuses("reduce_by_key: out_values overlaps out_keys", [&] { onepass::reduce_by_key(p, k, end, v, to, to); });
  refuses("run_length_encode: out overlaps [first, last)", [&] { onepass::run_length_encode(p, k, end, k + 1, to); });
  refuses("run_length_encode: out_lengths overlaps [first, last)",
          [&] { onepass::run_length_encode(p, k, end, to, k); });
  refuses("run_length_encode: out_lengths overlaps out", [&] { onepass::run_length_encode(p, k, end, to, to); });
  refuses("segmented_reduce: out overlaps [first, last)",
          [&] { onepass::segmented_reduce(p, v, v + 1000, k, v + 5, onepass::sum{}); });
  refuses("segmented_reduce: out overlaps the head flags",
          [&] { onepass::segmented_reduce(p, v, v + 1000, k, k + 9, onepass::sum{}); });
  refuses("inclusive_scan_by_key: out overlaps the keys",
          [&] { onepass::inclusive_scan_by_key(p, k, end - 1, v, k + 1); });
  EXPECT_TRUE(test::same(keys.to_host(), items) && test::same(values.to_host(), items))
      << "written before the exception";
  EXPECT_TRUE(out.untouched()) << "written before the exception";
}

// Of what is no array no copy is made: refused where it can be seen.
ONEPASS_TEST(reduce_by_key, in_place_but_no_array) {
  const std::vector<std::int32_t> items(1000, 1);
  const test::buffer<std::int32_t> keys(backend, items), values(backend, items), out(backend, items.size());
  const auto from_end = [](const test::buffer<std::int32_t>& b) { return thrust::make_reverse_iterator(b.end()); };
  const auto p = backend.policy();
  const auto refuses = [](const std::string& text, auto call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + text, call));
  };
  const auto k = from_end(keys), v = from_end(values);
  refuses("reduce_by_key: out_keys overlaps keys, which are no array",
          [&] { onepass::reduce_by_key(p, k, k + 1000, values.begin(), k, out.begin()); });
  refuses("reduce_by_key: out_values overlaps values, which are no array",
          [&] { onepass::reduce_by_key(p, keys.begin(), keys.end(), v, out.begin(), v); });
  refuses("inclusive_scan_by_key: out overlaps the keys, which are no array",
          [&] { onepass::inclusive_scan_by_key(p, k, k + 1000, values.begin(), k); });
  EXPECT_TRUE(test::same(keys.to_host(), items) && test::same(values.to_host(), items))
      << "written before the exception";
}

// Outputs with room for the runs alone, between keys and values.
ONEPASS_TEST(reduce_by_key, room_for_runs_between_inputs) {
  const std::size_t n = 20011;
  const input<std::uint32_t> in(n, 7);
  const std::vector<std::uint32_t> firsts = test::kept(in.keys, in.heads);
  const std::vector<std::uint32_t> results =
      test::ends_of(test::inclusive_segmented_reference(in.values, in.heads, onepass::sum{}), in.heads);
  std::vector<std::uint32_t> all = in.keys;
  all.resize(n + 2 * firsts.size());
  all.insert(all.end(), in.values.begin(), in.values.end());
  const test::buffer<std::uint32_t> strip(backend, all);
  std::uint32_t *const keys = strip.begin(), *const out_keys = keys + n, *const out_values = out_keys + firsts.size(),
                       *const values = out_values + firsts.size();
  const auto ends = onepass::reduce_by_key(backend.policy(), keys, keys + n, values, out_keys, out_values);
  EXPECT_EQ(ends.second, values);
  std::copy(firsts.begin(), firsts.end(), all.begin() + static_cast<std::ptrdiff_t>(n));
  std::copy(results.begin(), results.end(), all.begin() + static_cast<std::ptrdiff_t>(n + firsts.size()));
  EXPECT_TRUE(test::same(strip.to_host(), all));
}

// In place the values are copied first. Their sums are grouped as those of a call to another range all the same.
ONEPASS_TEST(reduce_by_key, same_bits_in_place) {
  const std::size_t n = test::limited(1000003);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(test::hash(n, i) % 1000003) / 1000;
  for (const std::size_t mean : {20000, 1000000000}) {
    const std::vector<int> keys = test::keys_of<int>(test::segment_starts(n, mean, mean), n, n);
    for (const std::size_t shift : {0, 1, 3}) {
      SCOPED_TRACE(testing::Message() << "mean length " << mean << ", shift " << shift);
      const test::buffer<int> in_keys(backend, keys), out_keys(backend, n);
      const test::buffer<float> in(backend, values, shift), out(backend, n);
      const auto p = backend.policy();
      const auto ends =
          onepass::reduce_by_key(p, in_keys.begin(), in_keys.end(), in.begin(), out_keys.begin(), out.begin());
      const auto runs = static_cast<std::size_t>(ends.second - out.begin());
      onepass::reduce_by_key(p, in_keys.begin(), in_keys.end(), in.begin(), in_keys.begin(), in.begin());
      EXPECT_TRUE(test::same(in.to_host(runs), out.to_host(runs)));
    }
  }
}

#if ONEPASS_TEST_CPU
// A zip may have another one in it, or be read from its end.
ONEPASS_CPU_TEST(reduce_by_key, in_place_but_a_zip) {
  std::vector<int> a(1000, 1), b(1000, 1), c(1000, 1), out(1000);
  const auto zip = [](auto... columns) { return thrust::make_zip_iterator(thrust::make_tuple(columns...)); };
  const auto refuses = [&](auto keys) {
    EXPECT_THROW(onepass::reduce_by_key(onepass::cpu(), keys, keys + 1000, c.begin(), keys, out.begin()),
                 onepass::invalid_argument);
    EXPECT_TRUE(a == std::vector<int>(1000, 1) && out == std::vector<int>(1000));
  };
  refuses(zip(a.begin(), b.begin()));
  refuses(zip(zip(a.begin(), b.begin()), b.begin()));
  refuses(thrust::make_reverse_iterator(zip(a.end(), b.end())));
  std::deque<int> apart(1000, 1);
  refuses(std::make_reverse_iterator(apart.end()));
  EXPECT_EQ(apart, std::deque<int>(1000, 1));
}

// Strings are objects; and what a call in place has overwritten is put back if its operator throws.
ONEPASS_CPU_TEST(reduce_by_key, in_place_restored) {
  const std::size_t n = 30000;
  std::deque<int> deque(100, 1), others(100);
  EXPECT_THROW(
      onepass::reduce_by_key(onepass::cpu(), deque.begin(), deque.end(), others.begin(), deque.begin(), others.begin()),
      onepass::invalid_argument);
  std::vector<std::string> keys(n), values(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = std::to_string(i / 3), values[i] = "a long value, number " + std::to_string(i);
  const std::vector<std::string> keys_before = keys, values_before = values;
  for (const int threads : {1, 3}) {
    int calls = 0;
    const auto fails_late = [&calls](const std::string& a, const std::string& b) {
      if (++calls > 15000) throw test::refusal();
      return a + b;
    };
    const auto reduce = [&](auto op) {
      onepass::reduce_by_key(onepass::cpu(threads), keys.begin(), keys.end(), values.begin(), keys.begin(),
                             values.begin(), std::equal_to<>(), op);
    };
    if (threads == 1) EXPECT_THROW(reduce(fails_late), test::refusal);
    else
      EXPECT_THROW(reduce([](const std::string& a, const std::string& b) -> std::string {
                     if (b.back() == '7') throw test::refusal();
                     return a + b;
                   }),
                   test::refusal);
    EXPECT_TRUE(keys == keys_before && values == values_before);
    reduce([](const std::string& a, const std::string& b) { return a + b; });
    EXPECT_EQ(keys[9999], "9999");
    EXPECT_EQ(values[5000], values_before[15000] + values_before[15001] + values_before[15002]);
    keys = keys_before;
    values = values_before;
  }
}
#endif
