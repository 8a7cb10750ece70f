// SPDX-License-Identifier: Apache-2.0
// Heads from segment offsets on the CPU. Nothing is made before the scan. A tile searches for its first offset once,
// and from there on reads the offsets in order, as it reads its items.
#pragma once

#include "../../../core/segments/cpu_segmented_simd.hpp"
#include "../../../core/segments/offset_index.hpp"

namespace onepass::detail {

// Heads (core/segments/segmented_source.hpp) from ascending offsets. Each thread has an object of its own.
template <class It>
struct cpu_heads_from_offsets {
  using iterator = It;
  It offsets;
  index_t count;
  mutable index_t next = 0;  // the offset that was found last, where the next search begins
  static constexpr bool stageable = false;

  bool is_head(index_t i) const {
    const index_t k = first_from(i);
    return i == 0 || (k < count && begin_of(k) == i);
  }
  index_t begin_of(index_t k) const { return offset_index(offsets[k]); }
  // Returns the number of the first offset that is i or more. Doubles its steps, then halves the interval.
  index_t first_from(index_t i) const {
    index_t low = next, step = 1;
    if (low > 0 && begin_of(low - 1) >= i) low = 0;
    while (low + step <= count && begin_of(low + step - 1) < i) low += step, step *= 2;
    index_t high = std::min(count, low + step - 1);  // that offset is i or more, or does not exist
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (begin_of(middle) < i) low = middle + 1;
      else high = middle;
    }
    return next = low;
  }
};

#if ONEPASS_HAS_SIMD
template <class It>
struct head_bytes<cpu_heads_from_offsets<It>> {
  cpu_heads_from_offsets<It> heads;
  bool is_head(index_t i) const { return heads.is_head(i); }
  ONEPASS_INLINED const unsigned char* group(index_t i, unsigned char* room) const {
    part(i, head_group, room);
    return room;
  }
  ONEPASS_INLINED void part(index_t i, index_t n, unsigned char* room) const {
    std::memset(room, 0, head_group);
    if constexpr (std::is_pointer_v<It>) mark(i, n, room);
    else call_apart([&](auto) { mark(i, n, room); });
  }

 private:
  ONEPASS_INLINED void mark(index_t i, index_t n, unsigned char* room) const {
    const It offsets = heads.offsets;
    const index_t count = heads.count;
    index_t k = heads.first_from(i);
    for (; k < count; ++k) {
      const index_t begin = offset_index(offsets[k]);
      if (begin >= i + n) break;
      if (begin >= i) room[begin - i] = 1;  // always, if offsets ascend
    }
    heads.next = k;
  }
};
// The last head among n items, or -1. Found by a search, without a look at every item.
template <class It>
index_t last_head(const head_bytes<cpu_heads_from_offsets<It>>& bytes, index_t first, index_t n) {
  return call_apart([&](auto) {
    const index_t k = bytes.heads.first_from(first + n) - 1;
    return k >= 0 && bytes.heads.begin_of(k) >= first ? bytes.heads.begin_of(k) : -1;
  });
}
#endif

}  // namespace onepass::detail
