// SPDX-License-Identifier: Apache-2.0
// Sorts of so many keys that descriptors have 64 bits, on devices whose blocks have 99 KB of shared memory. The library is told
// so; a kernel that asks for more cannot be launched.
#define ONEPASS_MOST_SHARED_MEMORY (99 * 1024)
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "large_fixture.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

// The most that descriptors of 32 bits count, one more, and more than an int counts.
std::vector<std::int64_t> sizes() {
  return {static_cast<std::int64_t>(test::limited(gib - 1)), static_cast<std::int64_t>(test::limited(gib)),
          test::above_int()};
}

}  // namespace

ONEPASS_GPU_TEST(little_shared_memory, large_keys) {
  ONEPASS_SKIP_WITHOUT_MEMORY(18 * gib);
  const auto sort = [&](auto* first, auto* last) { onepass::radix_sort(backend.policy(), first, last); };
  for (const std::int64_t n : sizes()) test::check_large_keys<std::uint32_t>(backend, n, 1000003, 4294, sort);
}

ONEPASS_GPU_TEST(little_shared_memory, large_with_values) {
  ONEPASS_SKIP_WITHOUT_MEMORY(23 * gib);
  const auto sort = [&](auto* first, auto* last, auto* values) {
    onepass::radix_sort_by_key(backend.policy(), first, last, values);
  };
  for (const std::int64_t n : sizes()) test::check_large_pairs<std::uint32_t>(backend, n, 1000003, 4294, sort);
}

ONEPASS_GPU_TEST(little_shared_memory, large_sort_in_little_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(11 * gib);
  const auto sort = [&](auto* first, auto* last) {
    onepass::radix_sort(backend.policy(), first, last, onepass::in_little_memory());
  };
  for (const std::int64_t n : sizes()) test::check_large_keys<std::uint32_t>(backend, n, 1000003, 4294, sort);
}

// A workspace for more keys is enough for fewer, which have other tiles.
ONEPASS_GPU_TEST(little_shared_memory, large_workspaces_are_no_smaller) {
  const auto bytes_for = [&](std::int64_t n) {
    return onepass::measure(backend.policy(),
                            [&](const auto& policy) {
                              auto* const no_keys = reinterpret_cast<std::uint32_t*>(std::uintptr_t{256});  // not read
                              onepass::radix_sort(policy, no_keys, no_keys + n);
                            })
        .bytes();
  };
  const std::int64_t all[] = {gib / 2, gib - 1, gib, gib + 1, gib + gib / 8, 3 * gib};
  EXPECT_TRUE(std::is_sorted(std::begin(all), std::end(all),
                             [&](std::int64_t less, std::int64_t more) { return bytes_for(less) < bytes_for(more); }));
}
#endif
