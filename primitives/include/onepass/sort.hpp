// SPDX-License-Identifier: Apache-2.0
// onepass/sort.hpp: Thrust's sort and sort_by_key, and their stable forms. If the comparator is less or greater (of
// std, cuda::std or thrust), keys that a radix sort can take, and tuples of such keys, are sorted by onepass's radix
// sort. onepass/radix_sort.hpp says what that has: keys, ranges, order, cost and errors.
//   Others     All other sorts are passed on to Thrust's stable_sort. That takes its own memory, and no workspace;
//              onepass::measure counts nothing for it. On CUDA it allocates and frees that memory in the call, so it
//              may wait for the device, and cannot be captured in a graph. onepass::cpu(threads) stands for
//              thrust::host there, whatever `threads` is, and onepass::cuda(stream) for
//              thrust::cuda::par_nosync.on(stream). With a size in memory (policy.sized_by) such a call does not
//              compile. Errors are Thrust's (thrust::system_error), which may report an earlier one that the program
//              has left.
#pragma once

#include "../../radix_sort/thrust_sort.hpp"

namespace onepass {

// ---- Thrust's names -------------------------------------------------------------------------------------------------
// Sorts [first, last) in place by comp (default: less). All four calls are stable: equal items keep their order.
//
//   std::vector<int> x = {3, -1, 4};
//   onepass::sort(x.begin(), x.end(), thrust::greater<int>());  // x = 4 3 -1
template <class Policy, class It, class Comp, detail::if_policy<Policy> = 0>
void stable_sort(const Policy& policy, It first, It last, Comp comp) {
  detail::sort("stable_sort", policy, first, last, comp);
}
template <class Policy, class It, detail::if_policy<Policy> = 0>
void stable_sort(const Policy& policy, It first, It last) {
  onepass::stable_sort(policy, first, last, ::cuda::std::less<>{});
}
template <class It, class Comp, detail::if_not_policy<It> = 0>
void stable_sort(It first, It last, Comp comp) {
  onepass::stable_sort(detail::default_policy<It>(), first, last, comp);
}
template <class It, detail::if_not_policy<It> = 0>
void stable_sort(It first, It last) {
  onepass::stable_sort(detail::default_policy<It>(), first, last);
}
template <class Policy, class It, class Comp, detail::if_policy<Policy> = 0>
void sort(const Policy& policy, It first, It last, Comp comp) {
  detail::sort("sort", policy, first, last, comp);
}
template <class Policy, class It, detail::if_policy<Policy> = 0>
void sort(const Policy& policy, It first, It last) {
  onepass::sort(policy, first, last, ::cuda::std::less<>{});
}
template <class It, class Comp, detail::if_not_policy<It> = 0>
void sort(It first, It last, Comp comp) {
  onepass::sort(detail::default_policy<It>(), first, last, comp);
}
template <class It, detail::if_not_policy<It> = 0>
void sort(It first, It last) {
  onepass::sort(detail::default_policy<It>(), first, last);
}

// The same for keys with values: values[i] moves with key i.
//
//   std::vector<int> keys = {3, -1, 4}, values = {0, 1, 2};
//   onepass::sort_by_key(keys.begin(), keys.end(), values.begin());  // keys = -1 3 4, values = 1 0 2
template <class Policy, class Keys, class Values, class Comp, detail::if_policy<Policy> = 0>
void stable_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Comp comp) {
  detail::sort_by_key("stable_sort_by_key", policy, first, last, values, comp);
}
template <class Policy, class Keys, class Values, detail::if_policy<Policy> = 0>
void stable_sort_by_key(const Policy& policy, Keys first, Keys last, Values values) {
  onepass::stable_sort_by_key(policy, first, last, values, ::cuda::std::less<>{});
}
template <class Keys, class Values, class Comp, detail::if_not_policy<Keys> = 0>
void stable_sort_by_key(Keys first, Keys last, Values values, Comp comp) {
  onepass::stable_sort_by_key(detail::default_policy<Keys, Values>(), first, last, values, comp);
}
template <class Keys, class Values, detail::if_not_policy<Keys> = 0>
void stable_sort_by_key(Keys first, Keys last, Values values) {
  onepass::stable_sort_by_key(detail::default_policy<Keys, Values>(), first, last, values);
}
template <class Policy, class Keys, class Values, class Comp, detail::if_policy<Policy> = 0>
void sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Comp comp) {
  detail::sort_by_key("sort_by_key", policy, first, last, values, comp);
}
template <class Policy, class Keys, class Values, detail::if_policy<Policy> = 0>
void sort_by_key(const Policy& policy, Keys first, Keys last, Values values) {
  onepass::sort_by_key(policy, first, last, values, ::cuda::std::less<>{});
}
template <class Keys, class Values, class Comp, detail::if_not_policy<Keys> = 0>
void sort_by_key(Keys first, Keys last, Values values, Comp comp) {
  onepass::sort_by_key(detail::default_policy<Keys, Values>(), first, last, values, comp);
}
template <class Keys, class Values, detail::if_not_policy<Keys> = 0>
void sort_by_key(Keys first, Keys last, Values values) {
  onepass::sort_by_key(detail::default_policy<Keys, Values>(), first, last, values);
}

}  // namespace onepass
