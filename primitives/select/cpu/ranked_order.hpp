// SPDX-License-Identifier: Apache-2.0
// Ranked keys in one core's cache, put into the order of a selection by one thread: in vectors where they have 8 bytes, and
// otherwise by the standard library.
#pragma once

#include <algorithm>
#include <functional>

#include "../../../core/cpu/simd/vector_sort.hpp"

namespace onepass::detail {

template <class Ranked>
constexpr bool has_ranked_vectors = sorts_in_vectors && sizeof(Ranked) == 8;

template <class Ranked>
bool in_ranked_vectors() {
  return has_ranked_vectors<Ranked> && simd_in_use() != simd_level::none;
}

// Puts the k first of n ranked keys in front, the k-th of them last; k is 1 to n. `scratch`: room for n, where there are
// vectors for such keys.
template <class Ranked>
void select_ranked(Ranked* keys, Ranked* scratch, index_t n, index_t k) {
#if ONEPASS_HAS_SIMD
  if constexpr (has_ranked_vectors<Ranked>) {
    if (in_ranked_vectors<Ranked>()) {
      constexpr auto inverted = std::numeric_limits<std::int64_t>::max();  // signed and descending
      return at_simd_level(selecting_in_vectors<std::int64_t>{
          reinterpret_cast<std::int64_t*>(keys), reinterpret_cast<std::int64_t*>(scratch), n, k, inverted});
    }
  }
#endif
  std::nth_element(keys, keys + (k - 1), keys + n, std::greater<>());
}

// Sorts n ranked keys, the first in the order of the selection first.
template <class Ranked>
void sort_ranked(Ranked* keys, Ranked* scratch, index_t n) {
#if ONEPASS_HAS_SIMD
  if constexpr (has_ranked_vectors<Ranked>) {
    if (in_ranked_vectors<Ranked>()) {
      constexpr auto inverted = std::numeric_limits<std::int64_t>::max();
      at_simd_level(sorting_in_vectors<std::int64_t>{
          reinterpret_cast<std::int64_t*>(keys), reinterpret_cast<std::int64_t*>(scratch), n, true, {false, inverted}});
      return;
    }
  }
#endif
  std::sort(keys, keys + n, std::greater<>());
}

}  // namespace onepass::detail
