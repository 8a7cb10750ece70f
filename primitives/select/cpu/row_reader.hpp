// SPDX-License-Identifier: Apache-2.0
// Reads a row's items as ranked keys. What is in front of a window of ranked keys is passed over, and what is behind it is only
// counted, many items at a time: their keys are compared as they are, and the results are the bits of a word.
#pragma once

#include "../../../core/cpu/simd/simd_segments.hpp"
#include "../../../core/cpu/simd/vector_sort.hpp"
#include "../../../core/segments/segment_bounds.hpp"
#include "../ranked_key.hpp"

namespace onepass::detail {

// From `first` to `last`, both included.
template <class Ranked>
struct ranked_window {
  Ranked first, last;
};
constexpr index_t read_at_once = head_group;
#if ONEPASS_HAS_SIMD
// Calls f(level). Keys that an iterator computes call functions of the caller's.
template <class Source, class F>
auto at_level_for(const Source& from, F f) {
  if constexpr (std::is_pointer_v<std::decay_t<decltype(from.keys)>>) return at_simd_level(f);
  else return at_usual_level(f);
}
#endif

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
  if (simd_in_use() != simd_level::none) return at_level_for(from, ranker);
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
  if (simd_in_use() != simd_level::none) return at_level_for(from, reader);
#endif
  return reader(none());
}

// ---- a bound --------------------------------------------------------------------------------------------------------
#if ONEPASS_HAS_SIMD
// A ranked key that at least k of a row's n items reach, and seldom many more: the items are dealt out to lanes, and it is
// the k-th of the lanes' largest ones. The row has at least as many items as there are lanes.
template <class Source>
struct lane_bound {
  using key = typename Source::key;
  using ranked = typename Source::ranked;
  using bits = key_bits_t<key>;
  using lane = std::conditional_t<(sizeof(key) > 4), std::int64_t, std::int32_t>;  // in the order of the selection
  static constexpr index_t few = 8, most_lanes = 64;
  Source from;
  index_t row, n, k;

  template <class Level>
  ONEPASS_INLINED ranked operator()(Level level) const {
    return k <= few ? of_lanes<2 * few>(level) : of_lanes<most_lanes>(level);
  }

 private:
  static constexpr lane least = std::numeric_limits<lane>::min();
  ONEPASS_INLINED lane lane_of(index_t i) const {
    return static_cast<lane>(static_cast<lane>(from.order_of(static_cast<key>(from.keys[row + i]))) ^ least);
  }
  template <index_t lanes, class Level>
  ONEPASS_INLINED ranked of_lanes(Level level) const {
    lane best[static_cast<std::size_t>(lanes)];
    for (index_t j = 0; j < lanes; ++j) best[j] = lane_of(j);
    for (index_t i = lanes; i + lanes <= n; i += lanes)
      for (index_t j = 0; j < lanes; ++j) best[j] = std::max(best[j], lane_of(i + j));
    if (!sort_few_key_bits(level, best, lanes, key_form<lane>{false, 0})) std::sort(best, best + lanes);
    return Source::first_of(static_cast<bits>(best[lanes - k] ^ least));
  }
};
#endif
// Whether a bound is looked for first, in a row of n items (no limit was measured).
inline bool has_bound(index_t n, index_t k) {
  return k <= 32 && n >= (k <= 8 ? 32 : 64) && n <= index_t{1} << 12 && simd_in_use() != simd_level::none;
}
// Reads the items that reach the bound, in the order of the row. Returns how many there are.
template <class Source, class Ranked>
index_t read_to_bound(const Source& from, const item_range& range, index_t k, Ranked* to) {
  ranked_window<Ranked> wanted{0, largest_ranked<Ranked>};
#if ONEPASS_HAS_SIMD
  wanted.first = at_level_for(from, lane_bound<Source>{from, range.begin, range.size, k});
#endif
  index_t count = 0;
  const auto take = [&](Ranked r) {
    to[count] = r;
    count += r >= wanted.first;
  };
  read_part(from, range.begin, 0, range.size, wanted, take, [] {});
  return count;
}

}  // namespace onepass::detail
