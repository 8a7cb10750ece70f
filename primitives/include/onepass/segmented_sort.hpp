// SPDX-License-Identifier: Apache-2.0
// onepass/segmented_sort.hpp: sorts each segment of a range, stably, in one call. Work is balanced for millions of
// short segments, for a few long ones, and for both at once.
//
// All calls here share this:
//   Segments   onepass::offsets(begin, end): segment s has the items from begin[s] up to begin[s + 1], so there is one
//              segment less than there are offsets (as in compressed-row form). Or onepass::segments(begins,
//              begins_last, ends): segment s has the items from begins[s] up to ends[s]. Or onepass::rows(length).
//              Offsets are integers of any type, behind any random-access iterators. Segments may be empty, and must
//              not overlap. Items in no segment stay as they are. The part of a segment outside [0, n) is ignored.
//   Ranges     Keys, values and offsets must not overlap. Any random-access iterators will do; ranges that are not
//              contiguous are copied to scratch and back. n may be larger than 2^32.
//   Order      stable, ascending unless asked otherwise, in each segment.
//   Keys       integers of 8 to 128 bits, bool, floats, tuples of these, or structs by a decomposer. Their order and
//              their bits are as in onepass/radix_sort.hpp.
//   Cost       On CUDA, a warp sorts segments of up to 256 items in registers, and a block sorts a segment that its
//              shared memory holds (on an H200 20,992 keys of 4 bytes; 11,776 of 8, or of 4 with values of 4, and 9,728
//              of these where the segments are few and short on average). These are read and written once. All longer
//              segments together take one read of the keys, and one read and write of keys and values for each 8 bits.
//              No call synchronises with the host.
//   Launches   Many segments: a clearing and up to four launches, fewer if n is small, and two more if n allows long
//              segments. Up to two segments a multiprocessor: one launch, and up to three more if n allows long ones.
//              If the number of digits is odd, one more for keys and one for values.
//   Scratch    A second array of keys and of values (none for a double buffer), and about 2 bytes an item for keys of 4
//              bytes, 4 for pairs of 8. A workspace is for just as many segments as it was measured for.
//   Structs    On CUDA, tuples and structs are sorted by index: at most 128 bits of their fields with an index at a
//              time. Then keys and values are gathered, and copied once more if the sort is in place.
//   CPU        Each thread sorts some of the segments, and all threads together sort large ones. Scratch is that of a
//              sort, also for few keys, and some 128 bytes a thread.
//   Policy, types, errors: as in onepass/scan.hpp.
//   Source     Adinets and Merrill, "Onesweep" (2022), for long segments; Batcher, "Sorting Networks and Their
//              Applications" (1968), for short ones.
//
//   std::vector<int> x = {3, 1, 2, 9, 7, 8}, start = {0, 3, 3, 6};
//   onepass::segmented_sort(x.begin(), x.end(), onepass::offsets(start.begin(), start.end()));  // x = 1 2 3 7 8 9
#pragma once

#include "../../radix_sort/segmented_sort_dispatch.hpp"
#include "radix_sort.hpp"

namespace onepass {

// ---- segmented_sort -------------------------------------------------------------------------------------------------
// Sorts each segment of [first, last) in place by the key's bits [begin_bit, end_bit).
template <class Policy, class Keys, class Segments, detail::if_policy<Policy, Keys> = 0>
void segmented_sort(const Policy& policy, Keys first, Keys last, Segments segments, const radix_options& options = {}) {
  const auto order = detail::natural_order_of<Keys>();
  const index_t n = detail::checked_distance("segmented_sort", first, last);
  detail::sort_segments("segmented_sort", policy, first, n, nullptr, segments, order, options);
}
template <class Keys, class Segments, detail::if_not_policy<Keys> = 0>
void segmented_sort(Keys first, Keys last, Segments segments, const radix_options& options = {}) {
  onepass::segmented_sort(detail::default_policy<Keys, Segments>(), first, last, segments, options);
}

// The same for keys with values: values[i] moves with key i.
template <class Policy, class Keys, class Values, class Segments, detail::if_policy<Policy, Keys> = 0>
void segmented_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Segments segments,
                           const radix_options& options = {}) {
  const auto order = detail::natural_order_of<Keys>();
  const index_t n = detail::checked_distance("segmented_sort_by_key", first, last);
  detail::sort_segments_of_pairs("segmented_sort_by_key", policy, first, n, nullptr, values, nullptr, segments, order,
                                 options);
}
template <class Keys, class Values, class Segments, detail::if_not_policy<Keys> = 0>
void segmented_sort_by_key(Keys first, Keys last, Values values, Segments segments, const radix_options& options = {}) {
  onepass::segmented_sort_by_key(detail::default_policy<Keys, Values, Segments>(), first, last, values, segments,
                                 options);
}

// ---- structs, by some of their fields -------------------------------------------------------------------------------
// decompose(key) names the fields, as for radix_sort.
//
//   struct edge { int to; float weight; };
//   std::vector<edge> edges = {{2, 0.5f}, {1, 4}, {7, 2}, {7, -1}};
//   std::vector<int> rows = {0, 2, 4};
//   onepass::segmented_sort(edges.begin(), edges.end(), onepass::offsets(rows.begin(), rows.end()),
//                           [](edge& e) { return std::tie(e.to, e.weight); });
//   std::vector<float> weights = {edges[0].weight, edges[1].weight, edges[2].weight};  // weights = 4 0.5 -1
template <class Policy, class Keys, class Segments, class Decomposer, detail::if_policy<Policy, Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void segmented_sort(const Policy& policy, Keys first, Keys last, Segments segments, Decomposer decompose,
                    const radix_options& options = {}) {
  const index_t n = detail::checked_distance("segmented_sort", first, last);
  detail::sort_segments("segmented_sort", policy, first, n, nullptr, segments, decompose, options);
}
template <class Keys, class Segments, class Decomposer, detail::if_not_policy<Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void segmented_sort(Keys first, Keys last, Segments segments, Decomposer decompose, const radix_options& options = {}) {
  onepass::segmented_sort(detail::default_policy<Keys, Segments>(), first, last, segments, decompose, options);
}
template <class Policy, class Keys, class Values, class Segments, class Decomposer, detail::if_policy<Policy, Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void segmented_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Segments segments,
                           Decomposer decompose, const radix_options& options = {}) {
  const index_t n = detail::checked_distance("segmented_sort_by_key", first, last);
  detail::sort_segments_of_pairs("segmented_sort_by_key", policy, first, n, nullptr, values, nullptr, segments,
                                 decompose, options);
}
template <class Keys, class Values, class Segments, class Decomposer, detail::if_not_policy<Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void segmented_sort_by_key(Keys first, Keys last, Values values, Segments segments, Decomposer decompose,
                           const radix_options& options = {}) {
  onepass::segmented_sort_by_key(detail::default_policy<Keys, Values, Segments>(), first, last, values, segments,
                                 decompose, options);
}

// ---- to another range -----------------------------------------------------------------------------------------------
// Copies [first, last) to `out` with each segment sorted, or keys to `out` and values to `values_out`. The input stays
// as it is. Items in no segment are copied, too. Ranges, cost and result are those of radix_sort_copy. Each call has a
// form with a decomposer.
//
//   std::vector<int> x = {3, 1, 2, 9, 7}, y(5), start = {0, 3, 5};
//   onepass::segmented_sort_copy(x.begin(), x.end(), y.begin(), onepass::offsets(start.begin(), start.end()));
//   // y = 1 2 3 7 9
template <class Policy, class In, class Out, class Segments, detail::if_policy<Policy, In> = 0>
Out segmented_sort_copy(const Policy& policy, In first, In last, Out out, Segments segments,
                        const radix_options& options = {}) {
  const auto order = detail::natural_order_of<In>();
  return detail::sort_segments_to("segmented_sort_copy", policy, first, last, out, segments, order, options);
}
template <class In, class Out, class Segments, detail::if_not_policy<In> = 0>
Out segmented_sort_copy(In first, In last, Out out, Segments segments, const radix_options& options = {}) {
  return onepass::segmented_sort_copy(detail::default_policy<In, Out, Segments>(), first, last, out, segments, options);
}
template <class Policy, class In, class Out, class Segments, class Decomposer, detail::if_policy<Policy, In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
Out segmented_sort_copy(const Policy& policy, In first, In last, Out out, Segments segments, Decomposer decompose,
                        const radix_options& options = {}) {
  return detail::sort_segments_to("segmented_sort_copy", policy, first, last, out, segments, decompose, options);
}
template <class In, class Out, class Segments, class Decomposer, detail::if_not_policy<In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
Out segmented_sort_copy(In first, In last, Out out, Segments segments, Decomposer decompose,
                        const radix_options& options = {}) {
  return onepass::segmented_sort_copy(detail::default_policy<In, Out, Segments>(), first, last, out, segments,
                                      decompose, options);
}

template <class Policy, class In, class Values, class Out, class ValuesOut, class Segments,
          detail::if_policy<Policy, In> = 0>
std::pair<Out, ValuesOut> segmented_sort_by_key_copy(const Policy& policy, In first, In last, Values values, Out out,
                                                     ValuesOut values_out, Segments segments,
                                                     const radix_options& options = {}) {
  const auto order = detail::natural_order_of<In>();
  return detail::sort_segments_of_pairs_to("segmented_sort_by_key_copy", policy, first, last, values, out, values_out,
                                           segments, order, options);
}
template <class In, class Values, class Out, class ValuesOut, class Segments, detail::if_not_policy<In> = 0>
std::pair<Out, ValuesOut> segmented_sort_by_key_copy(In first, In last, Values values, Out out, ValuesOut values_out,
                                                     Segments segments, const radix_options& options = {}) {
  return onepass::segmented_sort_by_key_copy(detail::default_policy<In, Values, Out, ValuesOut, Segments>(), first,
                                             last, values, out, values_out, segments, options);
}
template <class Policy, class In, class Values, class Out, class ValuesOut, class Segments, class Decomposer,
          detail::if_policy<Policy, In> = 0, detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
std::pair<Out, ValuesOut> segmented_sort_by_key_copy(const Policy& policy, In first, In last, Values values, Out out,
                                                     ValuesOut values_out, Segments segments, Decomposer decompose,
                                                     const radix_options& options = {}) {
  return detail::sort_segments_of_pairs_to("segmented_sort_by_key_copy", policy, first, last, values, out, values_out,
                                           segments, decompose, options);
}
template <class In, class Values, class Out, class ValuesOut, class Segments, class Decomposer,
          detail::if_not_policy<In> = 0, detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
std::pair<Out, ValuesOut> segmented_sort_by_key_copy(In first, In last, Values values, Out out, ValuesOut values_out,
                                                     Segments segments, Decomposer decompose,
                                                     const radix_options& options = {}) {
  return onepass::segmented_sort_by_key_copy(detail::default_policy<In, Values, Out, ValuesOut, Segments>(), first,
                                             last, values, out, values_out, segments, decompose, options);
}

// ---- with the caller's second buffer: of keys that are sorted by their own bits, not by a decomposer ----------------
// As in radix_sort, the result is in current(), and the content of alternate() is unspecified afterwards.
template <class Policy, class K, class Segments, detail::if_policy<Policy> = 0>
void segmented_sort(const Policy& policy, const double_buffer<K>& keys, index_t n, Segments segments,
                    const radix_options& options = {}) {
  detail::check_double_buffer("segmented_sort", "keys", keys, n);
  detail::sort_segments("segmented_sort", policy, keys.current(), n, keys.alternate(), segments,
                        detail::natural_order_of<K*>(), options);
}
template <class K, class Segments>
void segmented_sort(const double_buffer<K>& keys, index_t n, Segments segments, const radix_options& options = {}) {
  onepass::segmented_sort(detail::default_policy<K*, Segments>(), keys, n, segments, options);
}
template <class Policy, class K, class V, class Segments, detail::if_policy<Policy> = 0>
void segmented_sort_by_key(const Policy& policy, const double_buffer<K>& keys, const double_buffer<V>& values,
                           index_t n, Segments segments, const radix_options& options = {}) {
  detail::check_double_buffers("segmented_sort_by_key", keys, values, n);
  detail::sort_segments_of_pairs("segmented_sort_by_key", policy, keys.current(), n, keys.alternate(), values.current(),
                                 values.alternate(), segments, detail::natural_order_of<K*>(), options);
}
template <class K, class V, class Segments>
void segmented_sort_by_key(const double_buffer<K>& keys, const double_buffer<V>& values, index_t n, Segments segments,
                           const radix_options& options = {}) {
  onepass::segmented_sort_by_key(detail::default_policy<K*, V*, Segments>(), keys, values, n, segments, options);
}

}  // namespace onepass
