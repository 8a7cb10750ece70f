// SPDX-License-Identifier: Apache-2.0
// Sorts of so few tiles on CUDA that the passes make their plan themselves: numbers of keys around each limit, digits
// that all keys share, odd numbers of digits, keys that are sorted already, -0, and a number of keys in memory.
#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA

namespace {

// What is merged; a tile's counts that are read by one visit, and by two; tiles of 256, 384 and 512 threads on all
// multiprocessors, with 16 items a thread and, of pairs of 16 bytes, 12.
std::vector<std::size_t> limits() {
  int multiprocessors = 0, device = 0;
  test::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  test::check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                   "cudaDeviceGetAttribute");
  const auto tile = std::size_t{4096};
  std::vector<std::size_t> sizes{std::size_t{1} << 14, std::size_t{1} << 15, 9 * tile, 35 * tile};
  for (const std::size_t threads : {256, 384, 512}) {
    for (const std::size_t per_thread : {12, 16})
      sizes.push_back(threads * per_thread * static_cast<std::size_t>(multiprocessors));
  }
  return sizes;
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, few_tiles_at_limits) {
  for (const std::size_t limit : limits()) {
    for (const std::size_t n : {limit - 1, limit, limit + 1}) {
      if (test::small_only() && n > 40000) continue;
      for (const test::pattern p : {test::pattern::uniform, test::pattern::few_valued, test::pattern::all_equal}) {
        SCOPED_TRACE(testing::Message() << n << " keys, " << test::name_of(p));
        test::check_sort(backend, test::keys<std::uint32_t>(n, n, p), {});
        test::check_sort(backend, test::keys<std::uint64_t>(n, n, p), test::descending());
      }
    }
  }
}

// Each set of digits that differ, so that passes are left out or copy, by an even and by an odd number of digits.
ONEPASS_GPU_TEST(radix_sort, few_tiles_with_equal_digits) {
  const std::size_t n = test::small_only() ? 33001 : 100003;
  for (unsigned digits = 0; digits < 16; ++digits) {
    SCOPED_TRACE(testing::Message() << "digits " << digits);
    std::uint32_t mask = 0;
    for (int d = 0; d < 4; ++d) mask |= (digits >> d & 1) != 0 ? 0xFFu << 8 * d : 0u;
    std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, 3);
    for (std::uint32_t& value : values) value = (value & mask) | (0x12345678u & ~mask);
    test::check_sort(backend, values, {});
    test::check_sort(backend, values, {true, 0, 24});
    test::check_sort(backend, values, {false, 3, 32});
  }
}

// One key out of order, at either end of a tile; and sorted keys.
ONEPASS_GPU_TEST(radix_sort, few_tiles_of_sorted_keys) {
  const std::size_t n = test::small_only() ? 33001 : 70001;
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(50000 * i);
  test::check_sort(backend, values, {});
  test::check_sort(backend, values, test::descending());
  for (const std::size_t at : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, n - 2}) {
    SCOPED_TRACE(testing::Message() << "out of order at " << at);
    std::swap(values[at], values[at + 1]);
    test::check_sort(backend, values, {});
    std::swap(values[at], values[at + 1]);
  }
}

// One key is -0, in any tile: equal to +0, so that no pass may rank by atomics.
ONEPASS_GPU_TEST(radix_sort, few_tiles_with_negative_zero) {
  const std::size_t n = test::small_only() ? 33001 : 50021;
  std::vector<float> values = test::random_values<float>(n, 7);
  for (std::size_t i = 0; i < n; i += 5) values[i] = 0.0f;
  test::check_sort(backend, values, {});
  for (const std::size_t at : {std::size_t{5}, std::size_t{20000}, n - 1}) {
    SCOPED_TRACE(testing::Message() << "-0 at " << at);
    values[at] = -0.0f;
    test::check_sort(backend, values, at == 5 ? test::descending() : onepass::radix_options{});
    values[at] = 0.0f;
  }
}

// The number of keys is in memory, and smaller than the one that the launches are made for: none, one, part of a tile,
// some tiles. What stands behind them stays.
ONEPASS_GPU_TEST(radix_sort, few_tiles_sized) {
  const std::size_t most = test::small_only() ? 33001 : 100003;
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(most, 8);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{4097}, std::size_t{30000}}) {
    SCOPED_TRACE(testing::Message() << n << " keys");
    const test::buffer<std::int64_t> size(backend, std::vector<std::int64_t>{static_cast<std::int64_t>(n)});
    const test::buffer<std::uint32_t> keys(backend, values);
    onepass::radix_sort(backend.policy().sized_by(size.data()), keys.begin(), keys.end());
    std::vector<std::uint32_t> expected = values;
    std::sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(test::same(keys.to_host(), expected));
  }
}

#endif
