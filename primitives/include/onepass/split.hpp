// SPDX-License-Identifier: Apache-2.0
// onepass/split.hpp: one stable pass that separates items by a predicate or sorts them by one digit: a histogram, then the pass.
// Ranges, policy, types and errors are as in onepass/scan.hpp.
#pragma once

#include "../../radix_sort/split_dispatch.hpp"

namespace onepass {

// ---- split ------------------------------------------------------------------------------------------------------------
// Copies [first, last) to out: first the items for which pred(item) is true, then the others, both in their order. Returns
// the first of the others, and so waits for the result; split_async writes their index to `count` instead. `out` must not
// overlap the input. The call asks pred several times for each item.
//   Cost: the input is read twice, the output written once; two launches.
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

// Copies integers to out in ascending order of one digit; items with equal digits keep their order. Returns out + n and does
// not wait.
//
//   onepass::split(x.begin(), x.end(), y.begin(), onepass::digit{4, 2});  // by bits 4 and 5
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
