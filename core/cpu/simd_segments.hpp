// SPDX-License-Identifier: Apache-2.0
// Scanning segments of a tile in vectors: the steps of core/cpu/simd_scan.hpp, where a lane takes nothing from before the
// last head. Heads are bytes, 64 at a time: 0, or anything else where a segment starts.
// Source: G. Blelloch, "Prefix Sums and Their Applications" (1990), section 1.5, for the operator on (flag, value) pairs.
#pragma once

#include "simd_scan.hpp"

namespace onepass::detail {

constexpr index_t head_group = 64;

#if ONEPASS_HAS_SIMD
template <index_t items = head_group>
ONEPASS_SIMD_STEP bool has_head(const unsigned char* heads) {
  std::uint64_t words[items / 8], any = 0;
  std::memcpy(words, heads, sizeof words);
  for (const std::uint64_t word : words) any |= word;
  return any != 0;
}

// A group's heads as bits.
ONEPASS_SIMD_STEP std::uint64_t word_of_heads(const unsigned char* heads) {
  std::uint64_t word = 0;
#if defined(__x86_64__)
  for (int i = 0; i < head_group; i += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(heads + i));
    const auto zeros = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, __m256i{})));
    word |= std::uint64_t{~zeros} << i;
  }
#else
  for (int i = 0; i < head_group; ++i) word |= std::uint64_t{heads[i] != 0} << i;
#endif
  return word;
}

// As scan_lanes, from the last head on. Afterwards `heads` says where one stands at or before the lane.
template <class Lanes, class Simd, int by = 1>
ONEPASS_SIMD_STEP void scan_lanes_of_segments(typename Simd::vector& v, typename Simd::mask& heads,
                                              const typename Simd::vector& fill) {
  using masks = simd<typename Simd::mask_lane>;
  const typename Simd::mask none = {};
  if constexpr (by < Simd::row) {
    v = Lanes::template combine_unless<Simd>(heads, Simd::template shifted_in_rows<by>(fill, v), v);
    heads |= masks::template shifted_in_rows<by>(none, heads);
    scan_lanes_of_segments<Lanes, Simd, 2 * by>(v, heads, fill);
  } else if constexpr (Simd::row < Simd::lanes) {
    v = Lanes::template combine_unless<Simd>(heads, Simd::last_of_first_row(fill, v), v);
    heads |= masks::last_of_first_row(none, heads);
  }
}

// `carry` as for scan_block; `initial`, in all lanes, stands in front of each segment of an exclusive scan.
template <class Lanes, bool inclusive, class Lane>
ONEPASS_SIMD_STEP void scan_block_of_segments(lane_block<Lane>& block, const unsigned char* flags,
                                              const typename simd<Lane>::vector& initial,
                                              typename simd<Lane>::vector& carry) {
  using vectors = simd<Lane>;
  using masks = simd<typename vectors::mask_lane>;
  for (auto& v : block.of) {
    const typename vectors::mask starts = vectors::mask_of(flags);
    flags += vectors::lanes;
    if constexpr (!inclusive) v = starts ? Lanes::combine(initial, v) : v;
    typename vectors::mask heads = starts;
    scan_lanes_of_segments<Lanes, vectors>(v, heads, Lanes::template fill<vectors>(v));
    const auto upto = Lanes::template combine_unless<vectors>(heads, carry, v);
    const auto last = vectors::template broadcast<vectors::lanes - 1>(v);
    const auto last_heads = masks::template broadcast<vectors::lanes - 1>(heads);
    if constexpr (inclusive) v = upto;
    else v = starts ? initial : vectors::template shifted<1>(carry, upto);
    carry = Lanes::template combine_unless<vectors>(last_heads, carry, last);
  }
}

template <class Lanes, bool inclusive, bool streams, class Lane>
ONEPASS_SIMD_STEP void scan_group(const Lane* in, Lane* out, const unsigned char* heads,
                                  const typename simd<Lane>::vector& initial, typename simd<Lane>::vector& carry,
                                  read_ahead& ahead) {
  lane_block<Lane> block;
  const bool is_plain = !has_head(heads);
  for (index_t i = 0; i < head_group; i += block.items) {
    ahead.step();
    block.load(in + i);
    if (is_plain || !has_head<block.items>(heads + i)) scan_block<Lanes, inclusive>(block, carry);
    else scan_block_of_segments<Lanes, inclusive>(block, heads + i, initial, carry);
    block.template store<streams>(out + i);
  }
}

// Scans n items, whose heads are those from item `first` on. The rest as in simd_scan.
//   Heads: group(i, room) gives the heads of 64 items from i on, in place or written to `room`; is_head(i); part(i, n, room)
//   writes those of n < 64 items, and no others behind them
template <class Lanes, bool inclusive, bool streams, class Lane, class Heads>
ONEPASS_SIMD_TARGET void simd_scan_segments(const Lane* in, Lane* out, index_t n, const Heads& heads, index_t first,
                                            Lane initial_lane, Lane before, read_ahead ahead) {
  const auto initial = simd<Lane>::all(initial_lane);
  auto carry = simd<Lane>::all(before);
  unsigned char room[head_group];
  index_t i = 0;
  for (; i + head_group <= n; i += head_group) {
    const unsigned char* const flags = heads.group(first + i, room);
    scan_group<Lanes, inclusive, streams>(in + i, out + i, flags, initial, carry, ahead);
  }
  if (i < n) {
    const index_t rest = n - i;
    Lane part[head_group];
    std::fill(part, part + head_group, before);
    std::memcpy(part, in + i, static_cast<std::size_t>(rest) * sizeof(Lane));
    heads.part(first + i, rest, room);
    scan_group<Lanes, inclusive, false>(part, part, room, initial, carry, ahead);
    std::memcpy(out + i, part, static_cast<std::size_t>(rest) * sizeof(Lane));
  }
  if (streams) stream_fence();
}

// The last head among n items from `first` on, or -1.
template <class Heads>
ONEPASS_SIMD_TARGET index_t last_head(const Heads& heads, index_t first, index_t n) {
  unsigned char room[head_group];
  index_t end = first + n;
  for (; end - head_group >= first; end -= head_group) {
    const unsigned char* const flags = heads.group(end - head_group, room);
    if (!has_head(flags)) continue;
    index_t k = head_group - 1;
    while (flags[k] == 0) --k;
    return end - head_group + k;
  }
  while (end > first && !heads.is_head(end - 1)) --end;
  return end > first ? end - 1 : -1;
}
#endif

}  // namespace onepass::detail
