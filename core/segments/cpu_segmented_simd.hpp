// SPDX-License-Identifier: Apache-2.0
// Segmented scans in vectors on the CPU: heads of any form become bytes, 64 at a time, for
// core/cpu/simd/simd_segments.hpp.
#pragma once

#include "../cpu/simd/simd_segments.hpp"
#include "../support/equal_to.hpp"
#include "../scan/scan_job.hpp"
#include "segmented_source.hpp"

namespace onepass::detail {

#if ONEPASS_HAS_SIMD
// ---- heads as bytes -------------------------------------------------------------------------------------------------
// group(i, room) gives the heads of the 64 items from i on, in `room` or where they lie already. part(i, n, room)
// stores the heads of n < 64 items from i on, and behind them no heads.
template <class Heads>
struct head_bytes {
  Heads heads;
  bool is_head(index_t i) const { return heads.is_head(i); }
  ONEPASS_INLINED void part(index_t i, index_t n, unsigned char* room) const {
    std::memset(room, 0, head_group);
    call_apart([&](auto) {
      for (index_t k = 0; k < n; ++k) room[k] = heads.is_head(i + k);
    });
  }
  ONEPASS_INLINED const unsigned char* group(index_t i, unsigned char* room) const {
    part(i, head_group, room);
    return room;
  }
};
// Flags of one byte are read where they lie. Item 0 is a head whatever its flag says, but that makes no difference to
// the vectors: nothing precedes it but an exclusive scan's initial value.
template <class Flag>
struct head_bytes<heads_from_flags<Flag*>> {
  heads_from_flags<Flag*> heads;
  bool is_head(index_t i) const { return heads.is_head(i); }
  ONEPASS_INLINED void part(index_t i, index_t n, unsigned char* room) const {
    std::memset(room, 0, head_group);
    convert(i, n, room);
  }
  ONEPASS_INLINED const unsigned char* group(index_t i, unsigned char* room) const {
    prefetch_ahead(heads.flags + i);
    if constexpr (std::is_integral_v<Flag> && sizeof(Flag) == 1) {
      return reinterpret_cast<const unsigned char*>(heads.flags + i);
    } else {
      convert(i, head_group, room);
      return room;
    }
  }

 private:
  // A class is converted by a function of the caller's.
  ONEPASS_INLINED void convert(index_t i, index_t n, unsigned char* room) const {
    if constexpr (std::is_class_v<Flag>) call_apart([&](auto) { convert_here(i, n, room); });
    else convert_here(i, n, room);
  }
  ONEPASS_INLINED void convert_here(index_t i, index_t n, unsigned char* room) const {
    for (index_t k = 0; k < n; ++k) room[k] = static_cast<bool>(heads.flags[i + k]);
  }
};
// Bits become bytes eight at a time: each byte of a word gets all eight bits, and keeps its own.
template <>
struct head_bytes<heads_from_flags<bit_iterator>> {
  heads_from_flags<bit_iterator> heads;
  bool is_head(index_t i) const { return heads.is_head(i); }
  ONEPASS_INLINED void part(index_t i, index_t n, unsigned char* room) const {
    std::memset(room, 0, head_group);
    for (index_t k = 0; k < n; ++k) room[k] = heads.is_head(i + k);
  }
  ONEPASS_INLINED const unsigned char* group(index_t i, unsigned char* room) const {
    const std::uint32_t* const words = heads.flags.functor().words;
    const index_t begin = *heads.flags.base() + i;
    const std::uint64_t own_bits =
        0x8040201008040201u;  // one bit for each byte, the lowest bit for the first byte in memory
    for (index_t k = 0; k < head_group; k += 32) {
      const std::uint32_t bits = bits_from(words, begin + k, 32);
      for (int b = 0; b < 32; b += 8) {
        const std::uint64_t bytes = (bits >> b & 0xffu) * 0x0101010101010101u & own_bits;
        std::memcpy(room + k + b, &bytes, sizeof bytes);
      }
    }
    return room;
  }
};
template <class Key, class Equal>
struct head_bytes<heads_from_keys<Key*, Equal>> {
  using key = std::remove_const_t<Key>;
  heads_from_keys<Key*, Equal> heads;
  bool is_head(index_t i) const { return heads.is_head(i); }
  ONEPASS_INLINED const unsigned char* group(index_t i, unsigned char* room) const {
    const Key* const keys = heads.keys + i;
    for (index_t k = 0; k < head_group; k += std::max<index_t>(1, cache_line / sizeof(key)))
      detail::prefetch_ahead(keys + k);
    if (i == heads.origin) part(i, head_group, room);
    else if constexpr (compares_numbers<Equal, key>) flag_changes<head_group>(keys, heads.equal, room);
    else call_apart([&](auto) { flag_changes<head_group>(keys, heads.equal, room); });
    return room;
  }
  ONEPASS_INLINED void part(index_t i, index_t n, unsigned char* room) const {
    if constexpr (compares_numbers<Equal, key>) flag_part(i, n, room);
    else call_apart([&](auto) { flag_part(i, n, room); });
  }

 private:
  ONEPASS_INLINED void flag_part(index_t i, index_t n, unsigned char* room) const {
    if constexpr (std::is_arithmetic_v<key>) {  // a copy: the key before, the keys, and up to 64 of them the last one
      const bool is_first = i == heads.origin;
      key copy[head_group + 1];
      std::fill(copy + 1, copy + head_group + 1, heads.keys[i + n - 1]);
      copy[0] = heads.keys[is_first ? i : i - 1];
      if (n == head_group) {  // 16 bytes at a time: one large copy becomes an instruction that is slow to begin
        constexpr index_t step = 16 / sizeof(key);
        for (index_t k = 0; k < head_group; k += step) std::memcpy(copy + 1 + k, heads.keys + i + k, 16);
      } else {
        std::memcpy(copy + 1, heads.keys + i, static_cast<std::size_t>(n) * sizeof(key));
      }
      flag_changes<head_group>(copy + 1, heads.equal, room);
      if (is_first) room[0] = 1;
      for (index_t k = n; k < head_group; ++k) room[k] = 0;
    } else {
      std::memset(room, 0, head_group);
      for (index_t k = 0; k < n; ++k) room[k] = heads.is_head(i + k);
    }
  }
};
#endif

}  // namespace onepass::detail

#if ONEPASS_HAS_SIMD
#if defined(__x86_64__)
#include "../cpu/simd/level_avx512.inc"
#include "cpu_segmented_simd.inc"
#include "../cpu/simd/level_end.inc"
#endif
#include "../cpu/simd/level_avx2.inc"
#include "cpu_segmented_simd.inc"
#include "../cpu/simd/level_end.inc"
#endif
