// SPDX-License-Identifier: Apache-2.0
// Sorts of narrow items in little memory with descriptors of 64 bits, which have tiles of their own
// (primitives/radix_sort/cuda/little_memory/paged_sort.cuh). Calls get them that may have 2^30 items; these here have
// fewer, as a number in device memory says.
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <cstdint>
#include <vector>

#include "primitives/radix_sort/keys_of_type.hpp"
#include "primitives/radix_sort/sort_in_pages.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;
constexpr onepass::index_t most = (onepass::index_t{1} << 30) + 5;

// V: of values, or none.
template <class K, class V>
void check(const test::cuda_backend& backend, const std::vector<K>& values, const onepass::radix_options& options) {
  const auto order = test::sorted_order(values, options.descending, options.begin_bit, options.end_bit);
  const test::buffer<K> keys(backend, values);
  const test::buffer<onepass::index_t> size(backend, std::vector{static_cast<onepass::index_t>(values.size())});
  const auto sort = [&](V* moved) {
    test::sort_in_pages<K, V>(backend, keys.data(), moved, {most, size.data()}, options,
                              detail::little_scratch_items(most));
    EXPECT_TRUE(test::identical(keys.to_host(), test::arranged(values, order)));
  };
  if constexpr (std::is_same_v<V, detail::none>) {
    sort(nullptr);
  } else {
    std::vector<V> carried(values.size());
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = static_cast<V>(test::hash(3, i));
    const test::buffer<V> moved(backend, carried);
    sort(moved.data());
    EXPECT_TRUE(test::identical(moved.to_host(), test::arranged(carried, order)));
  }
}

// By both rankings.
template <class K, class V>
void check_patterns(const test::cuda_backend& backend) {
  constexpr int bits = 8 * sizeof(K);
  for (const std::size_t n : {std::size_t{3}, test::limited(100003), test::limited((std::size_t{1} << 22) + 1023)}) {
    for (const test::pattern p : {test::pattern::uniform, test::pattern::few_valued, test::pattern::reversed}) {
      SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes, " << test::name_of(p));
      const std::vector<K> values = test::keys<K>(n, 1, p);
      check<K, V>(backend, values, onepass::ascending(0, bits));
      check<K, V>(backend, values, onepass::descending(1, bits - 1));
    }
  }
}

// For n/8 items, also from 2^30 items on; keys of 1 byte alone take n/7.
template <class K, class V>
void check_scratch(const test::cuda_backend& backend) {
  for (const onepass::index_t n : {most - 6, most, 2 * most, 8 * most}) {
    SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes");
    const auto size = onepass::measure(backend.policy(), [&](const auto& measuring) {
      auto* const keys = reinterpret_cast<K*>(std::uintptr_t{1} << 20);
      if constexpr (std::is_same_v<V, detail::none>) {
        onepass::radix_sort(measuring, keys, keys + n, onepass::in_little_memory());
      } else {
        auto* const values = reinterpret_cast<V*>(std::uintptr_t{1} << 40);
        onepass::radix_sort_by_key(measuring, keys, keys + n, values, onepass::in_little_memory());
      }
    });
    constexpr std::size_t bytes = sizeof(K) + detail::stored_size<V>;
    EXPECT_LE(size.scratch, static_cast<std::size_t>(n / (bytes == 1 ? 7 : 8)) * bytes);
  }
}

}  // namespace

ONEPASS_GPU_TEST(little_memory, many_uint8) { check_patterns<std::uint8_t, detail::none>(backend); }
ONEPASS_GPU_TEST(little_memory, many_uint16) { check_patterns<std::uint16_t, detail::none>(backend); }
ONEPASS_GPU_TEST(little_memory, many_int16_with_uint8) { check_patterns<std::int16_t, std::uint8_t>(backend); }
ONEPASS_GPU_TEST(little_memory, many_uint32_with_uint8) { check_patterns<std::uint32_t, std::uint8_t>(backend); }
ONEPASS_GPU_TEST(little_memory, scratch_of_many) {
  check_scratch<std::uint8_t, detail::none>(backend);
  check_scratch<std::uint16_t, detail::none>(backend);
  check_scratch<std::int16_t, std::uint8_t>(backend);
  check_scratch<std::uint32_t, std::uint8_t>(backend);
}
#endif
