// SPDX-License-Identifier: Apache-2.0
// onepass/positions.hpp: the indices of the flags that are true, as `nonzero` of array libraries gives them.
// onepass/compact.hpp says what all calls share: waiting, the forms with _async, sizes in memory, policy, errors.
#pragma once

#include "../../compact/positions_dispatch.hpp"

namespace onepass {

// Writes i for each flag first[i] that is true, or for which pred(first[i]) is true, in ascending order. Returns the
// end of what it has written. Flags are items that convert to bool, of any random-access iterator, or onepass::bits.
// Indices have the type of out's items if these are integers behind a pointer, and 64 bits otherwise. The index of the
// last flag has to fit that type. `out` needs room for as many items as are written, and must not overlap the flags.
//   Cost       Each flag is read once, and each index is written once.
//
//   std::vector<bool> set = {true, false, true, true};
//   std::vector<int> where(3);
//   onepass::positions(set.begin(), set.end(), where.begin());  // where = 0 2 3
template <class Policy, class Flags, class Out, class Pred, detail::if_policy<Policy> = 0>
Out positions(const Policy& policy, Flags first, Flags last, Out out, Pred pred) {
  return out + detail::find_positions("positions", policy, first, last, out, pred, nullptr);
}
template <class Flags, class Out, class Pred, detail::if_not_policy<Flags> = 0>
Out positions(Flags first, Flags last, Out out, Pred pred) {
  return onepass::positions(detail::default_policy<Flags, Out>(), first, last, out, pred);
}
template <class Policy, class Flags, class Out, detail::if_policy<Policy> = 0>
Out positions(const Policy& policy, Flags first, Flags last, Out out) {
  return onepass::positions(policy, first, last, out, detail::is_true{});
}
template <class Flags, class Out, detail::if_not_policy<Flags> = 0>
Out positions(Flags first, Flags last, Out out) {
  return onepass::positions(detail::default_policy<Flags, Out>(), first, last, out);
}

template <class Policy, class Flags, class Out, class Pred, detail::if_policy<Policy> = 0>
void positions_async(const Policy& policy, Flags first, Flags last, Out out, Pred pred, index_t* count) {
  detail::find_positions("positions_async", policy, first, last, out, pred,
                         detail::checked_count("positions_async", count));
}
template <class Flags, class Out, class Pred, detail::if_not_policy<Flags> = 0>
void positions_async(Flags first, Flags last, Out out, Pred pred, index_t* count) {
  onepass::positions_async(detail::default_policy<Flags, Out>(), first, last, out, pred, count);
}
template <class Policy, class Flags, class Out, detail::if_policy<Policy> = 0>
void positions_async(const Policy& policy, Flags first, Flags last, Out out, index_t* count) {
  onepass::positions_async(policy, first, last, out, detail::is_true{}, count);
}
template <class Flags, class Out, detail::if_not_policy<Flags> = 0>
void positions_async(Flags first, Flags last, Out out, index_t* count) {
  onepass::positions_async(detail::default_policy<Flags, Out>(), first, last, out, count);
}

}  // namespace onepass
