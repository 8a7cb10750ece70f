// SPDX-License-Identifier: Apache-2.0
// Sorts and splits of more than 2^31 and 2^32 items.
#include <onepass/radix_sort.hpp>

#include <thrust/copy.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <vector>

#include "support/checking_output.hpp"
#include "support/operators.hpp"
#include "support/test.hpp"

namespace {

// Where item `index` of the numbers 0, 1, 2, ... split by their lowest bit comes from.
struct even_then_odd {
  std::uint64_t evens;
  ONEPASS_HOST_DEVICE std::uint64_t operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    return i < evens ? 2 * i : 2 * (i - evens) + 1;
  }
};

// Items by value, as a prefix sum: where each value's run ends.
std::vector<std::int64_t> run_ends(const std::vector<std::uint8_t>& values) {
  std::vector<std::int64_t> ends(256);
  for (const std::uint8_t value : values) ++ends[value];
  for (int i = 1; i < 256; ++i) ends[i] += ends[i - 1];
  return ends;
}

}  // namespace

ONEPASS_TEST(split, large_by_digit) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::checking_output<even_then_odd> out(backend, {static_cast<std::uint64_t>(n + 1) / 2}, n);
  const thrust::counting_iterator<std::uint64_t> in(0);
  const auto end = onepass::split(backend.policy(), in, in + n, out.begin(), onepass::digit{0, 1});
  EXPECT_EQ(end - out.begin(), n);
  out.check();
}

ONEPASS_TEST(split, large_by_predicate) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::checking_output<even_then_odd> out(backend, {static_cast<std::uint64_t>(n + 1) / 2}, n);
  const thrust::counting_iterator<std::uint64_t> in(0);
  const auto border = onepass::split(backend.policy(), in, in + n, out.begin(), test::is_even{});
  EXPECT_EQ(border - out.begin(), (n + 1) / 2);
  out.check();
}

// Bytes in memory: the sorted ones are 256 runs, whose lengths are known.
ONEPASS_TEST(radix_sort, large_bytes) {
  const std::size_t n = test::limited(test::large_size);
  if (test::free_host_memory() < 4 * n) GTEST_SKIP() << "needs " << (4 * n >> 30) << " GiB of free memory";
  std::vector<std::uint8_t> values(n);
  for (std::size_t i = 0; i < n; i += 8) {
    const std::uint64_t bits = test::hash(1, i);
    for (std::size_t j = 0; j < 8 && i + j < n; ++j)
      values[i + j] = static_cast<std::uint8_t>(bits >> (8 * j) & (bits >> 3));
  }
  const std::vector<std::int64_t> ends = run_ends(values);
  const test::buffer<std::uint8_t> keys(backend, values, 1);
  onepass::radix_sort(backend.policy(), keys.begin(), keys.end());
  values = keys.to_host();
  std::int64_t wrong = 0;
  for (int value = 0; value < 256; ++value) {
    for (std::int64_t i = value == 0 ? 0 : ends[static_cast<std::size_t>(value) - 1];
         i < ends[static_cast<std::size_t>(value)]; ++i) {
      wrong += values[static_cast<std::size_t>(i)] != value;
    }
  }
  EXPECT_EQ(wrong, 0);
}

#if ONEPASS_HAS_CUDA
namespace {

// Byte i: the low seven bits go round, the highest one is that of how often.
struct going_round {
  ONEPASS_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const { return static_cast<std::uint8_t>(i & 0xFF); }
};
// The same in the order of their low seven bits, n of them: `longer` runs have one more than the others.
struct in_runs {
  std::int64_t run, longer;
  ONEPASS_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    const std::int64_t in_longer = longer * (run + 1);
    const bool is_longer = i < in_longer;
    const std::int64_t value = is_longer ? i / (run + 1) : longer + (i - in_longer) / run;
    const std::int64_t position = is_longer ? i % (run + 1) : (i - in_longer) % run;
    return static_cast<std::uint8_t>(value | (position & 1) << 7);
  }
};

}  // namespace

// More than 2^32 keys, by a pass: some of their bits do not count, so they cannot just be counted.
ONEPASS_GPU_TEST(radix_sort, large_passes) {
  const auto n = static_cast<std::int64_t>(test::limited((std::size_t{1} << 32) + 77));
  std::size_t free = 0, all = 0;
  test::check_cuda(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  if (free < std::size_t{5} * static_cast<std::size_t>(n)) GTEST_SKIP() << "needs 20 GiB of device memory";
  const test::checking_output<in_runs> out(backend, {n / 128, n % 128}, n);
  const auto in = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), going_round());
  onepass::radix_sort_copy(backend.policy(), in, in + n, out.begin(), onepass::radix_options{false, 0, 7});
  out.check();
}

// More than a histogram's counters of 16 bits hold before they are added up (on 132 multiprocessors, 275 million).
ONEPASS_GPU_TEST(radix_sort, large_words) {
  const std::size_t n = test::limited(300000007);
  if (test::free_host_memory() < 20 * n) GTEST_SKIP() << "needs " << (20 * n >> 30) << " GiB of free memory";
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = n - 1 - i;
  const test::buffer<std::uint64_t> keys(backend, values);
  onepass::radix_sort(backend.policy(), keys.begin(), keys.end());
  values = keys.to_host();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += values[i] != i;
  EXPECT_EQ(wrong, 0u);
}

namespace {

// The numbers 0, step, 2 * step, ... in another order, n of them.
struct shuffled_multiples {
  std::uint64_t n, step;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 1000003 % n * step);
  }
};
struct multiples {
  std::uint32_t step;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const { return static_cast<std::uint32_t>(i) * step; }
};

}  // namespace

// So many that two passes are replaced by a sort of buckets: of the usual size, and of a larger one.
ONEPASS_GPU_TEST(radix_sort, large_buckets) {
  for (const std::size_t size : std::vector<std::size_t>{16777259, 67108879, 134217757, 240000011, 300000007}) {
    // None is a multiple of 1000003.
    const auto n = static_cast<std::int64_t>(test::limited(size));
    const auto step = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / size);
    const thrust::counting_iterator<std::int64_t> index(0);
    const auto items = thrust::make_transform_iterator(
        index, shuffled_multiples{static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(step)});
    const auto expected = thrust::make_transform_iterator(index, multiples{step});
    const auto room = static_cast<std::size_t>(n);
    const test::buffer<std::uint32_t> keys(backend, room), values(backend, room), out(backend, room);
    const auto on_stream = thrust::cuda::par.on(backend.stream);
    thrust::copy(on_stream, items, items + n, keys.data());
    thrust::copy(on_stream, items, items + n, values.data());
    onepass::radix_sort_copy(backend.policy(), keys.begin(), keys.end(), out.begin());
    EXPECT_TRUE(thrust::equal(on_stream, expected, expected + n, out.data()));
    onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), values.begin());
    EXPECT_TRUE(thrust::equal(on_stream, expected, expected + n, keys.data()));
    EXPECT_TRUE(thrust::equal(on_stream, expected, expected + n, values.data()));
  }
}
#endif
