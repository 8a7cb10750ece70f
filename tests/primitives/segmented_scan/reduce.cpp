// SPDX-License-Identifier: Apache-2.0
// reduce_by_key, run_length_encode and segmented_reduce: types, lengths of segments, empty ones, operators, sizes in memory,
// workspaces, arguments.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/memory.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

template <class K, class T, class Op>
struct expected {
  expected(const std::vector<K>& keys, const std::vector<T>& values, Op op) {
    const std::vector<std::uint8_t> heads = test::heads_of_keys(keys);
    first_keys = test::kept(keys, heads);
    results = test::ends_of(test::inclusive_segmented_reference(values, heads, op), heads);
  }
  std::vector<K> first_keys;
  std::vector<T> results;
};

constexpr std::size_t means[] = {1, 2, 40, 5000, 0};

template <class K, class T, class Op, class Backend>
void check(const Backend& backend, Op op) {
  std::size_t which = 0;
  std::vector<std::size_t> sizes = test::sizes();
  for (int i = 0; i < 5; ++i) sizes.push_back(test::limited(150011));
  for (const std::size_t n : sizes) {
    const std::size_t mean = means[++which % 5];
    SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
    const std::vector<K> keys = test::keys_of<K>(test::segment_starts(n, n + mean, mean), n, n);
    const std::vector<T> values = test::random_values<T>(n, n);
    const expected<K, T, Op> e(keys, values, op);
    const test::buffer<K> in_keys(backend, keys, which % 3), out_keys(backend, n);
    const test::buffer<T> in(backend, values), out(backend, n, which % 2);
    const test::buffer<std::int64_t> count(backend, 1);

    const auto ends = onepass::reduce_by_key(backend.policy(), in_keys.begin(), in_keys.end(), in.begin(),
                                             out_keys.begin(), out.begin(), test::same_value{}, op);
    ASSERT_EQ(ends.first - out_keys.begin(), static_cast<std::ptrdiff_t>(e.results.size()));
    ASSERT_EQ(ends.second - out.begin(), static_cast<std::ptrdiff_t>(e.results.size()));
    const auto check_outputs = [&](const char* call) {
      EXPECT_TRUE(test::same(out_keys.to_host(e.first_keys.size()), e.first_keys)) << call;
      EXPECT_TRUE(test::same(out.to_host(e.results.size()), e.results)) << call;
      EXPECT_TRUE(out.untouched(e.results.size())) << call << ": written behind the last result";
      EXPECT_TRUE(out_keys.untouched(e.results.size())) << call << ": written behind the last key";
      out.poison_all();
      out_keys.poison_all();
    };
    check_outputs("reduce_by_key");
    onepass::reduce_by_key_async(backend.policy(), in_keys.begin(), in_keys.end(), in.begin(), out_keys.begin(),
                                 out.begin(), test::same_value{}, op, count.begin());
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(e.results.size()));
    check_outputs("reduce_by_key_async");
  }
}

// The lengths of runs, then their sums by the parity of the lengths: a count in memory is the next call's size.
template <class Backend>
class chains {
 public:
  using number = std::int32_t;
  chains(const Backend& backend, std::size_t n)
      : in_(backend, n),
        items_(backend, n),
        lengths_(backend, n),
        keys_(backend, n),
        sums_(backend, n),
        counts_(backend, 2) {}
  void load(std::uint64_t seed) {
    values_ = test::random_between<number>(in_.size(), seed, 0, 2);
    in_.assign(values_);
    for (const auto* b : {&items_, &lengths_, &keys_, &sums_}) b->poison_all();
    counts_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::run_length_encode_async(p, in_.begin(), in_.end(), items_.begin(), lengths_.begin(), counts_.begin());
    onepass::reduce_by_key_async(p.sized_by(counts_.begin()), lengths_.begin(), lengths_.end(), items_.begin(),
                                 keys_.begin(), sums_.begin(), test::same_value{}, onepass::sum{}, counts_.begin() + 1);
  }
  void check() const {
    const std::vector<std::uint8_t> heads = test::heads_of_keys(values_);
    const std::vector<number> items = test::kept(values_, heads);
    const std::vector<number> lengths = test::ends_of(
        test::inclusive_segmented_reference(std::vector<number>(values_.size(), 1), heads, onepass::sum{}), heads);
    const expected<number, number, onepass::sum> e(lengths, items, onepass::sum{});
    EXPECT_EQ(counts_.to_host()[0], static_cast<std::int64_t>(items.size()));
    EXPECT_TRUE(test::same(items_.to_host(items.size()), items));
    EXPECT_TRUE(test::same(lengths_.to_host(items.size()), lengths));
    EXPECT_TRUE(lengths_.untouched(items.size()));
    EXPECT_EQ(counts_.to_host()[1], static_cast<std::int64_t>(e.results.size()));
    EXPECT_TRUE(test::same(keys_.to_host(e.results.size()), e.first_keys));
    EXPECT_TRUE(test::same(sums_.to_host(e.results.size()), e.results));
    EXPECT_TRUE(sums_.untouched(e.results.size()));
  }
  bool untouched() const { return counts_.untouched() && sums_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<number> in_, items_, lengths_, keys_, sums_;
  test::buffer<std::int64_t> counts_;
  std::vector<number> values_;
};

}  // namespace

ONEPASS_TEST(reduce_by_key, int32_keys_uint32_values) { check<std::int32_t, std::uint32_t>(backend, onepass::sum{}); }
ONEPASS_TEST(reduce_by_key, int8_keys_uint64_values) { check<std::int8_t, std::uint64_t>(backend, onepass::maximum{}); }
ONEPASS_TEST(reduce_by_key, int64_keys_matrices) { check<std::int64_t, test::matrix>(backend, test::matrix_product{}); }

ONEPASS_TEST(reduce_by_key, chain) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{20011}, test::limited(1000003)}) {
    chains<backend_type> job(backend, n);
    job.load(n);
    job.run(backend.policy());
    job.check();
  }
}
ONEPASS_TEST(reduce_by_key, workspace) { test::check_workspace<chains<backend_type>>(backend); }

// Stretches of short and of long runs by turns, so that neighbouring groups of items hold few heads and many; by a functor
// that onepass does not know, and by sums of values that do not lie side by side.
ONEPASS_TEST(reduce_by_key, short_and_long_runs_by_turns) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t n = 100 + test::hash(seed, 1) % 2000;
    std::vector<std::uint8_t> heads(n, 0);
    for (std::size_t i = 0, k = 0; i < n; ++k) {  // each stretch has runs of one length
      const std::size_t run = 1 + test::hash(seed, 2 * k) % (test::hash(seed, 3 * k) % 2 == 0 ? 6 : 90);
      for (const std::size_t end = std::min(n, i + 1 + test::hash(seed, 5 * k) % 150); i < end; i += run) heads[i] = 1;
    }
    heads[0] = 1;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << n << " items");
    std::vector<std::int32_t> keys(n, 0);
    for (std::size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + heads[i];
    const std::vector<std::int32_t> values = test::random_between<std::int32_t>(n, seed, -50, 50);
    const std::vector<std::int32_t> results =
        test::ends_of(test::inclusive_segmented_reference(values, heads, test::plain_sum{}), heads);
    const test::buffer<std::int32_t> in_keys(backend, keys), in(backend, values), out_keys(backend, n), out(backend, n);
    const test::buffer<std::uint8_t> flags(backend, heads);
    const auto check_results = [&](const char* call) {
      EXPECT_TRUE(test::same(out.to_host(results.size()), results)) << call;
      out.poison_all();
    };
    onepass::reduce_by_key(backend.policy(), in_keys.begin(), in_keys.end(), in.begin(), out_keys.begin(), out.begin(),
                           test::same_value{}, test::plain_sum{});
    check_results("reduce_by_key");
    onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), flags.begin(), out.begin(), test::plain_sum{});
    check_results("segmented_reduce");
    const auto apart = thrust::make_permutation_iterator(in.begin(), thrust::counting_iterator<int>(0));
    onepass::segmented_reduce(backend.policy(), apart, apart + static_cast<std::ptrdiff_t>(n), flags.begin(),
                              out.begin(), onepass::sum{});
    check_results("segmented_reduce of values that are not contiguous");
  }
}

// Values of 16 bytes that do not lie in an array. On CUDA: around small tiles, of 512 items, and around a border of large ones, of
// 1,280, which these reductions have from 174,763 items on.
ONEPASS_TEST(reduce_by_key, wide_values_that_are_not_contiguous) {
  std::vector<std::size_t> sizes = {1, 300, 511, 512, 513, 40007};
  for (const std::size_t n : {174762, 174763, 204799, 204800, 204801, 400009}) sizes.push_back(test::limited(n));
  for (const std::size_t n : sizes) {
    const std::size_t mean = means[n % 5];
    SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
    const auto keys = test::keys_of<std::int32_t>(test::segment_starts(n, n, mean), n, n);
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
    const expected<std::int32_t, test::matrix, test::matrix_product> e(keys, values, {});
    const test::buffer<std::int32_t> in_keys(backend, keys), out_keys(backend, n);
    const test::buffer<test::matrix> in(backend, values), out(backend, n);
    const auto apart = thrust::make_permutation_iterator(in.begin(), thrust::counting_iterator<int>(0));
    onepass::reduce_by_key(backend.policy(), in_keys.begin(), in_keys.end(), apart, out_keys.begin(), out.begin(),
                           test::same_value{}, test::matrix_product{});
    EXPECT_TRUE(test::same(out_keys.to_host(e.first_keys.size()), e.first_keys));
    EXPECT_TRUE(test::same(out.to_host(e.results.size()), e.results));
    EXPECT_TRUE(out.untouched(e.results.size()));
    onepass::inclusive_scan_by_key(backend.policy(), in_keys.begin(), in_keys.end(), apart, out.begin(),
                                   test::same_value{}, test::matrix_product{});
    const std::vector<test::matrix> scanned =
        test::inclusive_segmented_reference(values, test::heads_of_keys(keys), test::matrix_product{});
    EXPECT_TRUE(test::same(out.to_host(), scanned));
  }
}

// By flags of bytes and bits.
ONEPASS_TEST(segmented_reduce, by_flags) {
  for (const std::size_t n : test::sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<std::uint8_t> flags = test::flags_at(test::segment_starts(n, n, 30), n);
    const std::vector<std::int32_t> values = test::random_between<std::int32_t>(n, n, -50, 50);
    const std::vector<std::int32_t> expected_results =
        test::ends_of(test::inclusive_segmented_reference(values, flags, onepass::sum{}), flags);
    const test::buffer<std::uint8_t> bytes(backend, flags, 1);
    const test::buffer<std::uint32_t> words(backend, test::words_of(flags, 5));
    const test::buffer<std::int32_t> in(backend, values), out(backend, n);
    const test::buffer<std::int64_t> count(backend, 1);
    const auto p = backend.policy();
    EXPECT_EQ(
        onepass::segmented_reduce(p, in.begin(), in.end(), bytes.begin(), out.begin(), onepass::sum{}) - out.begin(),
        static_cast<std::ptrdiff_t>(expected_results.size()));
    EXPECT_TRUE(test::same(out.to_host(expected_results.size()), expected_results)) << "bytes";
    out.poison_all();
    onepass::segmented_reduce_async(p, in.begin(), in.end(), onepass::bits(words.begin()) + 5, out.begin(),
                                    onepass::sum{}, count.begin());
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(expected_results.size()));
    EXPECT_TRUE(test::same(out.to_host(expected_results.size()), expected_results)) << "bits";
    EXPECT_TRUE(out.untouched(expected_results.size()));
  }
}

// Empty segments at the front, in the middle and at the back; items before the first and behind the last one; matrices, as
// nothing may be combined in another order.
ONEPASS_TEST(segmented_reduce, by_offsets) {
  for (const std::size_t n : test::sizes()) {
    for (const std::size_t segments : {std::size_t{1}, n / 50 + 1, n / 3 + 2, 3 * n + 5}) {
      SCOPED_TRACE(testing::Message() << n << " items in " << segments << " segments");
      std::vector<std::int64_t> offsets(segments + 1);
      for (std::size_t s = 0; s <= segments; ++s) {
        offsets[s] = static_cast<std::int64_t>(test::hash(n + segments, s / 2) % (n + 1));  // pairs: an empty one each
      }
      std::sort(offsets.begin(), offsets.end());
      if (segments % 2 == 0) offsets.front() = 0, offsets.back() = static_cast<std::int64_t>(n);
      const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
      const test::matrix init{1, 2, 3, 4};
      std::vector<test::matrix> expected_results(segments, init);
      for (std::size_t s = 0; s < segments; ++s) {
        if (offsets[s] == offsets[s + 1]) continue;
        auto i = static_cast<std::size_t>(offsets[s]);
        test::matrix sum = values[i];
        while (++i < static_cast<std::size_t>(offsets[s + 1])) sum = test::matrix_product{}(sum, values[i]);
        expected_results[s] = test::matrix_product{}(init, sum);
      }
      const test::buffer<test::matrix> in(backend, values), out(backend, segments);
      const test::buffer<std::int64_t> where(backend, offsets);
      const auto* end = onepass::segmented_reduce(backend.policy(), in.begin(), in.end(),
                                                  onepass::offsets(where.begin(), where.end()), out.begin(), init,
                                                  test::matrix_product{});
      EXPECT_EQ(end, out.end());
      ASSERT_TRUE(test::same(out.to_host(), expected_results));
    }
  }
}

ONEPASS_TEST(reduce_by_key, arguments) {
  const std::vector<int> items{1, 1, 2, 3};
  const test::buffer<int> in(backend, items), out(backend, 4), lengths(backend, 4);
  const test::buffer<std::int64_t> count(backend, 1);
  const auto p = backend.policy();
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::run_length_encode_async: count is null", [&] {
    onepass::run_length_encode_async(p, in.begin(), in.end(), out.begin(), lengths.begin(), nullptr);
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::run_length_encode: out overlaps [first, last)", [&] {
    onepass::run_length_encode(p, in.begin(), in.end(), in.begin() + 1, lengths.begin());
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::run_length_encode_async: count is where", [&] {
    onepass::run_length_encode_async(p.sized_by(count.begin()), in.begin(), in.end(), out.begin(), lengths.begin(),
                                     count.begin());
  }));
  onepass::run_length_encode_async(p, in.begin(), in.begin(), out.begin(), lengths.begin(), count.begin());
  EXPECT_EQ(count.to_host()[0], 0) << "no items";
  EXPECT_TRUE(out.untouched());
}

// Lengths that nobody wants.
ONEPASS_TEST(reduce_by_key, lengths_without_a_type) {
  const std::vector<int> items{1, 1, 2, 3};
  const test::buffer<int> in(backend, items), out(backend, 4);
  const test::buffer<std::int64_t> count(backend, 1);
  const auto end =
      onepass::run_length_encode(backend.policy(), in.begin(), in.end(), out.begin(), thrust::discard_iterator<>());
  EXPECT_EQ(end.first - out.begin(), 3);
  onepass::run_length_encode_async(backend.policy(), in.begin(), in.end(), out.begin(), thrust::discard_iterator<>(),
                                   count.begin());
  EXPECT_EQ(count.to_host()[0], 3);
  EXPECT_TRUE(test::same(out.to_host(3), {1, 2, 3}));
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(reduce_by_key, graph) { test::check_graph<chains<test::cuda_backend>>(false); }
#endif
