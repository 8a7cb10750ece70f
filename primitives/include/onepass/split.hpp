// SPDX-License-Identifier: Apache-2.0
// onepass/split.hpp: one stable pass that separates items by a predicate, or sorts them by one digit.
//
// Both calls share this:
//   Ranges     [first, last) is read and n items are written, where n = last - first. `out` must not overlap the input.
//              Otherwise as in onepass/scan.hpp.
//   Order      stable: items with equal digits, or of one kind, keep their order.
//   Cost       A histogram, then the pass: the input is read twice, the output is written once. Two launches on CUDA,
//              and one more if the call waits for a count. Items of 347 bytes and more are moved by their indices on
//              CUDA, and read once more.
//              Scratch: on CUDA about 1 KB a tile of 2,048 items or more (2 KB from 2^30 items on), where items have up
//              to 32 bytes, and of about 50 KB of longer ones; on the CPU less than 100 KB a thread.
//   Policy, types, errors: as in onepass/scan.hpp. A digit outside the items' bits is an onepass::invalid_argument.
//   Source     Adinets and Merrill, "Onesweep" (2022).
#pragma once

#include "../../radix_sort/split_dispatch.hpp"

namespace onepass {

// ---- split ----------------------------------------------------------------------------------------------------------
// Copies [first, last) to out: first the items for which pred(item) is true, then the others. Returns the first of the
// others, and so waits for the result. split_async writes its index to `count` (8 bytes in memory of the backend)
// instead, and does not wait on CUDA. The call asks pred several times for each item.
//
//   struct is_odd {
//     bool operator()(int x) const { return x % 2 != 0; }
//   };
//   std::vector<int> x = {4, 1, 2, 3}, y(4);
//   onepass::split(x.begin(), x.end(), y.begin(), is_odd{});  // y = 1 3 4 2
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
Out split(const Policy& policy, In first, In last, Out out, Pred pred) {
  return out + detail::split_by("split", policy, first, last, detail::predicate_digit<Pred>{pred}, out, true, nullptr);
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
Out split(In first, In last, Out out, Pred pred) {
  return onepass::split(detail::default_policy<In, Out>(), first, last, out, pred);
}
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
void split_async(const Policy& policy, In first, In last, Out out, Pred pred, index_t* count) {
  if (count == nullptr) throw invalid_argument("split_async", "count is null");
  detail::split_by("split_async", policy, first, last, detail::predicate_digit<Pred>{pred}, out, true, count);
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
void split_async(In first, In last, Out out, Pred pred, index_t* count) {
  onepass::split_async(detail::default_policy<In, Out>(), first, last, out, pred, count);
}

// Copies integers to out in ascending order of one digit. Returns out + n and does not wait.
//
//   std::vector<int> x = {0x30, 0x11, 0x10}, y(3);
//   onepass::split(x.begin(), x.end(), y.begin(), onepass::digit{4, 2});  // by bits 4 and 5: y = 17 16 48
template <class Policy, class In, class Out, detail::if_policy<Policy> = 0>
Out split(const Policy& policy, In first, In last, Out out, digit by) {
  using key = detail::value_of<In>;
  static_assert(detail::is_integer_key<key>, "onepass::split: by a digit, the items have to be integers");
  const auto digits = detail::checked_digit("split", by, 8 * sizeof(key));
  detail::split_by("split", policy, first, last, digits, out, false, nullptr);
  return out + (last - first);
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out split(In first, In last, Out out, digit by) {
  return onepass::split(detail::default_policy<In, Out>(), first, last, out, by);
}

}  // namespace onepass
