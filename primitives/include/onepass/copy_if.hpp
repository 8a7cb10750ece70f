// SPDX-License-Identifier: Apache-2.0
// onepass/copy_if.hpp: copy_if and compact copy the items that satisfy a predicate.
// onepass/compact.hpp says what all calls share: ranges, order, cost, errors, and the forms with _async.
#pragma once

#include "../../compact/compact_dispatch.hpp"

namespace onepass {

// ---- copy_if, compact -----------------------------------------------------------------------------------------------
// Copies the items of [first, last) for which pred(item) is true to out, in their order. Returns the end of the copies.
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
Out copy_if(const Policy& policy, In first, In last, Out out, Pred pred) {
  return out + detail::copy_kept("copy_if", policy, first, last, detail::by_predicate(first, pred), out, nullptr);
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
Out copy_if(In first, In last, Out out, Pred pred) {
  return onepass::copy_if(detail::default_policy<In, Out>(), first, last, out, pred);
}
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
void copy_if_async(const Policy& policy, In first, In last, Out out, Pred pred, index_t* count) {
  detail::copy_kept("copy_if_async", policy, first, last, detail::by_predicate(first, pred), out,
                    detail::checked_count("copy_if_async", count));
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
void copy_if_async(In first, In last, Out out, Pred pred, index_t* count) {
  onepass::copy_if_async(detail::default_policy<In, Out>(), first, last, out, pred, count);
}

// The same, asking pred(stencil[i]) for item i.
template <class Policy, class In, class Stencil, class Out, class Pred, detail::if_policy<Policy> = 0>
Out copy_if(const Policy& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  return out +
         detail::copy_kept("copy_if", policy, first, last, detail::by_stencil(first, stencil, pred), out, nullptr);
}
template <class In, class Stencil, class Out, class Pred, detail::if_not_policy<In> = 0>
Out copy_if(In first, In last, Stencil stencil, Out out, Pred pred) {
  return onepass::copy_if(detail::default_policy<In, Stencil, Out>(), first, last, stencil, out, pred);
}
template <class Policy, class In, class Stencil, class Out, class Pred, detail::if_policy<Policy> = 0>
void copy_if_async(const Policy& policy, In first, In last, Stencil stencil, Out out, Pred pred, index_t* count) {
  detail::copy_kept("copy_if_async", policy, first, last, detail::by_stencil(first, stencil, pred), out,
                    detail::checked_count("copy_if_async", count));
}
template <class In, class Stencil, class Out, class Pred, detail::if_not_policy<In> = 0>
void copy_if_async(In first, In last, Stencil stencil, Out out, Pred pred, index_t* count) {
  onepass::copy_if_async(detail::default_policy<In, Stencil, Out>(), first, last, stencil, out, pred, count);
}

// The same as copy_if.
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
Out compact(const Policy& policy, In first, In last, Out out, Pred pred) {
  return out + detail::copy_kept("compact", policy, first, last, detail::by_predicate(first, pred), out, nullptr);
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
Out compact(In first, In last, Out out, Pred pred) {
  return onepass::compact(detail::default_policy<In, Out>(), first, last, out, pred);
}
template <class Policy, class In, class Out, class Pred, detail::if_policy<Policy> = 0>
void compact_async(const Policy& policy, In first, In last, Out out, Pred pred, index_t* count) {
  detail::copy_kept("compact_async", policy, first, last, detail::by_predicate(first, pred), out,
                    detail::checked_count("compact_async", count));
}
template <class In, class Out, class Pred, detail::if_not_policy<In> = 0>
void compact_async(In first, In last, Out out, Pred pred, index_t* count) {
  onepass::compact_async(detail::default_policy<In, Out>(), first, last, out, pred, count);
}

// Copies the items whose flag is true: item i if flags.begin[i] is. There are n flags, which convert to bool.
//
//   std::vector<int> x = {3, 1, 4}, y(2);
//   std::vector<char> keep = {1, 0, 1};
//   onepass::compact(x.begin(), x.end(), onepass::flags(keep.begin()), y.begin());  // y = 3 4
template <class Policy, class In, class Flag, class Out, detail::if_policy<Policy> = 0>
Out compact(const Policy& policy, In first, In last, flags_of<Flag> flags, Out out) {
  return out + detail::copy_kept("compact", policy, first, last,
                                 detail::by_stencil(first, flags.begin, detail::is_true{}, "flags"), out, nullptr);
}
template <class In, class Flag, class Out, detail::if_not_policy<In> = 0>
Out compact(In first, In last, flags_of<Flag> flags, Out out) {
  return onepass::compact(detail::default_policy<In, Flag, Out>(), first, last, flags, out);
}
template <class Policy, class In, class Flag, class Out, detail::if_policy<Policy> = 0>
void compact_async(const Policy& policy, In first, In last, flags_of<Flag> flags, Out out, index_t* count) {
  detail::copy_kept("compact_async", policy, first, last,
                    detail::by_stencil(first, flags.begin, detail::is_true{}, "flags"), out,
                    detail::checked_count("compact_async", count));
}
template <class In, class Flag, class Out, detail::if_not_policy<In> = 0>
void compact_async(In first, In last, flags_of<Flag> flags, Out out, index_t* count) {
  onepass::compact_async(detail::default_policy<In, Flag, Out>(), first, last, flags, out, count);
}

}  // namespace onepass
