// SPDX-License-Identifier: Apache-2.0
// Tiles in shared memory. A source whose items stand in plain arrays (its streams) can be staged: one bulk copy fetches
// each stream's part of a tile, its window, and then the source is made again with pointers to the copies.
//
// A bulk copy takes multiples of 16 bytes. So a stream's window is rounded outward, as far as the array goes, and keeps
// its address modulo 16. The loading warp fetches the few bytes at the ends of an array that no such copy covers.
#pragma once

#include <cstddef>

#include "../../support/bits.hpp"
#include "ring.cuh"
#include "../io/vector_access.cuh"

namespace onepass::detail {

// The shape of one of a source's streams. A `produced` stream stands in no array: warps of the block fill its windows
// (core/scan/source.hpp).
struct stream_shape {
  int item_bits;
  int items_before;  // how many items before a tile's first the tile reads, too
  bool produced = false;
};
using bit_address = std::uint64_t;  // eight times an address, plus the index of a bit in its byte
// Where an item stands in a staged window.
struct staged_address {
  unsigned char* byte;
  unsigned bit;
};

constexpr std::size_t vector_bytes = 16;
// The size of a window for `items` items of a stream, at any address: 16 bytes for rounding at either end, and 4 for
// the word behind the last that bits are read with.
constexpr ONEPASS_HOST_DEVICE std::size_t window_bytes(stream_shape s, int items) {
  const auto bits = static_cast<std::size_t>(s.item_bits) * static_cast<std::size_t>(items + s.items_before);
  return round_up(bits / 8 + 2 * vector_bytes + 4, std::size_t{128});
}

// The bytes of a stream that a tile reads, as addresses.
struct stream_window {
  std::uintptr_t array_begin, array_end, begin, end;
  bit_address first_item;

  __device__ stream_window(bit_address array, index_t n, stream_shape s, index_t first, index_t count) {
    const auto bit_of = [&](index_t i) { return array + static_cast<bit_address>(i) * s.item_bits; };
    const auto byte_behind = [](bit_address bit) { return static_cast<std::uintptr_t>((bit + 7) / 8); };
    array_begin = static_cast<std::uintptr_t>(array / 8);
    array_end = byte_behind(bit_of(n));
    first_item = bit_of(first);
    begin = static_cast<std::uintptr_t>(bit_of(first < s.items_before ? 0 : first - s.items_before) / 8);
    end = byte_behind(bit_of(first + count));
  }

  // The offset of an address in the staged window.
  __device__ std::uintptr_t offset_of(std::uintptr_t address) const { return address - down(begin); }
  // The address of the tile's first item, in a window that is staged at `stage`.
  __device__ staged_address address_of_first(unsigned char* stage) const {
    return {stage + offset_of(static_cast<std::uintptr_t>(first_item / 8)), static_cast<unsigned>(first_item % 8)};
  }

  // The index of that item's first bit in the window.
  __device__ int bit_of_first() const {
    return static_cast<int>(offset_of(static_cast<std::uintptr_t>(first_item / 8)) * 8 + first_item % 8);
  }

  // The part that a bulk copy can fetch.
  __device__ std::uintptr_t bulk_begin() const { return down(begin) >= array_begin ? down(begin) : up(begin); }
  __device__ std::uintptr_t bulk_end() const { return up(end) <= array_end ? up(end) : down(end); }
  __device__ unsigned bulk_bytes() const {
    return bulk_begin() < bulk_end() ? static_cast<unsigned>(bulk_end() - bulk_begin()) : 0;
  }

  // Starts the bulk copy. One lane calls this, after the barrier expects the bytes.
  __device__ void copy_bulk(unsigned char* stage, phase_barrier& landed, cache_hint hint) const {
    if (bulk_bytes() > 0) {
      landed.copy(stage + offset_of(bulk_begin()), reinterpret_cast<const void*>(bulk_begin()), bulk_bytes(), hint);
    }
  }
  // Resets the hint of all lines: from now on L2 evicts them like any other. All lanes call this.
  __device__ void reset_lines() const {
    for (std::uintptr_t a = bulk_begin() + lane_id() * l2_line; a < bulk_end(); a += warp_size * l2_line)
      reset_to_evict_normal(reinterpret_cast<const void*>(a / l2_line * l2_line));
  }
  // Copies what is left at the ends of the array, up to 15 bytes at each. All lanes call this.
  __device__ void copy_edges(unsigned char* stage) const {
    const std::uintptr_t head_end = bulk_bytes() > 0 ? bulk_begin() : end;
    const std::uintptr_t tail_begin = bulk_bytes() > 0 ? bulk_end() : end;
    for (std::uintptr_t a = begin + lane_id(); a < head_end; a += warp_size) copy_byte(stage, a);
    for (std::uintptr_t a = tail_begin + lane_id(); a < end; a += warp_size) copy_byte(stage, a);
    if (begin < head_end || tail_begin < end) fence_before_copies();  // a later tile's copy writes over these bytes
  }

 private:
  static __device__ std::uintptr_t down(std::uintptr_t a) { return a / vector_bytes * vector_bytes; }
  static __device__ std::uintptr_t up(std::uintptr_t a) { return down(a + vector_bytes - 1); }
  __device__ void copy_byte(unsigned char* stage, std::uintptr_t a) const {
    stage[offset_of(a)] = *reinterpret_cast<const unsigned char*>(a);
  }
};

// ---- reading what is staged -----------------------------------------------------------------------------------------

// A pointer into a staged window. If `aligned`, rows of V items start at multiples of their size, or of 16 bytes.
template <class T, bool aligned>
struct staged_pointer : loads_rows {
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = const T&;
  using iterator_category = std::random_access_iterator_tag;

  const T* items;
  __device__ explicit staged_pointer(staged_address at) : items(reinterpret_cast<const T*>(at.byte)) {}
  __device__ const T& operator[](index_t i) const { return items[i]; }
  template <int V>
  __device__ void row(index_t i, T (&v)[V]) const {
    constexpr std::size_t bytes = sizeof(T) * V;
    using word = std::conditional_t<
        bytes % 16 == 0, uint4,
        std::conditional_t<bytes % 8 == 0, uint2, std::conditional_t<bytes % 4 == 0, unsigned, unsigned short>>>;
    if constexpr (aligned && bytes % sizeof(word) == 0 && std::is_trivially_copyable_v<T>) {
      word words[bytes / sizeof(word)];
#pragma unroll
      for (std::size_t w = 0; w < bytes / sizeof(word); ++w) words[w] = reinterpret_cast<const word*>(items + i)[w];
      memcpy(static_cast<void*>(v), words, bytes);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) v[j] = items[i + j];
    }
  }
};

// Bits in a staged window.
class staged_bits : public loads_rows {
 public:
  using value_type = bool;
  using difference_type = std::ptrdiff_t;
  using pointer = const bool*;
  using reference = bool;
  using iterator_category = std::random_access_iterator_tag;

  __device__ explicit staged_bits(staged_address at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at.byte);
    words_ = reinterpret_cast<const std::uint32_t*>(at.byte - address % 4);
    start_ = static_cast<unsigned>(address % 4 * 8) + at.bit;
  }
  __device__ bool operator[](index_t i) const { return row(i) & 1; }
  // The 32 bits from item i on. A window has room for a word behind its last one.
  __device__ unsigned row(index_t i) const {
    const unsigned bit = start_ + static_cast<unsigned>(i), word = bit / 32;
    return __funnelshift_r(words_[word], words_[word + 1], bit % 32);
  }
  template <int V>
  __device__ void row(index_t i, bool (&items)[V]) const {
    const unsigned bits = row(i);
#pragma unroll
    for (int j = 0; j < V; ++j) items[j] = bits >> j & 1;
  }

 private:
  const std::uint32_t* words_;
  unsigned start_;  // the index of the first item's bit in words_
};

// How an iterator is staged: the size of its items, where they begin, and the iterator over the copies.
template <class It>
struct stream_of;
template <class T>
struct stream_of<T*> {
  static constexpr int item_bits = 8 * sizeof(T);
  static ONEPASS_HOST_DEVICE bit_address begin(T* it) { return bit_address{reinterpret_cast<std::uintptr_t>(it)} * 8; }
  template <bool aligned>
  using staged = staged_pointer<std::remove_const_t<T>, aligned>;
};
template <>
struct stream_of<bit_iterator> {
  static constexpr int item_bits = 1;
  static ONEPASS_HOST_DEVICE bit_address begin(const bit_iterator& it) {
    return bit_address{reinterpret_cast<std::uintptr_t>(it.functor().words)} * 8 + static_cast<bit_address>(*it.base());
  }
  template <bool aligned>
  using staged = staged_bits;
};

// Writes a row's results into a window.
template <int V, bool aligned, class T>
__device__ void put_row(T* to, const T (&items)[V]) {
  if constexpr (aligned && V * sizeof(T) == vector_bytes) {
    uint4 bits;
    memcpy(&bits, static_cast<const void*>(items), vector_bytes);
    *reinterpret_cast<uint4*>(to) = bits;
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) to[j] = items[j];
  }
}

}  // namespace onepass::detail
