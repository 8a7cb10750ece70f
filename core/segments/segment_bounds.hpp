// SPDX-License-Identifier: Apache-2.0
// The begins and ends of segments, whether a call gives them as offsets, as two ranges, or as rows.
#pragma once

#include <onepass/segments.hpp>

#include <algorithm>

#include "../support/argument_checks.hpp"
#include "offset_index.hpp"

namespace onepass::detail {

template <class It>
constexpr bool any_host_readable<offsets_range<It>> = is_host_readable<It>();
template <class Begins, class Ends>
constexpr bool any_host_readable<segment_ranges<Begins, Ends>> = is_host_readable<Begins>() || is_host_readable<Ends>();

struct item_range {
  index_t begin, size;
};

// Segment i has the items from begins[i] up to ends[i]. The iterators are unwrapped.
template <class Begins, class Ends>
struct segment_bounds {
  static constexpr bool calls_functions = !std::is_pointer_v<Begins> || !std::is_pointer_v<Ends>;  // of the caller's
  Begins begins;
  Ends ends;
  index_t count;

  // The part of a segment that lies within [0, n).
  ONEPASS_HOST_DEVICE item_range at(index_t segment, index_t n) const {
    const auto within = [n](auto index) {
      const index_t i = offset_index(index);
      return i < 0 ? 0 : i < n ? i : n;
    };
    const index_t begin = within(begins[segment]), end = within(ends[segment]);
    return {begin, end > begin ? end - begin : 0};
  }
  // No segment of n items in all is longer than this.
  static index_t longest(index_t n) { return n; }
};

// The same for rows.
struct row_bounds {
  static constexpr bool calls_functions = false;
  index_t length, count;
  ONEPASS_HOST_DEVICE item_range at(index_t segment, index_t n) const {
    const index_t begin = segment * length, rest = n - begin;
    return {begin, rest < 0 ? 0 : rest < length ? rest : length};
  }
  index_t longest(index_t n) const { return std::min(length, n); }
};

inline void check_rows(const char* call, const row_segments& rows) {
  if (rows.length < 1) throw invalid_argument(call, "a row has less than one item");
}
// How many rows n items have.
inline index_t row_count(const row_segments& rows, index_t n) { return n / rows.length + (n % rows.length != 0); }

template <class Segments>
constexpr bool has_bounds = std::is_same_v<Segments, row_segments>;
template <class It>
constexpr bool has_bounds<offsets_range<It>> = true;
template <class Begins, class Ends>
constexpr bool has_bounds<segment_ranges<Begins, Ends>> = true;

// What is not segments, or not such ones: says so, and nothing else.
template <class Segments>
row_bounds bounds_of(const char*, const Segments&, index_t) {
  static_assert(has_bounds<Segments>,
                "onepass: sorts and selections take onepass::offsets, onepass::segments or onepass::rows");
  return {1, 0};
}
template <class Segments, class Out>
void check_apart(const char*, const Segments&, const char*, Out, index_t) {}

// n: the number of items.
template <class It>
auto bounds_of(const char* call, const offsets_range<It>& offsets, index_t) {
  const index_t count = checked_distance(call, offsets.begin, offsets.end);
  check_not_null(call, "offsets", offsets.begin, count);
  const auto begin = unwrap(offsets.begin);
  using iterator = decltype(begin + 1);
  if (count < 2) return segment_bounds<iterator, iterator>{begin, begin, 0};
  return segment_bounds<iterator, iterator>{begin, begin + 1, count - 1};
}
template <class Begins, class Ends>
auto bounds_of(const char* call, const segment_ranges<Begins, Ends>& ranges, index_t) {
  const index_t count = checked_distance(call, ranges.begins, ranges.begins_last);
  check_not_null(call, "begins", ranges.begins, count);
  check_not_null(call, "ends", ranges.ends, count);
  return segment_bounds<unwrapped<Begins>, unwrapped<Ends>>{unwrap(ranges.begins), unwrap(ranges.ends), count};
}

inline row_bounds bounds_of(const char* call, const row_segments& rows, index_t n) {
  check_rows(call, rows);
  return {rows.length, row_count(rows, n)};
}

// Throws if pointers show that an output overlaps the offsets, or the begins or ends, of the segments.
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
template <class Out>
void check_apart(const char*, const row_segments&, const char*, Out, index_t) {}

}  // namespace onepass::detail
