// SPDX-License-Identifier: Apache-2.0
// onepass/select.hpp: the k largest or smallest items, and the item of a given rank, without a sort of all items.
//
//   std::vector<int> x = {3, 9, 4, 9, 1}, y(3);
//   onepass::top_k(x.begin(), x.end(), 3, y.begin());                       // y = 9 9 4
//   onepass::top_k(x.begin(), x.end(), 3, y.begin(), onepass::smallest());  // y = 1 3 4
//
// What all calls share:
//   Keys       integers of 8 to 64 bits, bool, floats, on CUDA also __half and __nv_bfloat16, of any random-access
//              iterator. Their order is that of onepass/radix_sort.hpp: a NaN without a sign bit is larger than all
//              other floats, one with a sign bit is smaller, and -0 equals +0.
//   Ties       Of equal keys the first in the input are taken, and they stand in the order of the input. So results are
//              the same in every run, on every backend.
//   k          from 0 to the number of items (of segments by offsets: any). If the policy has a size in memory
//              (policy.sized_by), the call looks at that many items; if they are fewer than k, it writes that many
//              results.
//   Segments   With onepass::rows(length), onepass::offsets or onepass::segments, each segment has k results of its
//              own: those of segment i begin at out + i * k. A segment of fewer than k items has as many results as
//              items, and the room behind them is not written. With rows, k is at most their length.
//   Overlap    Results must not overlap the input, each other or the offsets.
//   Cost       On CUDA a block keeps a row of up to 8,192 keys in registers and reads it once. A longer one is sampled
//              and then read once; where the sample has misled, a few more times. Few rows of up to 2^26 items, or an
//              array, are cut into pieces where k is small, a block each; of others, all blocks read one after another.
//              Segments of offsets have one block each. More than 1,024 results are sorted by the library's radix
//              sorts. A large k costs more than a read: k / n of the items are written and sorted as numbers of 8
//              bytes, or 16 for keys of 8 bytes. On the CPU, threads share out long rows, or have rows of their own. No
//              call waits for the device.
//   Memory     8 bytes for each item that a sample leaves, some more than k, or 16 for keys of 8 bytes; with k near n
//              the size of the input and more. On the CPU twice as much, at least for 32,768 items or for the whole
//              row, and some 100 KB; all of that for each thread that has rows of its own.
//   Errors     invalid_argument for a k below 0 or above the number of items, a null range that is not empty, ranges
//              that overlap, a row of less than one item, and an array or row of 2^32 - 1 items or more with keys of up
//              to 4 bytes; with offsets that holds for all items. On CUDA onepass::cuda_error and onepass::bad_alloc;
//              on the CPU std::bad_alloc, and what an iterator throws.
//   Source     Zhang, Naruse, Li and Wang, "Parallel Top-K Algorithms on GPU" (2023), of candidates that one read
//              leaves; Floyd and Rivest, "Expected time bounds for selection" (1975), of bounds from a sample.
#pragma once

#include "../../select/select_dispatch.hpp"

namespace onepass {

// ---- top_k ----------------------------------------------------------------------------------------------------------
// Writes the k largest items of [first, last), largest first, or those that the options ask for. Returns out + k.
template <class Policy, class In, class Out, detail::if_policy<Policy, In> = 0>
Out top_k(const Policy& policy, In first, In last, index_t k, Out out, const top_k_options& options = {}) {
  return out + detail::select_items("top_k", policy, first, last, detail::none(), detail::none(), k, out,
                                    detail::none(), detail::mode_of(options), options.smallest);
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out top_k(In first, In last, index_t k, Out out, const top_k_options& options = {}) {
  return onepass::top_k(detail::default_policy<In, Out>(), first, last, k, out, options);
}

// The same for each segment. Returns out + k times the number of segments.
//
//   std::vector<int> x = {1, 2, 3, 9, 8, 7}, y(4);  // two rows of three
//   onepass::top_k(x.begin(), x.end(), onepass::rows(3), 2, y.begin());  // y = 3 2 9 8
template <class Policy, class In, class Segments, class Out, detail::if_policy<Policy, In> = 0>
Out top_k(const Policy& policy, In first, In last, Segments segments, index_t k, Out out,
          const top_k_options& options = {}) {
  return out + detail::select_items("top_k", policy, first, last, detail::none(), segments, k, out, detail::none(),
                                    detail::mode_of(options), options.smallest);
}
template <class In, class Segments, class Out, detail::if_not_policy<In> = 0>
Out top_k(In first, In last, Segments segments, index_t k, Out out, const top_k_options& options = {}) {
  return onepass::top_k(detail::default_policy<In, Segments, Out>(), first, last, segments, k, out, options);
}

// ---- top_k_by_key ---------------------------------------------------------------------------------------------------
// The same for keys with values: the value of each key that is written to keys_out is written to values_out. Values are
// those of any random-access iterator; with a counting iterator they are the keys' indices. Returns both ends.
//
//   std::vector<float> x = {0.5f, 2, 1, 4}, y(2);
//   std::vector<int> where(2);
//   onepass::top_k_by_key(x.begin(), x.end(), thrust::counting_iterator<int>(0), 2, y.begin(), where.begin());
//   // y = 4 2, where = 3 1
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, detail::if_policy<Policy, Keys> = 0>
std::pair<KeysOut, ValuesOut> top_k_by_key(const Policy& policy, Keys first, Keys last, Values values, index_t k,
                                           KeysOut keys_out, ValuesOut values_out, const top_k_options& options = {}) {
  const index_t size = detail::select_items("top_k_by_key", policy, first, last, values, detail::none(), k, keys_out,
                                            values_out, detail::mode_of(options), options.smallest);
  return {keys_out + size, values_out + size};
}
template <class Keys, class Values, class KeysOut, class ValuesOut, detail::if_not_policy<Keys> = 0>
std::pair<KeysOut, ValuesOut> top_k_by_key(Keys first, Keys last, Values values, index_t k, KeysOut keys_out,
                                           ValuesOut values_out, const top_k_options& options = {}) {
  return onepass::top_k_by_key(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values, k,
                               keys_out, values_out, options);
}
// The same for each segment. Values count through all segments: the value of an item is the one with its index.
template <class Policy, class Keys, class Values, class Segments, class KeysOut, class ValuesOut,
          detail::if_policy<Policy, Keys> = 0>
std::pair<KeysOut, ValuesOut> top_k_by_key(const Policy& policy, Keys first, Keys last, Values values,
                                           Segments segments, index_t k, KeysOut keys_out, ValuesOut values_out,
                                           const top_k_options& options = {}) {
  const index_t size = detail::select_items("top_k_by_key", policy, first, last, values, segments, k, keys_out,
                                            values_out, detail::mode_of(options), options.smallest);
  return {keys_out + size, values_out + size};
}
template <class Keys, class Values, class Segments, class KeysOut, class ValuesOut, detail::if_not_policy<Keys> = 0>
std::pair<KeysOut, ValuesOut> top_k_by_key(Keys first, Keys last, Values values, Segments segments, index_t k,
                                           KeysOut keys_out, ValuesOut values_out, const top_k_options& options = {}) {
  return onepass::top_k_by_key(detail::default_policy<Keys, Values, Segments, KeysOut, ValuesOut>(), first, last,
                               values, segments, k, keys_out, values_out, options);
}

// ---- nth_element ----------------------------------------------------------------------------------------------------
// Writes to out[0] the item that a stable sort would put at index n, and returns out + 1. Unlike std::nth_element it
// leaves the input as it is. n is at least 0, and less than the number of items; where a size in memory is not larger
// than n, nothing is written. Memory for the median of keys of 4 bytes: some 1.1 bytes an item on CUDA, 2.6 on the CPU.
//
//   std::vector<int> x = {3, 9, 4, 9, 1}, median(1);
//   onepass::nth_element(x.begin(), x.end(), 2, median.begin());  // median = 4
template <class Policy, class In, class Out, detail::if_policy<Policy, In> = 0>
Out nth_element(const Policy& policy, In first, In last, index_t n, Out out) {
  return out + detail::select_nth("nth_element", policy, first, last, detail::none(), n, out);
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out nth_element(In first, In last, index_t n, Out out) {
  return onepass::nth_element(detail::default_policy<In, Out>(), first, last, n, out);
}
// The same for each segment: out[i] is that item of segment i. Nothing is written for a segment of n items or fewer;
// with rows n is less than their length. Returns out + the number of segments.
template <class Policy, class In, class Segments, class Out, detail::if_policy<Policy, In> = 0>
Out nth_element(const Policy& policy, In first, In last, Segments segments, index_t n, Out out) {
  return out + detail::select_nth("nth_element", policy, first, last, segments, n, out);
}
template <class In, class Segments, class Out, detail::if_not_policy<In> = 0>
Out nth_element(In first, In last, Segments segments, index_t n, Out out) {
  return onepass::nth_element(detail::default_policy<In, Segments, Out>(), first, last, segments, n, out);
}

}  // namespace onepass
