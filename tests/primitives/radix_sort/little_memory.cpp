// SPDX-License-Identifier: Apache-2.0
// Calls of sorts in place in little memory.
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <thrust/pair.h>

#include <algorithm>
#include <cstdint>
#include <vector>
#if defined(__GLIBCXX__)
#include <debug/vector>
#endif

#include "primitives/radix_sort/keys_of_type.hpp"

namespace {

std::vector<std::uint32_t> numbered(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

template <class K, class Backend>
void check_call(const Backend& backend, std::size_t n, const onepass::radix_options& options,
                test::pattern pattern = test::pattern::uniform) {
  SCOPED_TRACE(testing::Message() << n << " keys, " << test::name_of(pattern));
  const std::vector<K> values = test::keys<K>(n, 1, pattern);
  const int end = options.end_bit < 0 ? static_cast<int>(8 * sizeof(K)) : options.end_bit;
  const std::vector<std::size_t> order = test::sorted_order(values, options.descending, options.begin_bit, end);
  const std::vector<std::uint32_t> positions = numbered(n);
  const test::buffer<K> alone(backend, values, 1), keys(backend, values);
  const test::buffer<std::uint32_t> carried(backend, positions, 1);
  const onepass::in_little_memory how(options);
  const auto run = [&](const auto& policy) {
    onepass::radix_sort(policy, alone.begin(), alone.end(), how);
    onepass::radix_sort_by_key(policy, keys.begin(), keys.end(), carried.begin(), how);
  };
  const onepass::workspace_size size = onepass::measure(backend.policy(), run);
  const std::size_t items = std::max(n / 8, std::size_t{1} << 22);
  EXPECT_LE(size.scratch, items * (sizeof(K) + sizeof(std::uint32_t)));
  onepass::workspace memory(backend.policy(), size);
  run(backend.policy().with(memory));
  const std::vector<K> expected = test::arranged(values, order);
  EXPECT_TRUE(test::identical(alone.to_host(), expected)) << "keys alone";
  EXPECT_TRUE(test::identical(keys.to_host(), expected)) << "keys with values";
  EXPECT_TRUE(test::same(carried.to_host(), test::arranged(positions, order))) << "values";
}

}  // namespace

// More items than are sorted with a second array, and fewer.
ONEPASS_TEST(little_memory, calls) {
  const std::size_t sizes[] = {0, 1, 2, 1000, 100003, test::limited((std::size_t{3} << 20) + 1)};
  for (const std::size_t n : sizes) check_call<std::uint32_t>(backend, n, onepass::ascending());
  for (const std::size_t n : sizes) check_call<float>(backend, n, onepass::descending());
  for (const std::size_t n : sizes) check_call<std::int64_t>(backend, n, onepass::ascending(20, 60));
}

// Large tiles, by both rankings.
ONEPASS_TEST(little_memory, patterns_in_large_tiles) {
  const std::size_t n = test::limited((std::size_t{3} << 20) + 12345);
  for (const test::pattern p : test::all_patterns) {
    check_call<std::uint32_t>(backend, n, onepass::ascending(), p);
    check_call<std::uint32_t>(backend, n, onepass::descending(3, 29), p);
  }
  check_call<std::uint16_t>(backend, n, onepass::descending(), test::pattern::uniform);
}

// A workspace for more items is enough for fewer, also where these are sorted with a second array.
template <class K, class Policy>
void check_that_workspaces_grow(const Policy& policy) {
  onepass::workspace_size before;
  for (const onepass::index_t n : {2, 5000, 100000, 1 << 20, 3 << 20, (3 << 20) + 1, 1 << 22, 1 << 25, (1 << 25) + 9}) {
    const auto size = onepass::measure(policy, [&](const auto& measuring) {
      auto* const first = reinterpret_cast<K*>(std::uintptr_t{1} << 20);
      onepass::radix_sort(measuring, first, first + n, onepass::in_little_memory());
    });
    EXPECT_GE(size.scratch, before.scratch) << n;
    EXPECT_GE(size.tiles, before.tiles) << n;
    before = size;
  }
}
ONEPASS_TEST(little_memory, workspaces_grow) {
  check_that_workspaces_grow<std::uint64_t>(backend.policy());
  check_that_workspaces_grow<std::uint32_t>(backend.policy());
}

ONEPASS_TEST(little_memory, refuses_bits_outside_of_the_key) {
  const test::buffer<std::uint32_t> keys(backend, numbered(100));
  const onepass::in_little_memory how(onepass::ascending(0, 33));
  EXPECT_THROW(onepass::radix_sort(backend.policy(), keys.begin(), keys.end(), how), onepass::invalid_argument);
}

ONEPASS_TEST(little_memory, pairs_of_fields) {
  using key = thrust::pair<std::uint32_t, float>;
  const std::size_t n = test::limited((std::size_t{3} << 20) + 5);
  std::vector<key> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = {static_cast<std::uint32_t>(test::hash(1, i) % 5), static_cast<float>(test::hash(2, i) % 1000) - 500};
  std::vector<key> expected = values;
  std::stable_sort(expected.begin(), expected.end());
  const test::buffer<key> keys(backend, values);
  onepass::radix_sort(backend.policy(), keys.begin(), keys.end(), onepass::in_little_memory());
  EXPECT_EQ(keys.to_host(), expected);
}

ONEPASS_TEST(little_memory, bytes_with_values_of_8_bytes) {
  const std::size_t n = test::limited((std::size_t{3} << 20) + 7);
  const std::vector<std::uint8_t> values = test::keys<std::uint8_t>(n, 1, test::pattern::uniform);
  const std::vector<std::size_t> order = test::sorted_order(values);
  const std::vector<std::uint64_t> positions(order.begin(), order.end());
  std::vector<std::uint64_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = i;
  const test::buffer<std::uint8_t> keys(backend, values, 1);
  const test::buffer<std::uint64_t> carried(backend, numbers, 1);
  onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin(), onepass::in_little_memory());
  EXPECT_TRUE(test::same(keys.to_host(), test::arranged(values, order)));
  EXPECT_TRUE(test::same(carried.to_host(), positions));
}

#if defined(__GLIBCXX__)
// What _GLIBCXX_DEBUG makes of a std::vector.
ONEPASS_CPU_TEST(little_memory, checked_iterators) {
  __gnu_debug::vector<int> keys = {3, 1, 2}, values = {30, 10, 20}, none;
  onepass::radix_sort_by_key(onepass::cpu(1), keys.begin(), keys.end(), values.begin(), onepass::in_little_memory());
  EXPECT_EQ(keys, (__gnu_debug::vector<int>{1, 2, 3}));
  EXPECT_EQ(values, (__gnu_debug::vector<int>{10, 20, 30}));
  onepass::radix_sort(keys.begin(), keys.end(), onepass::in_little_memory(onepass::descending()));
  EXPECT_EQ(keys, (__gnu_debug::vector<int>{3, 2, 1}));
  onepass::radix_sort(none.begin(), none.end(), onepass::in_little_memory());
}
#endif
