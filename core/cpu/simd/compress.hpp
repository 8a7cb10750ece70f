// SPDX-License-Identifier: Apache-2.0
// Puts kept items side by side, a vector at a time (compress.inc). The bits that say which items are kept choose a
// permutation from a table. The permuted vector is stored whole, and the next store overwrites its rejected items.
// AVX-512 has an instruction for this. Items have 1, 2, 4 or 8 bytes.
//
// Source: D. Lemire and L. Boytsov, "Decoding billions of integers per second through vectorization" (2015), section 4,
// for permutations that a mask chooses from a table.
#pragma once

#include <array>

#include "simd.hpp"

namespace onepass::detail {

// The flags of so many items become the bits of one word.
constexpr int compress_block = 64;

#if ONEPASS_HAS_SIMD && (defined(__x86_64__) || defined(__aarch64__))
constexpr bool has_compress = true;

constexpr int bits_set(int mask) { return __builtin_popcount(static_cast<unsigned>(mask)); }

// For each mask of up to eight items, the eight lanes to take: those of kept items first, in order, then the others. An
// item of 8 bytes has two lanes, any other item has one.
template <int item_lanes>
struct compress_table {
  static constexpr int items = 8 / item_lanes, masks = 1 << items;
  std::array<std::array<unsigned char, 8>, std::size_t{masks}> lanes = {};
  constexpr compress_table() {
    for (int mask = 0; mask < masks; ++mask) {
      int kept = 0, other = item_lanes * bits_set(mask);
      for (int i = 0; i < items; ++i) {
        int& to = (mask >> i & 1) != 0 ? kept : other;
        for (int k = 0; k < item_lanes; ++k) {
          lanes[static_cast<std::size_t>(mask)][static_cast<std::size_t>(to++)] =
              static_cast<unsigned char>(i * item_lanes + k);
        }
      }
    }
  }
};
template <int item_lanes>
inline constexpr compress_table<item_lanes> compress_lanes;

// The same in bytes, for NEON's vectors of 16 bytes: for each mask of up to eight items, where the bytes of the kept items
// are, and then those of the others.
template <int item_bytes>
struct compress_byte_table {
  static constexpr int items = item_bytes == 1 ? 8 : 16 / item_bytes, masks = 1 << items;
  struct alignas(16) row {
    unsigned char from[16];
  };
  std::array<row, std::size_t{masks}> bytes = {};
  constexpr compress_byte_table() {
    for (int mask = 0; mask < masks; ++mask) {
      int kept = 0, other = item_bytes * bits_set(mask);
      for (int i = 0; i < items * item_bytes; ++i) {
        int& to = (mask >> i / item_bytes & 1) != 0 ? kept : other;
        bytes[static_cast<std::size_t>(mask)].from[to++] = static_cast<unsigned char>(i);
      }
    }
  }
};
template <int item_bytes>
inline constexpr compress_byte_table<item_bytes> compress_bytes;
#else
constexpr bool has_compress = false;
#endif

template <class Item>
constexpr bool is_compressible =
    has_compress&& std::is_trivially_copyable_v<Item>&& std::is_trivially_default_constructible_v<Item>&&
        std::is_copy_assignable_v<Item> &&
    sizeof(Item) <= 8 && (sizeof(Item) & (sizeof(Item) - 1)) == 0;

}  // namespace onepass::detail

#if ONEPASS_HAS_SIMD && (defined(__x86_64__) || defined(__aarch64__))
#if defined(__x86_64__)
#include "level_avx512.inc"
#include "compress.inc"
#include "level_end.inc"
#endif
#include "level_avx2.inc"
#include "compress.inc"
#include "level_end.inc"
#endif
