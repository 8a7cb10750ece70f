// SPDX-License-Identifier: Apache-2.0
// Sorts by a comparator. Those by less or greater of a radix key are radix sorts; all others are passed on to Thrust.
#pragma once

#include <cuda/std/functional>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <functional>

#include "../../core/execution/host_results.hpp"
#include "../../core/support/argument_checks.hpp"
#include "sort_dispatch.hpp"

namespace onepass::detail {

// thrust::less and thrust::greater are other names of those of cuda::std.
template <class Comp, class K>
constexpr bool is_less = std::is_same_v<Comp, std::less<K>> || std::is_same_v<Comp, std::less<void>> ||
                         std::is_same_v<Comp, ::cuda::std::less<K>> || std::is_same_v<Comp, ::cuda::std::less<void>>;
template <class Comp, class K>
constexpr bool is_greater =
    std::is_same_v<Comp, std::greater<K>> || std::is_same_v<Comp, std::greater<void>> ||
    std::is_same_v<Comp, ::cuda::std::greater<K>> || std::is_same_v<Comp, ::cuda::std::greater<void>>;
template <class Comp, class K>
constexpr bool sorts_by_radix = is_sort_key<K> && (is_less<Comp, K> || is_greater<Comp, K>);

// The Thrust policy for a sort that is passed on.
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
  } else if (!is_measuring(policy)) {  // Thrust cannot measure: it would run the sort
    thrust::stable_sort(as_thrust_policy(policy), first, last, comp);
    wait_for_host<It>(call, as_policy(policy));
  }
}

template <class Policy, class Keys, class Values, class Comp>
void sort_by_key(const char* call, const Policy& policy, Keys first, Keys last, Values values, Comp comp) {
  using K = value_of<Keys>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "values", values, n);
  if constexpr (sorts_by_radix<Comp, K>) {
    detail::sort_pairs(call, policy, first, n, nullptr, values, nullptr, natural_order<K>(),
                       radix_options{is_greater<Comp, K>});
  } else if (!is_measuring(policy)) {
    thrust::stable_sort_by_key(as_thrust_policy(policy), first, last, values, comp);
    wait_for_host<Keys, Values>(call, as_policy(policy));
  }
}

}  // namespace onepass::detail
