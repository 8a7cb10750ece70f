// SPDX-License-Identifier: Apache-2.0
// onepass/segmented_reduce.hpp: one result for each segment, in one pass over the input. Segments are runs of equal
// keys (with Thrust's interface), or are given by head flags, by offsets, or as the rows or columns of an array.
//
// All calls here share this:
//   Ranges     [first, last) is read, where n = last - first. A run ends where a key differs from the one before it.
//              Outputs need room for one item a segment, and no more than that is written. Any random-access iterators
//              will do. n may be larger than 2^32.
//   Overlap    By key and by flags, results may be written over the values, and keys over the keys, if these are arrays
//              (in place): the call then copies them to scratch first (n keys, n values). By offsets, rows and columns
//              no output may overlap an input. No output may overlap another one. Where pointers show an overlap, that
//              is an error.
//   Order      Segments keep their order, and the values of a segment are combined in their order. Sums and products of
//              numbers may be combined in another order, which is fixed: by offsets on CUDA, and of floats on the CPU.
//   Operator   It must be associative; it need not be commutative. Floats have the same bits on every run.
//   Sums       are computed in the type of the values, whatever op returns, as in Thrust; by offsets, rows and columns,
//              in the type of op(init, item), as in CUB. By key and by flags, values without an op are added as items of
//              the output's type, as in Thrust: 0.6 + 0.6 is 0 for an output of ints.
//   Waiting    By offsets, rows or columns a call does not wait. Otherwise it returns where its results end; on CUDA it
//              waits to know that, as in Thrust, and cannot be captured in a graph. NAME_async has one more argument,
//              `count` (8 bytes in memory of the backend): it does not wait, writes the number of segments there, and
//              can be captured.
//   Cost       Everything is read about once, and results are written once. On CUDA a call is one launch and takes O(n /
//              2,048) slots of workspace. By offsets it is one launch or two, and takes O((n + segments) / 3,700) slots
//              and values, of wide values more: a workspace that was measured for so many segments serves fewer, not
//              more. Lengths that differ much, such as a power law's, can take 1.7 times as long as equal ones, short
//              calls three times; how many segments are empty makes little difference. Rows are one launch (two with
//              a size in memory).
//   Types      By offsets on CUDA, values of more than 14,000 bytes may end in onepass::cuda_error.
//   Policy, other types, errors: as in onepass/scan.hpp.
//   Source     Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), section 5.
//
//   std::vector<int> keys = {7, 7, 3, 3, 3}, values = {1, 2, 3, 4, 5}, k(2), v(2);
//   onepass::reduce_by_key(keys.begin(), keys.end(), values.begin(), k.begin(), v.begin());  // k = 7 3, v = 3 12
#pragma once

#include <thrust/pair.h>

#include "../../segmented_reduce/column_reduce_dispatch.hpp"
#include "../../segmented_reduce/offset_reduce_dispatch.hpp"
#include "../../segmented_reduce/row_reduce_dispatch.hpp"
#include "../../segmented_reduce/run_reduce_dispatch.hpp"

namespace onepass {

// ---- reduce_by_key --------------------------------------------------------------------------------------------------
// Stores the first key of each run, and op over its values. equal(a, b), an equivalence, compares each key with the one
// before it. Returns the ends of both outputs.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op,
          detail::if_policy<Policy> = 0>
thrust::pair<KeysOut, ValuesOut> reduce_by_key(const Policy& policy, Keys first, Keys last, Values values,
                                               KeysOut out_keys, ValuesOut out_values, Equal equal, Op op) {
  const index_t runs =
      detail::reduce_runs("reduce_by_key", policy, first, last, values, out_keys, out_values, equal, op, nullptr);
  return {out_keys + runs, out_values + runs};
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op,
          detail::if_not_policy<Keys> = 0>
thrust::pair<KeysOut, ValuesOut> reduce_by_key(Keys first, Keys last, Values values, KeysOut out_keys,
                                               ValuesOut out_values, Equal equal, Op op) {
  return onepass::reduce_by_key(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                                out_keys, out_values, equal, op);
}
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op,
          detail::if_policy<Policy> = 0>
void reduce_by_key_async(const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                         ValuesOut out_values, Equal equal, Op op, index_t* count) {
  detail::reduce_runs("reduce_by_key_async", policy, first, last, values, out_keys, out_values, equal, op,
                      detail::checked_count("reduce_by_key_async", count));
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op,
          detail::if_not_policy<Keys> = 0>
void reduce_by_key_async(Keys first, Keys last, Values values, KeysOut out_keys, ValuesOut out_values, Equal equal,
                         Op op, index_t* count) {
  onepass::reduce_by_key_async(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                               out_keys, out_values, equal, op, count);
}

// The same with the sum; without `equal`, keys are compared by ==. Sums are in the type of the values, also if that of
// out_values is wider: int values wrap at 32 bits. For wider sums give the values as an iterator over a wider type.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal,
          detail::if_policy<Policy> = 0>
thrust::pair<KeysOut, ValuesOut> reduce_by_key(const Policy& policy, Keys first, Keys last, Values values,
                                               KeysOut out_keys, ValuesOut out_values, Equal equal) {
  return onepass::reduce_by_key(policy, first, last, values, out_keys, out_values, equal,
                                detail::default_reduction<Values, ValuesOut>());
}
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, detail::if_policy<Policy> = 0>
thrust::pair<KeysOut, ValuesOut> reduce_by_key(const Policy& policy, Keys first, Keys last, Values values,
                                               KeysOut out_keys, ValuesOut out_values) {
  return onepass::reduce_by_key(policy, first, last, values, out_keys, out_values, detail::equal_to{});
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, detail::if_not_policy<Keys> = 0>
thrust::pair<KeysOut, ValuesOut> reduce_by_key(Keys first, Keys last, Values values, KeysOut out_keys,
                                               ValuesOut out_values, Equal equal) {
  return onepass::reduce_by_key(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                                out_keys, out_values, equal);
}
template <class Keys, class Values, class KeysOut, class ValuesOut, detail::if_not_policy<Keys> = 0>
thrust::pair<KeysOut, ValuesOut> reduce_by_key(Keys first, Keys last, Values values, KeysOut out_keys,
                                               ValuesOut out_values) {
  return onepass::reduce_by_key(first, last, values, out_keys, out_values, detail::equal_to{});
}
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal,
          detail::if_policy<Policy> = 0>
void reduce_by_key_async(const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                         ValuesOut out_values, Equal equal, index_t* count) {
  onepass::reduce_by_key_async(policy, first, last, values, out_keys, out_values, equal,
                               detail::default_reduction<Values, ValuesOut>(), count);
}
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, detail::if_policy<Policy> = 0>
void reduce_by_key_async(const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                         ValuesOut out_values, index_t* count) {
  onepass::reduce_by_key_async(policy, first, last, values, out_keys, out_values, detail::equal_to{}, count);
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, detail::if_not_policy<Keys> = 0>
void reduce_by_key_async(Keys first, Keys last, Values values, KeysOut out_keys, ValuesOut out_values, Equal equal,
                         index_t* count) {
  onepass::reduce_by_key_async(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                               out_keys, out_values, equal, count);
}
template <class Keys, class Values, class KeysOut, class ValuesOut, detail::if_not_policy<Keys> = 0>
void reduce_by_key_async(Keys first, Keys last, Values values, KeysOut out_keys, ValuesOut out_values, index_t* count) {
  onepass::reduce_by_key_async(first, last, values, out_keys, out_values, detail::equal_to{}, count);
}

// ---- run_length_encode ----------------------------------------------------------------------------------------------
// Stores each run's first item and its length. Items are compared by ==. Lengths are counted in the type of
// out_lengths' items, or in index_t if it has none. Returns the ends of both outputs.
//
//   std::vector<int> x = {7, 7, 3}, y(2), lengths(2);
//   onepass::run_length_encode(x.begin(), x.end(), y.begin(), lengths.begin());  // y = 7 3, lengths = 2 1
template <class Policy, class In, class Out, class Lengths, detail::if_policy<Policy> = 0>
thrust::pair<Out, Lengths> run_length_encode(const Policy& policy, In first, In last, Out out, Lengths out_lengths) {
  const detail::constant_iterator<detail::length_type<Lengths>> one(1);
  const index_t runs = detail::reduce_runs("run_length_encode", policy, first, last, one, out, out_lengths,
                                           detail::equal_to{}, sum{}, nullptr, detail::ranges_of_lengths);
  return {out + runs, out_lengths + runs};
}
template <class In, class Out, class Lengths, detail::if_not_policy<In> = 0>
thrust::pair<Out, Lengths> run_length_encode(In first, In last, Out out, Lengths out_lengths) {
  return onepass::run_length_encode(detail::default_policy<In, Out, Lengths>(), first, last, out, out_lengths);
}
template <class Policy, class In, class Out, class Lengths, detail::if_policy<Policy> = 0>
void run_length_encode_async(const Policy& policy, In first, In last, Out out, Lengths out_lengths, index_t* count) {
  const detail::constant_iterator<detail::length_type<Lengths>> one(1);
  detail::reduce_runs("run_length_encode_async", policy, first, last, one, out, out_lengths, detail::equal_to{}, sum{},
                      detail::checked_count("run_length_encode_async", count), detail::ranges_of_lengths);
}
template <class In, class Out, class Lengths, detail::if_not_policy<In> = 0>
void run_length_encode_async(In first, In last, Out out, Lengths out_lengths, index_t* count) {
  onepass::run_length_encode_async(detail::default_policy<In, Out, Lengths>(), first, last, out, out_lengths, count);
}

// ---- segmented_reduce -----------------------------------------------------------------------------------------------
// Stores op over each segment, or the sum if no op is given. There are n head flags (bytes, any iterator, or
// onepass::bits(words)). Item 0 starts a segment, and so does each other item whose flag is true. Returns the end of
// the results.
//
//   std::vector<int> x = {1, 2, 3, 4, 5}, sums(2);
//   std::vector<char> heads = {1, 0, 1, 0, 0};
//   onepass::segmented_reduce(x.begin(), x.end(), heads.begin(), sums.begin());  // sums = 3 12
template <class Policy, class It, class Flags, class Out, class Op, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, Flags head_flags, Out out, Op op) {
  static_assert(detail::is_iterator<Flags>,
                "onepass: segmented_reduce takes head flags, onepass::offsets, onepass::rows or onepass::columns");
  return out + detail::reduce_flagged("segmented_reduce", policy, first, last, head_flags, out, op, nullptr);
}
template <class It, class Flags, class Out, class Op, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, Flags head_flags, Out out, Op op) {
  return onepass::segmented_reduce(detail::default_policy<It, Flags, Out>(), first, last, head_flags, out, op);
}
template <class Policy, class It, class Flags, class Out, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, Flags head_flags, Out out) {
  return onepass::segmented_reduce(policy, first, last, head_flags, out, detail::default_reduction<It, Out>());
}
template <class It, class Flags, class Out, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, Flags head_flags, Out out) {
  return onepass::segmented_reduce(detail::default_policy<It, Flags, Out>(), first, last, head_flags, out);
}
template <class Policy, class It, class Flags, class Out, class Op, detail::if_policy<Policy> = 0>
void segmented_reduce_async(const Policy& policy, It first, It last, Flags head_flags, Out out, Op op, index_t* count) {
  static_assert(detail::is_iterator<Flags>, "onepass: segmented_reduce_async takes head flags");
  detail::reduce_flagged("segmented_reduce_async", policy, first, last, head_flags, out, op,
                         detail::checked_count("segmented_reduce_async", count));
}
template <class It, class Flags, class Out, class Op, detail::if_not_policy<It> = 0>
void segmented_reduce_async(It first, It last, Flags head_flags, Out out, Op op, index_t* count) {
  onepass::segmented_reduce_async(detail::default_policy<It, Flags, Out>(), first, last, head_flags, out, op, count);
}
template <class Policy, class It, class Flags, class Out, detail::if_policy<Policy> = 0>
void segmented_reduce_async(const Policy& policy, It first, It last, Flags head_flags, Out out, index_t* count) {
  onepass::segmented_reduce_async(policy, first, last, head_flags, out, detail::default_reduction<It, Out>(), count);
}
template <class It, class Flags, class Out, detail::if_not_policy<It> = 0>
void segmented_reduce_async(It first, It last, Flags head_flags, Out out, index_t* count) {
  onepass::segmented_reduce_async(detail::default_policy<It, Flags, Out>(), first, last, head_flags, out, count);
}

// Segment s has the items from begin[s] up to begin[s + 1], so there is one segment less than there are offsets, as in
// compressed-row form. Offsets ascend; segments may be empty. out[s] = init op its items; for an empty segment it is
// init. The default of op is the sum, that of init is T{} of the items' type. The call does not wait. Returns the end
// of the results. It is not checked that offsets ascend. Where they do not, nothing is written outside the results, but
// these mean nothing, op may be given bytes that are no value on CUDA, and where the call was captured by a CUDA graph,
// results of later launches of that graph may mean nothing, too.
template <class Policy, class It, class Offset, class Out, class Init, class Op, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, offsets_range<Offset> offsets, Out out, Init init,
                     Op op) {
  return detail::reduce_by_offsets("segmented_reduce", policy, first, last, offsets, out, init, op);
}
template <class It, class Offset, class Out, class Init, class Op, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, offsets_range<Offset> offsets, Out out, Init init, Op op) {
  return onepass::segmented_reduce(detail::default_policy<It, offsets_range<Offset>, Out>(), first, last, offsets, out,
                                   init, op);
}
template <class Policy, class It, class Offset, class Out, class Init, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, offsets_range<Offset> offsets, Out out, Init init) {
  return onepass::segmented_reduce(policy, first, last, offsets, out, init, sum{});
}
template <class It, class Offset, class Out, class Init, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, offsets_range<Offset> offsets, Out out, Init init) {
  return onepass::segmented_reduce(first, last, offsets, out, init, sum{});
}
template <class Policy, class It, class Offset, class Out, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, offsets_range<Offset> offsets, Out out) {
  return onepass::segmented_reduce(policy, first, last, offsets, out, detail::value_of<It>{});
}
template <class It, class Offset, class Out, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, offsets_range<Offset> offsets, Out out) {
  return onepass::segmented_reduce(first, last, offsets, out, detail::value_of<It>{});
}

// The same for the rows or the columns of an array: `segments` is onepass::rows(length) or onepass::columns(width).
// out[s] = init op the items of row s, or of column s; there are n / length rows, rounded up, and columns that have an
// item. With a size in memory there are as many results as without; those without items are init.
//
//   std::vector<int> x = {1, 2, 3, 4, 5, 6}, sums(2);
//   onepass::segmented_reduce(x.begin(), x.end(), onepass::rows(3), sums.begin());     // sums = 6 15
//   onepass::segmented_reduce(x.begin(), x.end(), onepass::columns(2), sums.begin());  // sums = 9 12
template <class Policy, class It, bool are_columns, class Out, class Init, class Op, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, dense_segments<are_columns> segments, Out out, Init init,
                     Op op) {
  return detail::reduce_dense("segmented_reduce", policy, first, last, segments, out, init, op);
}
template <class It, bool are_columns, class Out, class Init, class Op, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, dense_segments<are_columns> segments, Out out, Init init, Op op) {
  return onepass::segmented_reduce(detail::default_policy<It, Out>(), first, last, segments, out, init, op);
}
template <class Policy, class It, bool are_columns, class Out, class Init, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, dense_segments<are_columns> segments, Out out,
                     Init init) {
  return onepass::segmented_reduce(policy, first, last, segments, out, init, sum{});
}
template <class It, bool are_columns, class Out, class Init, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, dense_segments<are_columns> segments, Out out, Init init) {
  return onepass::segmented_reduce(first, last, segments, out, init, sum{});
}
template <class Policy, class It, bool are_columns, class Out, detail::if_policy<Policy> = 0>
Out segmented_reduce(const Policy& policy, It first, It last, dense_segments<are_columns> segments, Out out) {
  return onepass::segmented_reduce(policy, first, last, segments, out, detail::value_of<It>{});
}
template <class It, bool are_columns, class Out, detail::if_not_policy<It> = 0>
Out segmented_reduce(It first, It last, dense_segments<are_columns> segments, Out out) {
  return onepass::segmented_reduce(first, last, segments, out, detail::value_of<It>{});
}

}  // namespace onepass
