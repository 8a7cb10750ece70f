// SPDX-License-Identifier: Apache-2.0
// How a call is told where segments lie: by offsets, or by where each begins and ends.
#pragma once

#include "iterator.hpp"

namespace onepass {

// Segment i starts at item begin[i], and begin[i] <= begin[i + 1]. Empty segments may be there, as may be a last offset that
// is n, as in compressed-row form; offsets outside [0, n) start nothing.
template <class It>
struct offsets_range {
  It begin, end;
};
template <class It>
offsets_range<It> offsets(It begin, It end) {
  return {begin, end};
}

// Segment i has the items from begins[i] up to ends[i], for each i of [begins, begins_last); an end at or before its begin
// makes it empty. Segments may stand in any order and leave items out, but must not overlap.
template <class Begins, class Ends>
struct segment_ranges {
  Begins begins, begins_last;
  Ends ends;
};
template <class Begins, class Ends>
segment_ranges<Begins, Ends> segments(Begins begins, Begins begins_last, Ends ends) {
  return {begins, begins_last, ends};
}

// Where they live: as for an iterator.
template <class It>
struct iterator_system<offsets_range<It>> : iterator_system<It> {};
template <class Begins, class Ends>
struct iterator_system<segment_ranges<Begins, Ends>> {
  template <class A, class B>
  using both = std::conditional_t<std::is_same_v<A, B> || std::is_same_v<B, any_system>, A,
                                  std::conditional_t<std::is_same_v<A, any_system>, B, no_system>>;
  using type = both<typename iterator_system<Begins>::type, typename iterator_system<Ends>::type>;
};

namespace detail {

struct item_range {
  index_t begin, size;
};

// Both forms, of unwrapped iterators.
template <class Begins, class Ends>
struct segment_bounds {
  Begins begins;
  Ends ends;
  index_t count;

  // What of a segment lies within [0, n).
  ONEPASS_HOST_DEVICE item_range at(index_t segment, index_t n) const {
    const auto within = [n](auto place) {
      const auto i = static_cast<index_t>(place);
      return i < 0 ? 0 : i < n ? i : n;
    };
    const index_t begin = within(begins[segment]), end = within(ends[segment]);
    return {begin, end > begin ? end - begin : 0};
  }
};

template <class It>
auto bounds_of(const char* call, const offsets_range<It>& offsets) {
  const index_t count = checked_distance(call, offsets.begin, offsets.end);
  check_not_null(call, "offsets", offsets.begin, count);
  const auto begin = unwrap(offsets.begin);
  using place = decltype(begin + 1);
  if (count < 2) return segment_bounds<place, place>{begin, begin, 0};
  return segment_bounds<place, place>{begin, begin + 1, count - 1};
}
template <class Begins, class Ends>
auto bounds_of(const char* call, const segment_ranges<Begins, Ends>& ranges) {
  const index_t count = checked_distance(call, ranges.begins, ranges.begins_last);
  check_not_null(call, "begins", ranges.begins, count);
  check_not_null(call, "ends", ranges.ends, count);
  return segment_bounds<unwrapped<Begins>, unwrapped<Ends>>{unwrap(ranges.begins), unwrap(ranges.ends), count};
}

// Throws where pointers show that what a call writes overlaps what says where segments are.
template <class It, class Out>
void check_apart(const char* call, const offsets_range<It>& offsets, const char* name, Out out, index_t n) {
  check_overlap(call, "the offsets", offsets.begin, static_cast<index_t>(offsets.end - offsets.begin), name, out, n,
                false);
}
template <class Begins, class Ends, class Out>
void check_apart(const char* call, const segment_ranges<Begins, Ends>& ranges, const char* name, Out out, index_t n) {
  const auto count = static_cast<index_t>(ranges.begins_last - ranges.begins);
  check_overlap(call, "the begins", ranges.begins, count, name, out, n, false);
  check_overlap(call, "the ends", ranges.ends, count, name, out, n, false);
}

}  // namespace detail
}  // namespace onepass
