// SPDX-License-Identifier: Apache-2.0
// Reads a row's items as ranked keys. What is in front of a window of ranked keys is passed over, and what is behind it is only
// counted, many items at a time: their keys are compared as they are, and the results are the bits of a word.
#pragma once

#include "../../../core/cpu/simd/simd_segments.hpp"
#include "../../../core/segments/segment_bounds.hpp"
#include "../ranked_key.hpp"

namespace onepass::detail {

// From `first` to `last`, both included.
template <class Ranked>
struct ranked_window {
  Ranked first, last;
};
constexpr index_t read_at_once = head_group;

// ---- all items ------------------------------------------------------------------------------------------------------
template <class Source>
struct items_ranker {
  Source from;
  item_range range;
  typename Source::ranked* to;
  template <class Level>
  ONEPASS_INLINED void operator()(Level) const {
    for (index_t i = 0; i < range.size; ++i) to[i] = from.at(range.begin, i);
  }
};
// All items of a row as ranked keys.
template <class Source>
void read_ranked(const Source& from, const item_range& range, typename Source::ranked* to) {
  const items_ranker<Source> ranker{from, range, to};
#if ONEPASS_HAS_SIMD
  if (simd_in_use() != simd_level::none) return at_simd_level(ranker);
#endif
  ranker(none());
}

// ---- items in a window ----------------------------------------------------------------------------------------------
template <class Source, class Take, class After>
struct part_reader {
  using key = typename Source::key;
  using ranked = typename Source::ranked;
  Source from;
  index_t row, begin, end;
  const ranked_window<ranked>& wanted;
  const Take& take;
  const After& after;

  template <class Level>
  ONEPASS_INLINED index_t operator()(Level level) const {
    if (end - begin < read_at_once) {
      for (index_t i = begin; i < end; ++i) take(from.at(row, i));
      after();
      return 0;
    }
    index_t behind = 0;
    for (index_t i = begin; i < end; i += read_at_once) {
      const index_t at = std::min(i, end - read_at_once);  // the last group begins earlier, with items that are done
      std::uint64_t reach = ~flags<false>(level, at, wanted.first) & ~std::uint64_t{0} << (i - at);
      if (reach == 0) continue;
      if (wanted.last != largest_ranked<ranked>) {
        const std::uint64_t pass = reach & flags<true>(level, at, wanted.last);
        behind += __builtin_popcountll(pass);
        reach ^= pass;
      }
      for (; reach != 0; reach &= reach - 1) take(from.at(row, at + __builtin_ctzll(reach)));
      after();
    }
    return behind;
  }

 private:
  // Which of the items from i on have a key that comes before that of `than` in the order of the selection, or after it. The
  // loops have no branches, for the compiler's vectors. A NaN does neither.
  template <bool before, class Level>
  ONEPASS_INLINED std::uint64_t flags(Level level, index_t i, ranked than) const {
    const auto order = static_cast<key_bits_t<key>>(than >> index_bits<ranked>);
    const key bound = key_of_order<key>(static_cast<key_bits_t<key>>(order ^ from.flip));
    const bool is_smallest = from.flip != flip_of<key>(false);
    unsigned char is[read_at_once];
    if (is_smallest != before) {
      for (index_t j = 0; j < read_at_once; ++j) is[j] = static_cast<key>(from.keys[row + i + j]) > bound;
    } else {
      for (index_t j = 0; j < read_at_once; ++j) is[j] = static_cast<key>(from.keys[row + i + j]) < bound;
    }
    return bits_of(level, is);
  }
  template <class Level>
  static ONEPASS_INLINED std::uint64_t bits_of(Level level, const unsigned char* is) {
    return word_of_heads(level, is);
  }
  static std::uint64_t bits_of(none, const unsigned char* is) {
    std::uint64_t word = 0;
    for (int j = 0; j < read_at_once; ++j) word |= std::uint64_t{is[j]} << j;
    return word;
  }
};
// Calls `take` with the items from `begin` to `end` of a row that may be in the window, and `after` where it has been called up
// to read_at_once times. The window may move back meanwhile. Returns how many items behind it were not taken.
template <class Source, class Take, class After>
index_t read_part(const Source& from, index_t row, index_t begin, index_t end,
                  const ranked_window<typename Source::ranked>& wanted, const Take& take, const After& after) {
  const part_reader<Source, Take, After> reader{from, row, begin, end, wanted, take, after};
#if ONEPASS_HAS_SIMD
  if (simd_in_use() != simd_level::none) return at_simd_level(reader);
#endif
  return reader(none());
}

}  // namespace onepass::detail
