// SPDX-License-Identifier: Apache-2.0
// Heads of equal rows: an item's index says whether it is one. Nothing is read, searched for, or made before.
#pragma once

#include <algorithm>

#include "../support/divisor.hpp"
#include "cpu_segmented_simd.hpp"
#include "segment_bounds.hpp"
#include "segmented_source.hpp"

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
// The heads of an item's row as bits, 32 items at a time: word() gives those of the next 32.
class row_head_words {
 public:
  // `next`: how many items stand before the next head.
  __device__ row_head_words(index_t length, index_t next)
      : length_(static_cast<int>(min(length, index_t{most}))), next_(static_cast<int>(min(next, index_t{most}))) {
    // The heads of a word that begins with one: a bit in each `length` of them.
    for (int i = 0; i < warp_size; i += length_) pattern_ |= 1u << i;
    step_ = length_ < warp_size ? length_ - warp_size % length_ : length_ - warp_size;
  }
  __device__ unsigned word() {
    const bool has_head = next_ < warp_size;
    const unsigned word = has_head ? pattern_ << (next_ % warp_size) : 0;
    next_ += has_head ? step_ : -warp_size;
    if (next_ >= length_) next_ -= length_;
    return word;
  }

 private:
  static constexpr int most = 1 << 30;  // a strip has fewer items, so longer rows have at most one head in it
  int length_, next_, step_;
  unsigned pattern_ = 0;
};
#endif

// Heads (segmented_source.hpp) of rows of `length` items.
struct heads_from_rows {
  using iterator = bit_iterator;  // of nothing: no item stands for a head
  divisor length;
  index_t first = 0;  // the index in the input of what is item 0 here
  static constexpr bool stageable = true;

  ONEPASS_HOST_DEVICE bool is_head(index_t i) const { return length.rest(first + i) == 0; }
  // How many items from item i on stand before the next head.
  ONEPASS_HOST_DEVICE index_t before_head(index_t i) const {
    const index_t rest = length.rest(first + i);
    return rest == 0 ? 0 : length.value() - rest;
  }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, bool (&heads)[V]) const {
    const int step = static_cast<int>(min(length.value(), index_t{V}));
    int next = static_cast<int>(min(before_head(i), index_t{V}));
#pragma unroll
    for (int j = 0; j < V; ++j) {
      heads[j] = j == next;
      if (heads[j]) next += step;
    }
  }
  template <int items>
  __device__ bit_reader<items> reader(index_t begin) const {
    row_head_words words(length.value(), before_head(begin));
    return bit_reader<items>([&](int) { return words.word(); });
  }

  static constexpr int streams = 0;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {0, 0}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return 0; }
  template <bool>
  __device__ heads_from_rows staged(const staged_address*, index_t tile_first) const {
    return {length, tile_first};
  }
#endif
};

// The heads of n items in rows. A row that is longer than all items is as long as these.
inline heads_from_rows heads_of_rows(const row_segments& rows, index_t n) {
  return {divisor(std::max(index_t{1}, std::min(rows.length, n)))};
}

#if ONEPASS_HAS_SIMD
template <>
struct head_bytes<heads_from_rows> {
  heads_from_rows heads;
  bool is_head(index_t i) const { return heads.is_head(i); }
  ONEPASS_INLINED const unsigned char* group(index_t i, unsigned char* room) const {
    part(i, head_group, room);
    return room;
  }
  ONEPASS_INLINED void part(index_t i, index_t n, unsigned char* room) const {
    std::memset(room, 0, head_group);
    for (index_t k = heads.before_head(i); k < n; k += heads.length.value()) room[k] = 1;
  }
};
// The last head among n items, or -1.
inline index_t last_head(const head_bytes<heads_from_rows>& bytes, index_t first, index_t n) {
  const index_t last = first + n - 1, head = last - bytes.heads.length.rest(last);
  return head >= first ? head : -1;
}
#endif

}  // namespace onepass::detail
