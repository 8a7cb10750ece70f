// SPDX-License-Identifier: Apache-2.0
// onepass/remove.hpp: remove and its variants keep the items that do not satisfy a predicate.
// onepass/compact.hpp says what all calls share: ranges, order, cost, errors, and the forms with _async.
#pragma once

#include "../../compact/compact_dispatch.hpp"

namespace onepass {

// ---- in place -------------------------------------------------------------------------------------------------------
// Moves the items of [first, last) for which pred(item) is false to the front, in their order. Returns their end. The
// items behind it are unspecified.
//
//   std::vector<int> x = {3, 1, 4, 1};
//   x.erase(onepass::remove(x.begin(), x.end(), 1), x.end());  // x = 3 4
template <class Policy, class It, class Pred, detail::if_policy<Policy> = 0>
It remove_if(const Policy& policy, It first, It last, Pred pred) {
  return first + detail::keep_in_place("remove_if", policy, first, last,
                                       detail::by_predicate(first, detail::negated<Pred>{pred}), nullptr);
}
template <class It, class Pred, detail::if_not_policy<It> = 0>
It remove_if(It first, It last, Pred pred) {
  return onepass::remove_if(detail::default_policy<It>(), first, last, pred);
}
template <class Policy, class It, class Pred, detail::if_policy<Policy> = 0>
void remove_if_async(const Policy& policy, It first, It last, Pred pred, index_t* count) {
  detail::keep_in_place("remove_if_async", policy, first, last,
                        detail::by_predicate(first, detail::negated<Pred>{pred}),
                        detail::checked_count("remove_if_async", count));
}
template <class It, class Pred, detail::if_not_policy<It> = 0>
void remove_if_async(It first, It last, Pred pred, index_t* count) {
  onepass::remove_if_async(detail::default_policy<It>(), first, last, pred, count);
}

// The same, asking pred(stencil[i]) for item i. The stencil must not overlap [first, last).
template <class Policy, class It, class Stencil, class Pred, detail::if_policy<Policy> = 0>
It remove_if(const Policy& policy, It first, It last, Stencil stencil, Pred pred) {
  return first + detail::keep_in_place("remove_if", policy, first, last,
                                       detail::by_stencil(first, stencil, detail::negated<Pred>{pred}), nullptr);
}
template <class It, class Stencil, class Pred, detail::if_not_policy<It> = 0>
It remove_if(It first, It last, Stencil stencil, Pred pred) {
  return onepass::remove_if(detail::default_policy<It, Stencil>(), first, last, stencil, pred);
}
template <class Policy, class It, class Stencil, class Pred, detail::if_policy<Policy> = 0>
void remove_if_async(const Policy& policy, It first, It last, Stencil stencil, Pred pred, index_t* count) {
  detail::keep_in_place("remove_if_async", policy, first, last,
                        detail::by_stencil(first, stencil, detail::negated<Pred>{pred}),
                        detail::checked_count("remove_if_async", count));
}
template <class It, class Stencil, class Pred, detail::if_not_policy<It> = 0>
void remove_if_async(It first, It last, Stencil stencil, Pred pred, index_t* count) {
  onepass::remove_if_async(detail::default_policy<It, Stencil>(), first, last, stencil, pred, count);
}

// The same, of items that equal `value`.
template <class Policy, class It, class T, detail::if_policy<Policy> = 0>
It remove(const Policy& policy, It first, It last, const T& value) {
  return first + detail::keep_in_place(
                     "remove", policy, first, last,
                     detail::by_predicate(first, detail::negated<detail::equals<std::decay_t<const T&>>>{{value}}),
                     nullptr);
}
template <class It, class T, detail::if_not_policy<It> = 0>
It remove(It first, It last, const T& value) {
  return onepass::remove(detail::default_policy<It>(), first, last, value);
}
template <class Policy, class It, class T, detail::if_policy<Policy> = 0>
void remove_async(const Policy& policy, It first, It last, const T& value, index_t* count) {
  detail::keep_in_place("remove_async", policy, first, last,
                        detail::by_predicate(first, detail::negated<detail::equals<std::decay_t<const T&>>>{{value}}),
                        detail::checked_count("remove_async", count));
}
template <class It, class T, detail::if_not_policy<It> = 0>
void remove_async(It first, It last, const T& value, index_t* count) {
  onepass::remove_async(detail::default_policy<It>(), first, last, value, count);
}

// ---- to another range -----------------------------------------------------------------------------------------------
// Copies the items of [first, last) for which pred(item) is false to out, in their order. Returns the end of the
// copies.
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
Out remove_copy_if(const Policy& policy, In first, In last, Out out, Pred pred) {
  return out + detail::copy_kept("remove_copy_if", policy, first, last,
                                 detail::by_predicate(first, detail::negated<Pred>{pred}), out, nullptr);
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
Out remove_copy_if(In first, In last, Out out, Pred pred) {
  return onepass::remove_copy_if(detail::default_policy<In, Out>(), first, last, out, pred);
}
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
void remove_copy_if_async(const Policy& policy, In first, In last, Out out, Pred pred, index_t* count) {
  detail::copy_kept("remove_copy_if_async", policy, first, last,
                    detail::by_predicate(first, detail::negated<Pred>{pred}), out,
                    detail::checked_count("remove_copy_if_async", count));
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
void remove_copy_if_async(In first, In last, Out out, Pred pred, index_t* count) {
  onepass::remove_copy_if_async(detail::default_policy<In, Out>(), first, last, out, pred, count);
}

// The same, asking pred(stencil[i]) for item i.
template <class Policy, class In, class Stencil, class Out, class Pred, detail::if_policy<Policy> = 0>
Out remove_copy_if(const Policy& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  return out + detail::copy_kept("remove_copy_if", policy, first, last,
                                 detail::by_stencil(first, stencil, detail::negated<Pred>{pred}), out, nullptr);
}
template <class In, class Stencil, class Out, class Pred, detail::if_not_policy<In> = 0>
Out remove_copy_if(In first, In last, Stencil stencil, Out out, Pred pred) {
  return onepass::remove_copy_if(detail::default_policy<In, Stencil, Out>(), first, last, stencil, out, pred);
}
template <class Policy, class In, class Stencil, class Out, class Pred, detail::if_policy<Policy> = 0>
void remove_copy_if_async(const Policy& policy, In first, In last, Stencil stencil, Out out, Pred pred,
                          index_t* count) {
  detail::copy_kept("remove_copy_if_async", policy, first, last,
                    detail::by_stencil(first, stencil, detail::negated<Pred>{pred}), out,
                    detail::checked_count("remove_copy_if_async", count));
}
template <class In, class Stencil, class Out, class Pred, detail::if_not_policy<In> = 0>
void remove_copy_if_async(In first, In last, Stencil stencil, Out out, Pred pred, index_t* count) {
  onepass::remove_copy_if_async(detail::default_policy<In, Stencil, Out>(), first, last, stencil, out, pred, count);
}

// The same, without the items that equal `value`.
template <class Policy, class In, class Out, class T, detail::if_policy<Policy> = 0>
Out remove_copy(const Policy& policy, In first, In last, Out out, const T& value) {
  return out + detail::copy_kept(
                   "remove_copy", policy, first, last,
                   detail::by_predicate(first, detail::negated<detail::equals<std::decay_t<const T&>>>{{value}}), out,
                   nullptr);
}
template <class In, class Out, class T, detail::if_not_policy<In> = 0>
Out remove_copy(In first, In last, Out out, const T& value) {
  return onepass::remove_copy(detail::default_policy<In, Out>(), first, last, out, value);
}
template <class Policy, class In, class Out, class T, detail::if_policy<Policy> = 0>
void remove_copy_async(const Policy& policy, In first, In last, Out out, const T& value, index_t* count) {
  detail::copy_kept("remove_copy_async", policy, first, last,
                    detail::by_predicate(first, detail::negated<detail::equals<std::decay_t<const T&>>>{{value}}), out,
                    detail::checked_count("remove_copy_async", count));
}
template <class In, class Out, class T, detail::if_not_policy<In> = 0>
void remove_copy_async(In first, In last, Out out, const T& value, index_t* count) {
  onepass::remove_copy_async(detail::default_policy<In, Out>(), first, last, out, value, count);
}

}  // namespace onepass
