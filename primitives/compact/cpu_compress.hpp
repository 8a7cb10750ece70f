// SPDX-License-Identifier: Apache-2.0
// Kept items side by side, a vector at a time: the bits that say which are kept choose a permutation from a table, the
// permuted vector is stored whole, and the next one overwrites what was not kept. For items of 1, 2, 4 and 8 bytes.
//
// Source: D. Lemire and L. Boytsov, "Decoding billions of integers per second through vectorization" (2015), section 4,
// for permutations from a table of masks.
#pragma once

#include <array>

#include "../../core/cpu/simd_segments.hpp"

namespace onepass::detail {

// Flags are asked for in blocks of as many items, and become the bits of one word.
constexpr int compress_block = 64;

#if ONEPASS_HAS_SIMD && defined(__x86_64__)
constexpr bool has_compress = true;

// For each mask of up to eight items the eight lanes to take: those of kept items first, in order. An item of 8 bytes is two
// lanes, any other is one.
template <int item_lanes>
struct compress_table {
  static constexpr int items = 8 / item_lanes, masks = 1 << items;
  std::array<std::array<unsigned char, 8>, masks> lanes = {};
  constexpr compress_table() {
    for (int mask = 0; mask < masks; ++mask) {
      int to = 0;
      for (int i = 0; i < items; ++i) {
        for (int k = 0; k < item_lanes && (mask >> i & 1) != 0; ++k) {
          lanes[static_cast<std::size_t>(mask)][static_cast<std::size_t>(to++)] =
              static_cast<unsigned char>(i * item_lanes + k);
        }
      }
    }
  }
};
template <int item_lanes>
inline constexpr compress_table<item_lanes> compress_lanes;

// A vector's items in the order of `lanes`, a byte each.
template <class Item>
ONEPASS_SIMD_STEP void store_permuted(const Item* items, __m128i lanes, Item* out) {
  const auto* const from = reinterpret_cast<const __m128i*>(items);
  auto* const to = reinterpret_cast<__m128i*>(out);
  if constexpr (sizeof(Item) == 1) {
    _mm_storel_epi64(to, _mm_shuffle_epi8(_mm_loadl_epi64(from), lanes));
  } else if constexpr (sizeof(Item) == 2) {
    const __m128i low = _mm_add_epi8(lanes, lanes), high = _mm_add_epi8(low, _mm_set1_epi8(1));  // bytes of the lanes
    _mm_storeu_si128(to, _mm_shuffle_epi8(_mm_loadu_si128(from), _mm_unpacklo_epi8(low, high)));
  } else {
    const __m256i wide = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(items));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(wide, _mm256_cvtepu8_epi32(lanes)));
  }
}

// Appends the items of a block whose bit is set to `out`, and returns how many they are. Writes whole vectors, but never
// past as many items from `out` as the block has.
template <class Item>
ONEPASS_SIMD_STEP index_t compress(const Item* block, std::uint64_t kept, Item* out) {
  constexpr int item_lanes = sizeof(Item) == 8 ? 2 : 1;
  using table = compress_table<item_lanes>;
  const Item* const start = out;
  for (int i = 0; i < compress_block; i += table::items) {
    const auto mask = static_cast<unsigned>(kept >> i) & (table::masks - 1u);
    const auto* lanes = compress_lanes<item_lanes>.lanes[mask].data();
    store_permuted(block + i, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes)), out);
    out += __builtin_popcount(mask);
  }
  return out - start;
}
#else
constexpr bool has_compress = false;
#endif

template <class Item>
constexpr bool is_compressible =
    has_compress&& std::is_trivially_copyable_v<Item>&& std::is_trivially_destructible_v<Item> && sizeof(Item) <= 8 &&
    (sizeof(Item) & (sizeof(Item) - 1)) == 0;

}  // namespace onepass::detail
