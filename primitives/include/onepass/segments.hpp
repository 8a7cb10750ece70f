// SPDX-License-Identifier: Apache-2.0
// onepass/segments.hpp: how a call is told where segments lie: by offsets, by where each begins and ends, or as the
// rows or the columns of an array. Calls also take head flags: any iterator whose items convert to bool, or
// onepass::bits (onepass/flags.hpp).
#pragma once

#include <limits>

#include "iterator_system.hpp"

namespace onepass {

// Segment i starts at item begin[i] and ends where segment i + 1 starts; begin[i] <= begin[i + 1]. So a segment may be
// empty. In a scan the last segment ends at n, and offsets outside [0, n) start nothing; so the last one may be n, as
// in compressed-row form. In reductions, sorts and selections the last offset only ends the last segment: there is one
// segment less than there are offsets. Offsets are integers of any type.
//
//   std::vector<int> x = {1, 2, 3, 4}, starts = {0, 1, 1, 4}, sums(3);
//   onepass::segmented_reduce(x.begin(), x.end(), onepass::offsets(starts.begin(), starts.end()), sums.begin(), 0,
//                             onepass::sum{});  // sums = 1 0 9
template <class It>
struct offsets_range {
  It begin, end;
};
template <class It>
offsets_range<It> offsets(It begin, It end) {
  return {begin, end};
}

// Segment i has the items from begins[i] up to ends[i], for each i of [begins, begins_last); an end at or before its
// begin makes it empty. Segments may stand in any order and leave items out, but must not overlap. Sorts and selections
// take them.
template <class Begins, class Ends>
struct segment_ranges {
  Begins begins, begins_last;
  Ends ends;
};
template <class Begins, class Ends>
segment_ranges<Begins, Ends> segments(Begins begins, Begins begins_last, Ends ends) {
  return {begins, begins_last, ends};
}

// The segments of a dense array: its rows, or its columns.
template <bool are_columns>
struct dense_segments;

// Segment i has the items from i * length up to (i + 1) * length: the rows of a dense array, without an array of
// offsets. The last row is shorter if `length` does not divide n; a row that is longer than n has all n items. So there
// are n / length segments, rounded up. Where the policy has a size in memory, there are as many as [first, last) has
// room for, and those behind that size are empty. A call throws invalid_argument if length is less than 1.
//
//   std::vector<int> x = {1, 2, 3, 4, 5, 6}, y(6);  // two rows of three
//   onepass::inclusive_segmented_scan(x.begin(), x.end(), onepass::rows(3), y.begin());  // y = 1 3 6 4 9 15
template <>
struct dense_segments<false> {
  index_t length;
};
using row_segments = dense_segments<false>;
inline row_segments rows(index_t length) { return {length}; }

// The columns of a dense array with `width` items a row: item i + width follows item i, and n / width, rounded up, is
// the number of rows; the last may be shorter. With a height, [first, last) has as many such arrays of `height` rows
// each, one behind another, as n allows, and each has columns of its own: that is the middle axis of an array with
// three, or any axis of one with more, where width is the product of the extents behind it. The results of a reduction
// stand in the order of the columns' first items. Scans and reductions take columns. A call throws invalid_argument if
// width or height is less than 1.
//
//   std::vector<int> x = {1, 2, 3, 4, 5, 6}, y(6);  // two rows of three
//   onepass::inclusive_segmented_scan(x.begin(), x.end(), onepass::columns(3), y.begin());  // y = 1 2 3 5 7 9
template <>
struct dense_segments<true> {
  index_t width, height;
};
using column_segments = dense_segments<true>;
inline column_segments columns(index_t width, index_t height = std::numeric_limits<index_t>::max()) {
  return {width, height};
}

// The memory of segments, as onepass/iterator_system.hpp says it of iterators.
template <bool are_columns>
struct iterator_system<dense_segments<are_columns>> {
  using type = any_system;
};
template <class It>
struct iterator_system<offsets_range<It>> : iterator_system<It> {};
template <class Begins, class Ends>
struct iterator_system<segment_ranges<Begins, Ends>> {
  template <class A, class B>
  using both = std::conditional_t<std::is_same_v<A, B> || std::is_same_v<B, any_system>, A,
                                  std::conditional_t<std::is_same_v<A, any_system>, B, no_system>>;
  using type = both<typename iterator_system<Begins>::type, typename iterator_system<Ends>::type>;
};

}  // namespace onepass
