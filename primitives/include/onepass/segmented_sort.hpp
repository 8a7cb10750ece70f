// SPDX-License-Identifier: Apache-2.0
// onepass/segmented_sort.hpp: many stable sorts in one call, each of a segment of the same range; balanced whatever the
// segments are: millions of short ones, a few long ones, or both at once.
//
// All calls here share this:
//   Segments   either onepass::offsets(begin, end): segment s has the items from begin[s] up to begin[s + 1], so there is one
//              segment less than there are offsets, as in compressed-row form; or onepass::segments(begins, begins_last,
//              ends): segment s has those from begins[s] up to ends[s]. Any integers, any random-access iterators. There may
//              be empty segments, and items in no segment, which are left as they are; what of a segment lies outside [0, n)
//              is ignored. Segments must not overlap.
//   Ranges     sorts are in place; keys, values and what tells segments must not overlap. Any random-access iterators; those
//              that are not pointers in disguise are copied to scratch and back. n has 64 bits; more than 2^31 items have
//              not been tried yet.
//   Keys       integers of 8 to 64 bits, bool and floats; they, their order and bit ranges as in onepass/radix_sort.hpp.
//   Cost       on CUDA, segments of up to 256 items are sorted in registers by some lanes each, and those that a block holds
//              (12,288 keys of 4 bytes; 7,168 of 8, or of 4 with values of 4) by a block each: read and written once. All
//              longer ones together take a read of the keys, and a read and a write of keys and values for each 8 bits.
//              No synchronisation with the host. A clearing and three launches, two more if n allows of long segments, and
//              to end one for keys and one for values if the number of digits is odd. Scratch: a second array of keys and of
//              values (none for a double buffer), about 2 bytes an item for keys of 4 bytes, 4 for pairs of 8.
//              On the CPU each thread sorts some segments, large ones are sorted by all threads; scratch as a sort's.
//   Policy, types, errors: as onepass/scan.hpp.
//   Source     Adinets and Merrill, "Onesweep" (2022), for long segments; Batcher, "Sorting Networks and Their Applications"
//              (1968), for short ones.
//
//   std::vector<int> x = {3, 1, 2, 9, 7, 8}, start = {0, 3, 3, 6};
//   onepass::segmented_sort(x.begin(), x.end(), onepass::offsets(start.begin(), start.end()));  // x = 1 2 3 7 8 9
#pragma once

#include "../../radix_sort/segmented_sort.hpp"
#include "radix_sort.hpp"

namespace onepass {

// ---- segmented_sort -----------------------------------------------------------------------------------------------------
// Sorts each segment of [first, last) in place by the key's bits [begin_bit, end_bit).
template <class Policy, class Keys, class Segments, detail::if_policy<Policy> = 0>
void segmented_sort(const Policy& policy, Keys first, Keys last, Segments segments, const radix_options& options = {}) {
  static_assert(detail::is_segmented_key<detail::value_of<Keys>>,
                "onepass::segmented_sort: no number of up to 64 bits");
  const index_t n = detail::checked_distance("segmented_sort", first, last);
  detail::sort_segments("segmented_sort", policy, first, n, nullptr, segments, options);
}
template <class Keys, class Segments, detail::if_not_policy<Keys> = 0>
void segmented_sort(Keys first, Keys last, Segments segments, const radix_options& options = {}) {
  onepass::segmented_sort(detail::default_policy<Keys>(), first, last, segments, options);
}

// The same for keys that take a value along: values[i] goes where key i goes.
template <class Policy, class Keys, class Values, class Segments, detail::if_policy<Policy> = 0>
void segmented_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Segments segments,
                           const radix_options& options = {}) {
  static_assert(detail::is_segmented_key<detail::value_of<Keys>>,
                "onepass::segmented_sort_by_key: no number of up to 64 bits");
  const index_t n = detail::checked_distance("segmented_sort_by_key", first, last);
  detail::sort_segments_of_pairs("segmented_sort_by_key", policy, first, n, nullptr, values, nullptr, segments,
                                 options);
}
template <class Keys, class Values, class Segments, detail::if_not_policy<Keys> = 0>
void segmented_sort_by_key(Keys first, Keys last, Values values, Segments segments, const radix_options& options = {}) {
  onepass::segmented_sort_by_key(detail::default_policy<Keys, Values>(), first, last, values, segments, options);
}

// ---- with the caller's second buffer ------------------------------------------------------------------------------------
// As radix_sort: the result is in current(), what is in alternate() afterwards is unspecified.
template <class Policy, class K, class Segments, detail::if_policy<Policy> = 0>
void segmented_sort(const Policy& policy, double_buffer<K>& keys, index_t n, Segments segments,
                    const radix_options& options = {}) {
  detail::check_double_buffer("segmented_sort", "keys", keys, n);
  detail::sort_segments("segmented_sort", policy, keys.current(), n, keys.alternate(), segments, options);
}
template <class Policy, class K, class V, class Segments, detail::if_policy<Policy> = 0>
void segmented_sort_by_key(const Policy& policy, double_buffer<K>& keys, double_buffer<V>& values, index_t n,
                           Segments segments, const radix_options& options = {}) {
  detail::check_double_buffer("segmented_sort_by_key", "keys", keys, n);
  detail::check_double_buffer("segmented_sort_by_key", "values", values, n);
  detail::sort_segments_of_pairs("segmented_sort_by_key", policy, keys.current(), n, keys.alternate(), values.current(),
                                 values.alternate(), segments, options);
}

}  // namespace onepass
