// SPDX-License-Identifier: Apache-2.0
// A thread's V consecutive items, read and written by as few accesses as the memory allows: 16 bytes at a time through
// pointers that are aligned to it, item by item otherwise.
#pragma once

#include "../bits.hpp"

namespace onepass::detail {

// How many items of T one 16-byte access takes; 1 where T does not fit it evenly.
template <class T>
constexpr int items_per_vector = (sizeof(T) <= 16 && 16 % sizeof(T) == 0) ? static_cast<int>(16 / sizeof(T)) : 1;

template <class T, int V>
constexpr bool is_vectorizable = std::is_trivially_copyable_v<T>&& V % items_per_vector<T> == 0 &&
                                 items_per_vector<T> * sizeof(T) == 16;

__device__ inline bool is_aligned_to_vector(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// The branch is the same for all threads of a launch, as rows start at multiples of V items.
template <class It, class T, int V>
__device__ void load_row(const It& it, index_t i, T (&items)[V]) {
  if constexpr (std::is_pointer_v<It> && is_vectorizable<T, V>) {
    if (is_aligned_to_vector(it + i)) {
      constexpr int per = items_per_vector<T>;
#pragma unroll
      for (int j = 0; j < V; j += per) {
        const uint4 bits = *reinterpret_cast<const uint4*>(it + i + j);
        memcpy(static_cast<void*>(items + j), &bits, 16);
      }
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < V; ++j) items[j] = it[i + j];
}

// A row of bits comes from a word or two.
template <int V>
__device__ void load_row(const bit_iterator& it, index_t i, bool (&items)[V]) {
  static_assert(V <= 32);
  const std::uint32_t row = bits_from(it.functor().words, static_cast<index_t>(*it.base()) + i, V);
#pragma unroll
  for (int j = 0; j < V; ++j) items[j] = row >> j & 1;
}

template <class It, class T, int V>
__device__ void store_row(const It& it, index_t i, const T (&items)[V]) {
  if constexpr (std::is_pointer_v<It>) {
    using out = std::remove_pointer_t<It>;
    if constexpr (is_vectorizable<out, V> && std::is_convertible_v<T, out>) {
      if (is_aligned_to_vector(it + i)) {
        constexpr int per = items_per_vector<out>;
#pragma unroll
        for (int j = 0; j < V; j += per) {
          out part[per];
#pragma unroll
          for (int k = 0; k < per; ++k) part[k] = static_cast<out>(items[j + k]);
          uint4 bits;
          memcpy(&bits, static_cast<const void*>(part), 16);
          *reinterpret_cast<uint4*>(it + i + j) = bits;
        }
        return;
      }
    }
  }
#pragma unroll
  for (int j = 0; j < V; ++j) it[i + j] = items[j];
}

}  // namespace onepass::detail
