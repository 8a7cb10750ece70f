// SPDX-License-Identifier: Apache-2.0
// Thrust's sort, sort_by_key and their stable forms: keys that a radix sort takes, tuples of such too, go to it with less or
// greater, all else to Thrust's own sort.
#pragma once

#include <cuda/std/functional>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <functional>

#include "run.hpp"

namespace onepass {
namespace detail {

template <class Comp, class K>
constexpr bool is_less = std::is_same_v<Comp, std::less<K>> || std::is_same_v<Comp, std::less<void>> ||
                         std::is_same_v<Comp, ::cuda::std::less<K>> || std::is_same_v<Comp, ::cuda::std::less<void>> ||
                         std::is_same_v<Comp, thrust::less<K>>;
template <class Comp, class K>
constexpr bool is_greater =
    std::is_same_v<Comp, std::greater<K>> || std::is_same_v<Comp, std::greater<void>> ||
    std::is_same_v<Comp, ::cuda::std::greater<K>> || std::is_same_v<Comp, ::cuda::std::greater<void>> ||
    std::is_same_v<Comp, thrust::greater<K>>;
template <class Comp, class K>
constexpr bool sorts_by_radix = is_sort_key<K> && (is_less<Comp, K> || is_greater<Comp, K>);

// The Thrust policy for what is handed over.
template <class Policy>
auto as_thrust_policy(const Policy& policy) {
  static_assert(!is_sized<Policy>,
                "onepass: Thrust's sort, for these keys or this comparator, cannot find its size in memory");
  if constexpr (std::is_same_v<Policy, cpu_policy>) {
    return thrust::host;
  } else if constexpr (std::is_same_v<Policy, cuda_policy>) {
#if ONEPASS_HAS_CUDA
    return thrust::cuda::par_nosync.on(policy.stream());
#endif
  } else {
    return policy;
  }
}

template <class Policy, class It, class Comp>
void sort(const char* call, const Policy& policy, It first, It last, Comp comp) {
  using K = value_of<It>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  if constexpr (sorts_by_radix<Comp, K>) {
    sort_keys(call, policy, first, n, nullptr, natural_order<K>(), radix_options{is_greater<Comp, K>});
  } else if (!is_measuring(policy)) {  // Thrust would run it
    thrust::stable_sort(as_thrust_policy(policy), first, last, comp);
  }
}

template <class Policy, class Keys, class Values, class Comp>
void sort_by_key(const char* call, const Policy& policy, Keys first, Keys last, Values values, Comp comp) {
  using K = value_of<Keys>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "values", values, n);
  if constexpr (sorts_by_radix<Comp, K>) {
    sort_pairs(call, policy, first, n, nullptr, values, nullptr, natural_order<K>(),
               radix_options{is_greater<Comp, K>});
  } else if (!is_measuring(policy)) {
    thrust::stable_sort_by_key(as_thrust_policy(policy), first, last, values, comp);
  }
}

}  // namespace detail

// ---- Thrust's names ---------------------------------------------------------------------------------------------------
// Sorts [first, last) in place by comp (default: less), equal items in their order. All four are stable.
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

// The same for keys that take a value along: values[i] goes where key i goes.
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
