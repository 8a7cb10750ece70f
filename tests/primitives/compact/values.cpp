// SPDX-License-Identifier: Apache-2.0
// Compaction of every type: all sizes, shares of kept items from none to all, unaligned, in place; hostile predicates.
#include <onepass/compact.hpp>

#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

constexpr double shares[] = {0.5, 0.01, 1, 0.9, 0};

const auto all_layouts = [](auto body) {
  std::size_t which = 0;
  for (const std::size_t n : test::sizes()) {
    ++which;
    body(n, shares[which % 5], which % 3, which % 2);
  }
  for (const double share : shares) body(test::limited(150011), share, 1, 3);
};
// Every size around a block of the CPU's vectors, those of every size.
const auto small_layouts = [](auto body) {
  test::at_each_simd_level([&] {
    for (std::size_t n = 0; n <= 200; ++n) body(n, shares[n % 5], n % 3, n % 2);
  });
};

// copy_if to another place, and remove_if in place, which keeps the others.
template <class T, class Layouts, class Backend>
void check_layouts(const Backend& backend, Layouts layouts) {
  layouts([&](std::size_t n, double share, std::size_t in_shift, std::size_t out_shift) {
    SCOPED_TRACE(testing::Message() << n << " items, share " << share << ", shifted by " << in_shift << " and "
                                    << out_shift);
    const test::is_lucky lucky{share};
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<std::uint8_t> flags = test::flags_of(values, lucky);
    const std::vector<T> chosen = test::kept(values, flags), others = test::kept(values, flags, false);
    const test::buffer<T> in(backend, values, in_shift), out(backend, n, out_shift);
    const auto count = static_cast<std::size_t>(
        onepass::copy_if(backend.policy(), in.begin(), in.end(), out.begin(), lucky) - out.begin());
    ASSERT_EQ(count, chosen.size());
    EXPECT_TRUE(test::identical(out.to_host(count), chosen));
    EXPECT_TRUE(out.untouched(count)) << "written behind the last kept item";
    EXPECT_TRUE(test::identical(in.to_host(), values)) << "the input was written";

    T* end = onepass::remove_if(backend.policy(), in.begin(), in.end(), lucky);
    ASSERT_EQ(static_cast<std::size_t>(end - in.begin()), others.size());
    EXPECT_TRUE(test::identical(in.to_host(others.size()), others)) << "in place";
  });
}

template <class T, class Backend>
void check_type(const Backend& backend) {
  check_layouts<T>(backend, all_layouts);
}

}  // namespace

ONEPASS_TEST(compact, int8) { check_type<std::int8_t>(backend); }
ONEPASS_TEST(compact, uint16) { check_type<std::uint16_t>(backend); }
ONEPASS_TEST(compact, items_of_two_bytes) { check_type<test::byte_map>(backend); }
ONEPASS_TEST(compact, int32) { check_type<std::int32_t>(backend); }
ONEPASS_TEST(compact, uint64) { check_type<std::uint64_t>(backend); }
ONEPASS_TEST(compact, items_of_16_bytes) { check_type<test::matrix>(backend); }
ONEPASS_TEST(compact, items_of_24_bytes) { check_type<test::triple>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_TEST(compact, half_items) { check_type<test::half>(backend); }
#endif

ONEPASS_CPU_TEST(compact, small_sizes_of_1_byte) { check_layouts<std::int8_t>(backend, small_layouts); }
ONEPASS_CPU_TEST(compact, small_sizes_of_2_bytes) { check_layouts<std::uint16_t>(backend, small_layouts); }
ONEPASS_CPU_TEST(compact, small_sizes_of_4_bytes) { check_layouts<std::uint32_t>(backend, small_layouts); }
ONEPASS_CPU_TEST(compact, small_sizes_of_8_bytes) { check_layouts<std::uint64_t>(backend, small_layouts); }

// Both parts, to two places and in place.
template <class T, class Backend>
static void check_partition(const Backend& backend) {
  all_layouts([&](std::size_t n, double share, std::size_t in_shift, std::size_t out_shift) {
    SCOPED_TRACE(testing::Message() << n << " items, share " << share << ", shifted by " << in_shift << " and "
                                    << out_shift);
    const test::is_lucky lucky{share};
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<std::uint8_t> flags = test::flags_of(values, lucky);
    const std::vector<T> chosen = test::kept(values, flags), others = test::kept(values, flags, false);
    const test::buffer<T> in(backend, values, in_shift), out(backend, chosen.size(), out_shift),
        rest(backend, others.size());
    const auto ends =
        onepass::stable_partition_copy(backend.policy(), in.begin(), in.end(), out.begin(), rest.begin(), lucky);
    EXPECT_EQ(ends.first, out.end());
    EXPECT_EQ(ends.second, rest.end());
    EXPECT_TRUE(test::identical(out.to_host(), chosen));
    EXPECT_TRUE(test::identical(rest.to_host(), others));
    T* border = onepass::stable_partition(backend.policy(), in.begin(), in.end(), lucky);
    EXPECT_EQ(static_cast<std::size_t>(border - in.begin()), chosen.size());
    EXPECT_TRUE(test::identical(in.to_host(), test::partitioned(values, flags))) << "in place";
  });
}
ONEPASS_TEST(compact, partition_of_int16) { check_partition<std::int16_t>(backend); }
ONEPASS_TEST(compact, partition_of_float) { check_partition<float>(backend); }
ONEPASS_TEST(compact, partition_of_uint64) { check_partition<std::uint64_t>(backend); }
ONEPASS_TEST(compact, partition_of_24_bytes) { check_partition<test::triple>(backend); }

// Runs of every length; in place, where an item is compared with one that may be overwritten.
ONEPASS_TEST(compact, unique_in_runs_of_every_length) {
  for (const std::size_t n : test::sizes()) {
    for (const std::size_t mean : {std::size_t{1}, std::size_t{2}, std::size_t{300}, std::size_t{0}}) {
      SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
      const auto values = test::keys_of<std::int32_t>(test::segment_starts(n, n, mean), n, 1);
      const std::vector<std::int32_t> expected = test::kept(values, test::heads_of_keys(values));
      const test::buffer<std::int32_t> in(backend, values, n % 3), out(backend, n, n % 2);
      const std::int32_t* end = onepass::unique_copy(backend.policy(), in.begin(), in.end(), out.begin());
      ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), expected.size());
      EXPECT_TRUE(test::same(out.to_host(expected.size()), expected));
      EXPECT_TRUE(out.untouched(expected.size())) << "written behind the last kept item";
      EXPECT_EQ(onepass::unique_count(backend.policy(), in.begin(), in.end()), end - out.begin());
      EXPECT_TRUE(test::same(in.to_host(), values)) << "written by unique_count";
      end = onepass::unique(backend.policy(), in.begin(), in.end());
      ASSERT_EQ(static_cast<std::size_t>(end - in.begin()), expected.size());
      EXPECT_TRUE(test::same(in.to_host(expected.size()), expected)) << "in place";
    }
  }
}

// Kept items in long runs and none for long, so that tiles are full or empty.
ONEPASS_TEST(compact, kept_in_runs) {
  const std::size_t n = test::limited(300007);
  const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, 1);
  std::vector<std::uint8_t> flag_values(n);
  for (std::size_t i = 0; i < n; ++i) flag_values[i] = test::hash(2, i / 10007) % 2 == 0;
  const test::buffer<std::int32_t> in(backend, values), out(backend, n);
  const test::buffer<std::uint8_t> flags(backend, flag_values, 1);
  const std::vector<std::int32_t> expected = test::kept(values, flag_values);
  const auto count = static_cast<std::size_t>(
      onepass::compact(backend.policy(), in.begin(), in.end(), onepass::flags(flags.begin()), out.begin()) -
      out.begin());
  ASSERT_EQ(count, expected.size());
  EXPECT_TRUE(test::same(out.to_host(count), expected));
}

// One pass: every item is asked once, none of them twice.
ONEPASS_TEST(compact, predicate_is_asked_once_an_item) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<std::int32_t> values = test::random_between<std::int32_t>(n, n, 0, 1000);
    const test::buffer<std::int32_t> in(backend, values), out(backend, n);
    const test::buffer<unsigned long long> calls(backend, std::vector<unsigned long long>{0});
    const auto end =
        onepass::copy_if(backend.policy(), in.begin(), in.end(), out.begin(), test::counting_is_even{calls.data()});
    EXPECT_EQ(calls.to_host()[0], n);
    EXPECT_TRUE(test::same(out.to_host(static_cast<std::size_t>(end - out.begin())),
                           test::kept(values, test::flags_of(values, test::is_even{}))));
  }
}

ONEPASS_CPU_TEST(compact, throwing_predicate) {
  const std::size_t n = test::limited(200003);
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, thrown at item " << at);
      const auto p = onepass::cpu(threads);
      const std::vector<std::int64_t> good = test::random_between<std::int64_t>(n, at, 0, 1000);
      std::vector<std::int64_t> values = good, out(n);
      values[at] = test::refused_value;
      const std::vector<std::int64_t> bad = values;
      const test::throwing_predicate pred;
      const auto first = values.begin(), last = values.end();
      EXPECT_TRUE(test::throws<test::refusal>("refused", [&] { onepass::copy_if(p, first, last, out.begin(), pred); }));
      EXPECT_TRUE(test::same(values, bad)) << "the input was written";
      EXPECT_TRUE(test::throws<test::refusal>("refused", [&] { onepass::stable_partition(p, first, last, pred); }));
      EXPECT_TRUE(test::same(values, bad)) << "partitioned, although the predicate threw";
      EXPECT_TRUE(test::throws<test::refusal>("refused", [&] { onepass::remove_if(p, first, last, pred); }));
      values = good;
      const auto end = onepass::copy_if(p, first, last, out.begin(), pred);
      out.resize(static_cast<std::size_t>(end - out.begin()));
      EXPECT_TRUE(test::same(out, test::kept(good, test::flags_of(good, pred)))) << "the call after the one that threw";
    }
  }
}

namespace {
struct is_long {
  bool operator()(const std::string& word) const { return word.size() > 20; }
};
struct throwing_is_long {
  bool operator()(const std::string& word) const {
    if (word.empty()) throw test::refusal();
    return word.size() > 20;
  }
};
std::vector<std::string> words(std::size_t n) {
  std::vector<std::string> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = std::string(1 + test::hash(3, i) % 40, static_cast<char>('a' + i % 26));
  return result;
}
}  // namespace

// Values that own memory: nothing is leaked, lost or copied twice, also when the predicate throws.
ONEPASS_CPU_TEST(compact, strings) {
  for (const int threads : {1, 3}) {
    const auto p = onepass::cpu(threads);
    const std::vector<std::string> values = words(test::limited(20011));
    const std::vector<std::uint8_t> flags = test::flags_of(values, is_long{});
    std::vector<std::string> in = values, out(values.size());
    out.erase(onepass::copy_if(p, in.begin(), in.end(), out.begin(), is_long{}), out.end());
    EXPECT_TRUE(test::same(out, test::kept(values, flags)));
    EXPECT_TRUE(test::same(in, values)) << "the input was written";
    onepass::stable_partition(p, in.begin(), in.end(), is_long{});
    EXPECT_TRUE(test::same(in, test::partitioned(values, flags)));
    in = values;
    in.erase(onepass::remove_if(p, in.begin(), in.end(), is_long{}), in.end());
    EXPECT_TRUE(test::same(in, test::kept(values, flags, false)));
    in = values;
    in[in.size() / 2].clear();
    const auto partition = [&] { onepass::stable_partition(p, in.begin(), in.end(), throwing_is_long{}); };
    EXPECT_TRUE(test::throws<test::refusal>("refused", partition));
    in[in.size() / 2] = values[in.size() / 2];
    EXPECT_TRUE(test::same(in, values)) << "partitioned, although the predicate threw";
    in[in.size() / 3] = "to be removed";  // compared with a literal, as by std::remove
    in.erase(onepass::remove(p, in.begin(), in.end(), "to be removed"), in.end());
    EXPECT_EQ(in.size(), values.size() - 1);
  }
}

// Zipped strings whose neighbours are compared: one column in place alone is refused, unless it is not compared.
ONEPASS_CPU_TEST(compact, columns_of_strings_in_place) {
  const auto p = onepass::cpu(3);
  const std::size_t n = test::limited(20011);
  std::vector<std::string> keys(n), values = words(n), others(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = std::string(20, static_cast<char>('a' + i / 3 % 26));
  const std::vector<std::string> old_keys = keys, old_values = values;
  const auto end = static_cast<std::ptrdiff_t>(n);
  const auto both = [](auto& a, auto& b) { return thrust::make_zip_iterator(a.begin(), b.begin()); };
  const auto same_key = [](const auto& a, const auto& b) { return thrust::get<0>(a) == thrust::get<0>(b); };
  const std::string message = "unique_copy: such items are kept in place only if all that is zipped with them is, too";
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + message, [&] {
    onepass::unique_copy(p, both(keys, values), both(keys, values) + end, both(keys, others), same_key);
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + message, [&] {
    onepass::unique_copy(p, both(keys, values), both(keys, values) + end, both(others, values), same_key);
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::unique_by_key_copy: such items", [&] {
    onepass::unique_by_key_copy(p, keys.begin(), keys.end(), values.begin(), keys.begin(), others.begin());
  }));
  EXPECT_TRUE(keys == old_keys && values == old_values) << "written before the exception";

  std::vector<std::string> kept_keys, kept_values;
  for (std::size_t i = 0; i < n; i += 3) kept_keys.push_back(keys[i]), kept_values.push_back(values[i]);
  onepass::unique_by_key_copy(p, keys.begin(), keys.end(), values.begin(), others.begin(), values.begin());
  values.resize(kept_values.size());
  others.resize(kept_keys.size());
  EXPECT_TRUE(values == kept_values && others == kept_keys && keys == old_keys);
  values = old_values;
  const auto last = onepass::unique_copy(p, both(keys, values), both(keys, values) + end, both(keys, values), same_key);
  EXPECT_EQ(last - both(keys, values), static_cast<std::ptrdiff_t>(kept_keys.size()));
  keys.resize(kept_keys.size());
  values.resize(kept_values.size());
  EXPECT_TRUE(keys == kept_keys && values == kept_values);
}
