// SPDX-License-Identifier: Apache-2.0
// onepass/segments.hpp: how a call is told where segments lie: by offsets, or by where each begins and ends. Calls also take
// head flags: any iterator whose items convert to bool, or onepass::bits (onepass/flags.hpp).
#pragma once

#include "iterator_system.hpp"

namespace onepass {

// Segment i starts at item begin[i], and begin[i] <= begin[i + 1]. Empty segments may be there, as may be a last offset that
// is n, as in compressed-row form; offsets outside [0, n) start nothing.
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

}  // namespace onepass
