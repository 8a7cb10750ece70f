// SPDX-License-Identifier: Apache-2.0
// onepass/segmented_scan.hpp: scans that start anew at every segment, in one pass over values and segment boundaries.
// Many short segments and a few long ones take the same time. Segments are given by keys (Thrust's calls), by head
// flags (bytes, any iterator, or onepass::bits(words)), by offsets, or as the rows or columns of an array.
//
// All calls here share this:
//   Ranges     n values are read, with n keys, n flags, or the offsets; n results are written. n may be larger than
//              2^32. Any random-access iterators will do. `out` may equal the values (in place). It may also equal the
//              keys, if these are an array whose items are as large as the results: the call then copies the keys to
//              scratch first. It must not overlap flags or offsets. Offsets must ascend, which is not checked: where
//              they do not, nothing is written outside the results, but these mean nothing.
//   Operator   It must be associative; it need not be commutative.
//   Sums       are computed in the type of the values; in an exclusive scan, in the type of `init` (as in
//              onepass/scan.hpp).
//   Result     It has the same bits on every run on the same device with the same settings, for floats, too.
//   Cost       Everything is read once, and results are written once. On CUDA a call is one launch and does not
//              synchronise with the host. Long scans with more than n / 80 offsets take one launch more, which turns
//              the offsets into n / 8 bytes of flags. Rows and columns read nothing but the values. A call takes
//              O(n / 8,192) slots of workspace, columns more, and where `out` equals the keys also n keys of scratch.
//              On the CPU one thread scans a whole column: there is work for one thread in each 64 columns.
//   Policy, types, errors: as in onepass/scan.hpp.
//   Source     Blelloch, "Prefix Sums and Their Applications" (1990), section 1.5: the operator on (flag, value) pairs;
//              Merrill and Garland (2016).
#pragma once

#include "../../segmented_scan/column_scan_dispatch.hpp"
#include "../../segmented_scan/segmented_scan_dispatch.hpp"

namespace onepass {

// ---- by key ---------------------------------------------------------------------------------------------------------
// A segment is a run of items with equal keys: `equal`, an equivalence (default: ==), compares each key with the one
// before it.
// out[i] = x[s] op ... op x[i], where item s is the first of the segment that has item i. Returns out + n.
//
//   std::vector<int> k = {7, 7, 2, 2, 2}, x = {1, 1, 1, 1, 1}, y(5);
//   onepass::inclusive_scan_by_key(k.begin(), k.end(), x.begin(), y.begin());  // y = 1 2 1 2 3
template <class Policy, class Keys, class Values, class Out, class Equal, class Op, detail::if_policy<Policy> = 0>
Out inclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out, Equal equal, Op op) {
  return detail::scan_by_key("inclusive_scan_by_key", policy, first, last, values, out, equal, detail::none{}, op);
}
template <class Policy, class Keys, class Values, class Out, class Equal, detail::if_policy<Policy> = 0>
Out inclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out, Equal equal) {
  return onepass::inclusive_scan_by_key(policy, first, last, values, out, equal, sum{});
}
template <class Policy, class Keys, class Values, class Out, detail::if_policy<Policy> = 0>
Out inclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out) {
  return onepass::inclusive_scan_by_key(policy, first, last, values, out, detail::equal_to{}, sum{});
}
template <class Keys, class Values, class Out, detail::if_not_policy<Keys> = 0>
Out inclusive_scan_by_key(Keys first, Keys last, Values values, Out out) {
  return onepass::inclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out);
}
template <class Keys, class Values, class Out, class Equal, detail::if_not_policy<Keys> = 0>
Out inclusive_scan_by_key(Keys first, Keys last, Values values, Out out, Equal equal) {
  return onepass::inclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out, equal);
}
template <class Keys, class Values, class Out, class Equal, class Op, detail::if_not_policy<Keys> = 0>
Out inclusive_scan_by_key(Keys first, Keys last, Values values, Out out, Equal equal, Op op) {
  return onepass::inclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out, equal,
                                        op);
}

// out[i] = init op x[s] op ... op x[i - 1], which is init at the first item of every segment. The default of `init` is
// T{} of the values' type. Returns out + n.
template <class Policy, class Keys, class Values, class Out, class Init, class Equal, class Op,
          detail::if_policy<Policy> = 0>
Out exclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out, Init init, Equal equal,
                          Op op) {
  return detail::scan_by_key("exclusive_scan_by_key", policy, first, last, values, out, equal, init, op);
}
template <class Policy, class Keys, class Values, class Out, class Init, class Equal, detail::if_policy<Policy> = 0>
Out exclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out, Init init, Equal equal) {
  return onepass::exclusive_scan_by_key(policy, first, last, values, out, init, equal, sum{});
}
template <class Policy, class Keys, class Values, class Out, class Init, detail::if_policy<Policy> = 0>
Out exclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out, Init init) {
  return onepass::exclusive_scan_by_key(policy, first, last, values, out, init, detail::equal_to{}, sum{});
}
template <class Policy, class Keys, class Values, class Out, detail::if_policy<Policy> = 0>
Out exclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out out) {
  return onepass::exclusive_scan_by_key(policy, first, last, values, out, detail::value_of<Values>{});
}
template <class Keys, class Values, class Out, detail::if_not_policy<Keys> = 0>
Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out out) {
  return onepass::exclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out);
}
template <class Keys, class Values, class Out, class Init, detail::if_not_policy<Keys> = 0>
Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out out, Init init) {
  return onepass::exclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out, init);
}
template <class Keys, class Values, class Out, class Init, class Equal, detail::if_not_policy<Keys> = 0>
Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out out, Init init, Equal equal) {
  return onepass::exclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out, init,
                                        equal);
}
template <class Keys, class Values, class Out, class Init, class Equal, class Op, detail::if_not_policy<Keys> = 0>
Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out out, Init init, Equal equal, Op op) {
  return onepass::exclusive_scan_by_key(detail::default_policy<Keys, Values, Out>(), first, last, values, out, init,
                                        equal, op);
}

// ---- by head flags, by offsets, by rows, or by columns --------------------------------------------------------------
// `heads` is an iterator to n flags, onepass::offsets(begin, end), onepass::rows(length), or onepass::columns(width)
// (onepass/segments.hpp). Flags convert to bool: an item whose flag is true starts a segment, and so does item 0.
// out[i] combines the items of its segment up to item i; the default of op is the sum. Returns out + n.
//
//   std::vector<int> x = {1, 1, 1, 1, 1}, start = {0, 2, 5}, y(5);
//   onepass::inclusive_segmented_scan(x.begin(), x.end(), onepass::offsets(start.begin(), start.end()), y.begin());
//   // y = 1 2 1 2 3
template <class Policy, class It, class Heads, class Out, class Op, detail::if_policy<Policy> = 0>
Out inclusive_segmented_scan(const Policy& policy, It first, It last, Heads heads, Out out, Op op) {
  return detail::segmented_scan("inclusive_segmented_scan", policy, first, last, heads, out, detail::none{}, op);
}
template <class Policy, class It, class Heads, class Out, detail::if_policy<Policy> = 0>
Out inclusive_segmented_scan(const Policy& policy, It first, It last, Heads heads, Out out) {
  return onepass::inclusive_segmented_scan(policy, first, last, heads, out, sum{});
}
template <class It, class Heads, class Out, detail::if_not_policy<It> = 0>
Out inclusive_segmented_scan(It first, It last, Heads heads, Out out) {
  return onepass::inclusive_segmented_scan(detail::default_policy<It, Heads, Out>(), first, last, heads, out);
}
template <class It, class Heads, class Out, class Op, detail::if_not_policy<It> = 0>
Out inclusive_segmented_scan(It first, It last, Heads heads, Out out, Op op) {
  return onepass::inclusive_segmented_scan(detail::default_policy<It, Heads, Out>(), first, last, heads, out, op);
}

// The exclusive form: out[i] is init at the first item of every segment, and init op x[s] op ... op x[i - 1] at the
// others, where item s is the first of the segment. The default of `init` is T{} of the items' type.
//
//   std::vector<int> x = {1, 1, 1, 1, 1}, y(5);
//   onepass::exclusive_segmented_scan(x.begin(), x.end(), onepass::rows(3), y.begin());  // y = 0 1 2 0 1
template <class Policy, class It, class Heads, class Out, class Init, class Op, detail::if_policy<Policy> = 0>
Out exclusive_segmented_scan(const Policy& policy, It first, It last, Heads heads, Out out, Init init, Op op) {
  return detail::segmented_scan("exclusive_segmented_scan", policy, first, last, heads, out, init, op);
}
template <class Policy, class It, class Heads, class Out, class Init, detail::if_policy<Policy> = 0>
Out exclusive_segmented_scan(const Policy& policy, It first, It last, Heads heads, Out out, Init init) {
  return onepass::exclusive_segmented_scan(policy, first, last, heads, out, init, sum{});
}
template <class Policy, class It, class Heads, class Out, detail::if_policy<Policy> = 0>
Out exclusive_segmented_scan(const Policy& policy, It first, It last, Heads heads, Out out) {
  return onepass::exclusive_segmented_scan(policy, first, last, heads, out, detail::value_of<It>{}, sum{});
}
template <class It, class Heads, class Out, detail::if_not_policy<It> = 0>
Out exclusive_segmented_scan(It first, It last, Heads heads, Out out) {
  return onepass::exclusive_segmented_scan(detail::default_policy<It, Heads, Out>(), first, last, heads, out);
}
template <class It, class Heads, class Out, class Init, detail::if_not_policy<It> = 0>
Out exclusive_segmented_scan(It first, It last, Heads heads, Out out, Init init) {
  return onepass::exclusive_segmented_scan(detail::default_policy<It, Heads, Out>(), first, last, heads, out, init);
}
template <class It, class Heads, class Out, class Init, class Op, detail::if_not_policy<It> = 0>
Out exclusive_segmented_scan(It first, It last, Heads heads, Out out, Init init, Op op) {
  return onepass::exclusive_segmented_scan(detail::default_policy<It, Heads, Out>(), first, last, heads, out, init, op);
}

}  // namespace onepass
