// SPDX-License-Identifier: Apache-2.0
// Segmented scans from and to iterators that are no pointers, and of more than 2^31 items.
#include <onepass/segmented_scan.hpp>

#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/checking_output.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::uint32_t;
constexpr std::int64_t row_length = 1000003;

struct row_of {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / row_length; }
};
struct place_in_row {
  std::int64_t offset;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i % row_length + offset; }
};
struct itself_plus_one {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i + 1; }
};

}  // namespace

// Segments as long as a tile, whatever its size: a tile's only head is its first item. By a functor, as the CPU's vectors
// look for offsets in another way.
ONEPASS_TEST(segmented_scan, segments_of_a_tile) {
  const std::size_t n = test::limited(1 << 18);
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, n);
  const test::buffer<std::uint32_t> in(backend, values), out(backend, n);
  for (std::size_t length = 1 << 9; length <= n / 2; length *= 2) {
    SCOPED_TRACE(testing::Message() << "segments of " << length);
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i <= n; i += length) offsets.push_back(static_cast<std::int64_t>(i));
    const test::buffer<std::int64_t> where(backend, offsets);
    onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(),
                                      onepass::offsets(where.begin(), where.end()), out.begin(), test::plain_sum{});
    EXPECT_TRUE(test::same(out.to_host(), test::inclusive_segmented_reference(
                                              values, test::heads_of_offsets(offsets, n), test::plain_sum{})));
  }
}

ONEPASS_TEST(segmented_scan, computed_keys_and_discarded_output) {
  const auto n = static_cast<std::int64_t>(test::limited(3 * row_length));
  const thrust::counting_iterator<std::int64_t> counting(0);
  const auto keys = thrust::make_transform_iterator(counting, row_of{});
  const test::buffer<std::int64_t> out(backend, static_cast<std::size_t>(n));
  onepass::inclusive_scan_by_key(backend.policy(), keys, keys + n, thrust::constant_iterator<std::int64_t>(1),
                                 out.begin());
  std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = i % row_length + 1;
  EXPECT_TRUE(test::same(out.to_host(), expected));
  const auto end =
      onepass::inclusive_scan_by_key(backend.policy(), keys, keys + n, out.begin(), thrust::make_discard_iterator());
  EXPECT_EQ(end - thrust::make_discard_iterator(), n);
}

// Backwards through a permutation, with an operator that is not commutative.
ONEPASS_TEST(segmented_scan, reverse_and_permutation_iterators) {
  const std::size_t n = test::limited(50021);
  const std::vector<std::int32_t> key_values = test::keys_of<std::int32_t>(test::segment_starts(n, 1, 60), n, 1);
  const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 2);
  std::vector<std::int32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::int32_t>(test::hash(3, i) % n);
  const test::buffer<std::int32_t> keys(backend, key_values), index(backend, order);
  const test::buffer<test::matrix> in(backend, values), out(backend, n);
  const auto first_key = thrust::make_reverse_iterator(keys.end());
  onepass::inclusive_scan_by_key(backend.policy(), first_key, first_key + n,
                                 thrust::make_permutation_iterator(in.begin(), index.begin()),
                                 thrust::make_reverse_iterator(out.end()), test::same_value{}, test::matrix_product{});
  std::vector<test::matrix> gathered(n);
  for (std::size_t i = 0; i < n; ++i) gathered[i] = values[static_cast<std::size_t>(order[i])];
  std::vector<std::int32_t> reversed(key_values.rbegin(), key_values.rend());
  std::vector<test::matrix> expected =
      test::inclusive_segmented_reference(gathered, test::heads_of_keys(reversed), test::matrix_product{});
  std::reverse(expected.begin(), expected.end());
  EXPECT_TRUE(test::same(out.to_host(), expected));
}

template <class Vector, class Keys>
static void check_vectors(Keys keys, Vector in) {
  const std::size_t n = test::limited(50021);
  const std::vector<std::int32_t> key_values = test::keys_of<std::int32_t>(test::segment_starts(n, 1, 60), n, 1);
  const std::vector<number> values = test::random_values<number>(n, 2);
  keys.assign(key_values.begin(), key_values.end());
  in.assign(values.begin(), values.end());
  Vector out(n);
  const auto end = onepass::inclusive_scan_by_key(keys.begin(), keys.end(), in.begin(), out.begin());
  EXPECT_TRUE(end == out.end());
  std::vector<number> result(n);
  thrust::copy(out.begin(), out.end(), result.begin());
  EXPECT_TRUE(
      test::same(result, test::inclusive_segmented_reference(values, test::heads_of_keys(key_values), onepass::sum{})));
}
ONEPASS_CPU_TEST(segmented_scan, std_vector) { check_vectors(std::vector<std::int32_t>(), std::vector<number>()); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(segmented_scan, device_vector) {
  check_vectors(thrust::device_vector<std::int32_t>(), thrust::device_vector<number>());
}
#endif

ONEPASS_TEST(segmented_scan, large_by_key) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::checking_output<place_in_row> out(backend, {-5}, n);
  const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), row_of{});
  onepass::exclusive_scan_by_key(backend.policy(), keys, keys + n, thrust::constant_iterator<std::int64_t>(1),
                                 out.begin(), std::int64_t{-5});
  out.check();
}

// One segment of more than 2^31 items: its head is the first item, far from most tiles.
ONEPASS_TEST(segmented_scan, large_segment_by_flags) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::checking_output<itself_plus_one> out(backend, {}, n);
  const thrust::constant_iterator<std::int64_t> ones(1);
  onepass::inclusive_segmented_scan(backend.policy(), ones, ones + n, thrust::constant_iterator<bool>(false),
                                    out.begin());
  out.check();
}

ONEPASS_TEST(segmented_scan, large_by_offsets) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  std::vector<std::int64_t> starts;
  for (std::int64_t start = 0; start < n; start += row_length) starts.push_back(start);
  const test::buffer<std::int64_t> offsets(backend, starts);
  const test::checking_output<place_in_row> out(backend, {1}, n);
  const thrust::constant_iterator<std::int64_t> ones(1);
  onepass::inclusive_segmented_scan(backend.policy(), ones, ones + n, onepass::offsets(offsets.begin(), offsets.end()),
                                    out.begin());
  out.check();
}
