// SPDX-License-Identifier: Apache-2.0
// Reads and writes a thread's V consecutive items (a row) by as few accesses as the memory allows: 16 bytes at a time
// through pointers that are aligned to 16 bytes; items of 1 and 2 bytes by words of 4 bytes at any address; otherwise
// item by item, each by one access where the address allows it.
#pragma once

#include "../../support/bits.hpp"

namespace onepass::detail {

// How many items of T one 16-byte access moves; 1 if 16 is no multiple of T's size.
template <class T>
constexpr int items_per_vector = (sizeof(T) <= 16 && 16 % sizeof(T) == 0) ? static_cast<int>(16 / sizeof(T)) : 1;

template <class T, int V>
constexpr bool is_vectorizable = std::is_trivially_copyable_v<T>&& V % items_per_vector<T> == 0 &&
                                 items_per_vector<T> * sizeof(T) == 16;

// Whether items are moved by words of 4 bytes at any address that they may have. Items of 2 bytes that need no alignment,
// such as a struct of two chars, may lie across the border of two words, and are moved one by one.
template <class T>
constexpr bool moves_by_words = std::is_trivially_copyable_v<T> && sizeof(T) <= 2 && alignof(T) == sizeof(T);

__device__ inline bool is_aligned_to_vector(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// Rows of 2, 4 or 8 bytes, which one access moves where they are aligned. Scans whose results are wider than their items
// read such rows.
template <class T, int V>
constexpr bool is_word_row = std::is_trivially_copyable_v<T>&& V > 1 &&
                             (V * sizeof(T) == 2 || V * sizeof(T) == 4 || V * sizeof(T) == 8);
template <int bytes>
using word_of =
    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>;

// ---- rows item by item ----------------------------------------------------------------------------------------------
// One access moves an item that is aligned to its size, though its type is not: a struct of two floats.
template <class T>
constexpr bool may_be_one_word = std::is_trivially_copyable_v<T> && alignof(T) < sizeof(T) &&
                                 (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <class T, int V>
__device__ void load_by_items(const T* from, T (&items)[V]) {
  if constexpr (may_be_one_word<T>) {
    using word = word_of<static_cast<int>(sizeof(T))>;
    if (reinterpret_cast<std::uintptr_t>(from) % sizeof(T) == 0) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const word bits = reinterpret_cast<const word*>(from)[j];
        memcpy(static_cast<void*>(items + j), &bits, sizeof bits);
      }
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < V; ++j) items[j] = from[j];
}
template <class T, int V>
__device__ void store_by_items(T* to, const T (&items)[V]) {
  if constexpr (may_be_one_word<T>) {
    using word = word_of<static_cast<int>(sizeof(T))>;
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(T) == 0) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        word bits;
        memcpy(&bits, static_cast<const void*>(items + j), sizeof bits);
        reinterpret_cast<word*>(to)[j] = bits;
      }
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < V; ++j) to[j] = items[j];
}

// ---- rows of small items at any address -----------------------------------------------------------------------------
// They are moved 4 bytes at a time. Only the words that a row shares with its neighbours are moved item by item.
template <class T>
__device__ unsigned bits_of(const T& item) {
  unsigned bits = 0;
  memcpy(&bits, static_cast<const void*>(object_address(item)), sizeof item);
  return bits;
}

// Item j of a word.
template <class T>
__device__ T item_of_word(unsigned word, int j) {
  const unsigned bits = word >> (8 * static_cast<int>(sizeof(T)) * j);
  T item;
  memcpy(static_cast<void*>(object_address(item)), &bits, sizeof item);
  return item;
}

template <class T, int V>
__device__ void load_by_words(const T* from, T (&items)[V]) {
  constexpr int words = V * static_cast<int>(sizeof(T)) / 4, per_word = 4 / static_cast<int>(sizeof(T));
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const int inside =
      static_cast<int>(address % 4 / sizeof(T));  // how many items of the first word stand before the row
  const auto* word = reinterpret_cast<const unsigned*>(address - address % 4);
  unsigned row[words], last = 0, end = 0;
  if (inside == 0) {
    last = word[0];
  } else {
#pragma unroll
    for (int j = 0; j < per_word; ++j) {
      if (j >= inside) last |= detail::bits_of(from[j - inside]) << (8 * sizeof(T) * j);
      else end |= detail::bits_of(from[V - inside + j]) << (8 * sizeof(T) * j);
    }
  }
#pragma unroll
  for (int w = 0; w < words; ++w) {
    const unsigned next = w + 1 < words ? word[w + 1] : end;
    row[w] = __funnelshift_r(last, next, static_cast<unsigned>(8 * sizeof(T)) * static_cast<unsigned>(inside));
    last = next;
  }
  memcpy(static_cast<void*>(items), row, sizeof items);
}

template <class T, int V>
__device__ void store_by_words(T* to, const T (&items)[V]) {
  constexpr int words = V * static_cast<int>(sizeof(T)) / 4, per_word = 4 / static_cast<int>(sizeof(T));
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  const int inside = static_cast<int>(address % 4 / sizeof(T));
  auto* word = reinterpret_cast<unsigned*>(address - address % 4);
  unsigned row[words];
  memcpy(row, static_cast<const void*>(items), sizeof items);
  if (inside == 0) {
    word[0] = row[0];
  } else {
#pragma unroll
    for (int j = 0; j < per_word; ++j) {
      if (j >= inside) to[j - inside] = item_of_word<T>(row[0], j - inside);
      else to[V - inside + j] = item_of_word<T>(row[words - 1], per_word - inside + j);
    }
  }
  const auto shift = static_cast<unsigned>(8 * sizeof(T)) * static_cast<unsigned>(per_word - inside);
#pragma unroll
  for (int w = 1; w < words; ++w) word[w] = inside == 0 ? row[w] : __funnelshift_r(row[w - 1], row[w], shift);
}

// The bases of iterators that load a row by a function of their own, row(i, items), or store one by store_row(i, items).
// load_row and store_row have no overloads for them: calls have to be qualified, so that they do not find a function of this
// name in the namespace of the items' type, and such calls do not see overloads that are declared later.
struct loads_rows {};
struct stores_rows {};

// Loads a row of bits from one word or two.
template <int V>
__device__ void load_bits(const bit_iterator& it, index_t i, bool (&items)[V]) {
  static_assert(V <= 32);
  const std::uint32_t row = bits_from(it.functor().words, static_cast<index_t>(*it.base()) + i, V);
#pragma unroll
  for (int j = 0; j < V; ++j) items[j] = row >> j & 1;
}

// Loads a row. All threads of a launch take the same branch, as rows start at multiples of V items.
template <class It, class T, int V>
__device__ void load_row(const It& it, index_t i, T (&items)[V]) {
  if constexpr (std::is_base_of_v<loads_rows, It>) {
    it.row(i, items);
  } else if constexpr (std::is_same_v<It, bit_iterator>) {
    detail::load_bits(it, i, items);
  } else if constexpr (std::is_pointer_v<It> && is_vectorizable<T, V>) {
    constexpr int per = items_per_vector<T>;
    if (detail::is_aligned_to_vector(it + i)) {
#pragma unroll
      for (int j = 0; j < V; j += per) {
        const uint4 bits = *reinterpret_cast<const uint4*>(it + i + j);
        memcpy(static_cast<void*>(items + j), &bits, 16);
      }
    } else if constexpr (moves_by_words<T>) {
      detail::load_by_words(it + i, items);
    } else {
      detail::load_by_items(it + i, items);
    }
  } else {
    if constexpr (std::is_pointer_v<It> && is_word_row<T, V>) {
      using word = word_of<V* static_cast<int>(sizeof(T))>;
      if (reinterpret_cast<std::uintptr_t>(it + i) % sizeof(word) == 0) {
        const word bits = *reinterpret_cast<const word*>(it + i);
        memcpy(static_cast<void*>(items), &bits, sizeof items);
        return;
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) items[j] = it[i + j];
  }
}

template <class It, class T, int V>
__device__ void store_row(const It& it, index_t i, const T (&items)[V]) {
  using out = std::remove_pointer_t<It>;
  if constexpr (std::is_base_of_v<stores_rows, It>) {
    it.store_row(i, items);
  } else if constexpr (std::is_pointer_v<It> && is_vectorizable<out, V> && std::is_convertible_v<T, out>) {
    constexpr int per = items_per_vector<out>;
    out row[V];
#pragma unroll
    for (int j = 0; j < V; ++j) row[j] = static_cast<out>(items[j]);
    if (detail::is_aligned_to_vector(it + i)) {
#pragma unroll
      for (int j = 0; j < V; j += per) {
        uint4 bits;
        memcpy(&bits, static_cast<const void*>(row + j), 16);
        *reinterpret_cast<uint4*>(it + i + j) = bits;
      }
    } else if constexpr (moves_by_words<out>) {
      detail::store_by_words(it + i, row);
    } else {
      detail::store_by_items(it + i, row);
    }
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) it[i + j] = items[j];
  }
}

}  // namespace onepass::detail
