// SPDX-License-Identifier: Apache-2.0
// onepass/partition.hpp: partition and its variants separate the items that satisfy a predicate from the others. All
// are stable.
// onepass/compact.hpp says what all calls share: ranges, order, cost, errors, and the forms with _async.
#pragma once

#include <thrust/pair.h>

#include "../../compact/in_place_partition.hpp"
#include "../../compact/partition_dispatch.hpp"

namespace onepass {

// ---- in place -------------------------------------------------------------------------------------------------------
// Moves the items for which pred(item) is true in front of the others; both keep their order. Returns the first of the
// others. The call takes n items of scratch; on the CPU also up to 256 KB a thread. There arrays of up to 128 KB of items that
// can be copied as bytes take no n items. If pred throws (CPU), the items have not changed.
//
//   struct above_two {
//     bool operator()(int x) const { return x > 2; }
//   };
//   std::vector<int> x = {3, 1, 4, 1, 5};
//   onepass::stable_partition(x.begin(), x.end(), above_two{});  // x = 3 4 5 1 1
template <class Policy, class It, class Pred, detail::if_policy<Policy> = 0>
It stable_partition(const Policy& policy, It first, It last, Pred pred) {
  return first + detail::partition_in_place("stable_partition", policy, first, last, detail::by_predicate(first, pred),
                                            nullptr);
}
template <class It, class Pred, detail::if_not_policy<It> = 0>
It stable_partition(It first, It last, Pred pred) {
  return onepass::stable_partition(detail::default_policy<It>(), first, last, pred);
}
template <class Policy, class It, class Pred, detail::if_policy<Policy> = 0>
void stable_partition_async(const Policy& policy, It first, It last, Pred pred, index_t* count) {
  detail::partition_in_place("stable_partition_async", policy, first, last, detail::by_predicate(first, pred),
                             detail::checked_count("stable_partition_async", count));
}
template <class It, class Pred, detail::if_not_policy<It> = 0>
void stable_partition_async(It first, It last, Pred pred, index_t* count) {
  onepass::stable_partition_async(detail::default_policy<It>(), first, last, pred, count);
}

// The same, asking pred(stencil[i]) for item i.
template <class Policy, class It, class Stencil, class Pred, detail::if_policy<Policy> = 0>
It stable_partition(const Policy& policy, It first, It last, Stencil stencil, Pred pred) {
  return first + detail::partition_in_place("stable_partition", policy, first, last,
                                            detail::by_stencil(first, stencil, pred), nullptr);
}
template <class It, class Stencil, class Pred, detail::if_not_policy<It> = 0>
It stable_partition(It first, It last, Stencil stencil, Pred pred) {
  return onepass::stable_partition(detail::default_policy<It, Stencil>(), first, last, stencil, pred);
}
template <class Policy, class It, class Stencil, class Pred, detail::if_policy<Policy> = 0>
void stable_partition_async(const Policy& policy, It first, It last, Stencil stencil, Pred pred, index_t* count) {
  detail::partition_in_place("stable_partition_async", policy, first, last, detail::by_stencil(first, stencil, pred),
                             detail::checked_count("stable_partition_async", count));
}
template <class It, class Stencil, class Pred, detail::if_not_policy<It> = 0>
void stable_partition_async(It first, It last, Stencil stencil, Pred pred, index_t* count) {
  onepass::stable_partition_async(detail::default_policy<It, Stencil>(), first, last, stencil, pred, count);
}

// The same under the other name: partition is stable, too.
template <class Policy, class It, class Pred, detail::if_policy<Policy> = 0>
It partition(const Policy& policy, It first, It last, Pred pred) {
  return first +
         detail::partition_in_place("partition", policy, first, last, detail::by_predicate(first, pred), nullptr);
}
template <class It, class Pred, detail::if_not_policy<It> = 0>
It partition(It first, It last, Pred pred) {
  return onepass::partition(detail::default_policy<It>(), first, last, pred);
}
template <class Policy, class It, class Pred, detail::if_policy<Policy> = 0>
void partition_async(const Policy& policy, It first, It last, Pred pred, index_t* count) {
  detail::partition_in_place("partition_async", policy, first, last, detail::by_predicate(first, pred),
                             detail::checked_count("partition_async", count));
}
template <class It, class Pred, detail::if_not_policy<It> = 0>
void partition_async(It first, It last, Pred pred, index_t* count) {
  onepass::partition_async(detail::default_policy<It>(), first, last, pred, count);
}

// The same, asking pred(stencil[i]) for item i.
template <class Policy, class It, class Stencil, class Pred, detail::if_policy<Policy> = 0>
It partition(const Policy& policy, It first, It last, Stencil stencil, Pred pred) {
  return first + detail::partition_in_place("partition", policy, first, last, detail::by_stencil(first, stencil, pred),
                                            nullptr);
}
template <class It, class Stencil, class Pred, detail::if_not_policy<It> = 0>
It partition(It first, It last, Stencil stencil, Pred pred) {
  return onepass::partition(detail::default_policy<It, Stencil>(), first, last, stencil, pred);
}
template <class Policy, class It, class Stencil, class Pred, detail::if_policy<Policy> = 0>
void partition_async(const Policy& policy, It first, It last, Stencil stencil, Pred pred, index_t* count) {
  detail::partition_in_place("partition_async", policy, first, last, detail::by_stencil(first, stencil, pred),
                             detail::checked_count("partition_async", count));
}
template <class It, class Stencil, class Pred, detail::if_not_policy<It> = 0>
void partition_async(It first, It last, Stencil stencil, Pred pred, index_t* count) {
  onepass::partition_async(detail::default_policy<It, Stencil>(), first, last, stencil, pred, count);
}

// ---- to two outputs -------------------------------------------------------------------------------------------------
// Copies the items for which pred(item) is true to out_true and the others to out_false, each in their order. One of
// the outputs may begin where the input begins. Returns the two ends.
template <class Policy, class In, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
thrust::pair<Kept, Rejected> stable_partition_copy(const Policy& policy, In first, In last, Kept out_true,
                                                   Rejected out_false, Pred pred) {
  const auto size = detail::copy_both("stable_partition_copy", policy, first, last, detail::by_predicate(first, pred),
                                      out_true, out_false, nullptr);
  return {out_true + size.kept, out_false + size.rejected};
}
template <class In, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
thrust::pair<Kept, Rejected> stable_partition_copy(In first, In last, Kept out_true, Rejected out_false, Pred pred) {
  return onepass::stable_partition_copy(detail::default_policy<In, Kept, Rejected>(), first, last, out_true, out_false,
                                        pred);
}
template <class Policy, class In, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
void stable_partition_copy_async(const Policy& policy, In first, In last, Kept out_true, Rejected out_false, Pred pred,
                                 index_t* count) {
  detail::copy_both("stable_partition_copy_async", policy, first, last, detail::by_predicate(first, pred), out_true,
                    out_false, detail::checked_count("stable_partition_copy_async", count));
}
template <class In, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
void stable_partition_copy_async(In first, In last, Kept out_true, Rejected out_false, Pred pred, index_t* count) {
  onepass::stable_partition_copy_async(detail::default_policy<In, Kept, Rejected>(), first, last, out_true, out_false,
                                       pred, count);
}

// The same, asking pred(stencil[i]) for item i.
template <class Policy, class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
thrust::pair<Kept, Rejected> stable_partition_copy(const Policy& policy, In first, In last, Stencil stencil,
                                                   Kept out_true, Rejected out_false, Pred pred) {
  const auto size = detail::copy_both("stable_partition_copy", policy, first, last,
                                      detail::by_stencil(first, stencil, pred), out_true, out_false, nullptr);
  return {out_true + size.kept, out_false + size.rejected};
}
template <class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
thrust::pair<Kept, Rejected> stable_partition_copy(In first, In last, Stencil stencil, Kept out_true,
                                                   Rejected out_false, Pred pred) {
  return onepass::stable_partition_copy(detail::default_policy<In, Stencil, Kept, Rejected>(), first, last, stencil,
                                        out_true, out_false, pred);
}
template <class Policy, class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
void stable_partition_copy_async(const Policy& policy, In first, In last, Stencil stencil, Kept out_true,
                                 Rejected out_false, Pred pred, index_t* count) {
  detail::copy_both("stable_partition_copy_async", policy, first, last, detail::by_stencil(first, stencil, pred),
                    out_true, out_false, detail::checked_count("stable_partition_copy_async", count));
}
template <class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
void stable_partition_copy_async(In first, In last, Stencil stencil, Kept out_true, Rejected out_false, Pred pred,
                                 index_t* count) {
  onepass::stable_partition_copy_async(detail::default_policy<In, Stencil, Kept, Rejected>(), first, last, stencil,
                                       out_true, out_false, pred, count);
}

// The same under the other name: partition_copy is stable, too.
template <class Policy, class In, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
thrust::pair<Kept, Rejected> partition_copy(const Policy& policy, In first, In last, Kept out_true, Rejected out_false,
                                            Pred pred) {
  const auto size = detail::copy_both("partition_copy", policy, first, last, detail::by_predicate(first, pred),
                                      out_true, out_false, nullptr);
  return {out_true + size.kept, out_false + size.rejected};
}
template <class In, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
thrust::pair<Kept, Rejected> partition_copy(In first, In last, Kept out_true, Rejected out_false, Pred pred) {
  return onepass::partition_copy(detail::default_policy<In, Kept, Rejected>(), first, last, out_true, out_false, pred);
}
template <class Policy, class In, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
void partition_copy_async(const Policy& policy, In first, In last, Kept out_true, Rejected out_false, Pred pred,
                          index_t* count) {
  detail::copy_both("partition_copy_async", policy, first, last, detail::by_predicate(first, pred), out_true, out_false,
                    detail::checked_count("partition_copy_async", count));
}
template <class In, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
void partition_copy_async(In first, In last, Kept out_true, Rejected out_false, Pred pred, index_t* count) {
  onepass::partition_copy_async(detail::default_policy<In, Kept, Rejected>(), first, last, out_true, out_false, pred,
                                count);
}

// The same, asking pred(stencil[i]) for item i.
template <class Policy, class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
thrust::pair<Kept, Rejected> partition_copy(const Policy& policy, In first, In last, Stencil stencil, Kept out_true,
                                            Rejected out_false, Pred pred) {
  const auto size = detail::copy_both("partition_copy", policy, first, last, detail::by_stencil(first, stencil, pred),
                                      out_true, out_false, nullptr);
  return {out_true + size.kept, out_false + size.rejected};
}
template <class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
thrust::pair<Kept, Rejected> partition_copy(In first, In last, Stencil stencil, Kept out_true, Rejected out_false,
                                            Pred pred) {
  return onepass::partition_copy(detail::default_policy<In, Stencil, Kept, Rejected>(), first, last, stencil, out_true,
                                 out_false, pred);
}
template <class Policy, class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_policy<Policy> = 0>
void partition_copy_async(const Policy& policy, In first, In last, Stencil stencil, Kept out_true, Rejected out_false,
                          Pred pred, index_t* count) {
  detail::copy_both("partition_copy_async", policy, first, last, detail::by_stencil(first, stencil, pred), out_true,
                    out_false, detail::checked_count("partition_copy_async", count));
}
template <class In, class Stencil, class Kept, class Rejected, class Pred, detail::if_not_policy<In> = 0>
void partition_copy_async(In first, In last, Stencil stencil, Kept out_true, Rejected out_false, Pred pred,
                          index_t* count) {
  onepass::partition_copy_async(detail::default_policy<In, Stencil, Kept, Rejected>(), first, last, stencil, out_true,
                                out_false, pred, count);
}

}  // namespace onepass
