// SPDX-License-Identifier: Apache-2.0
// A local scan across ranks: each rank scans its own items alone, and gets the combination of the items before them
// beside it. The last result has the rank's total in it, so the scan comes first and the exchange behind it. Bytes
// moved: each item is read once and written once.
#pragma once

#include "local_carry.hpp"
#include "scan_over_ranks.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/local_scan_on_cuda_ranks.cuh"
#endif

namespace onepass::detail {

// An exclusive scan begins with `init`, an identity of the operator. The carry begins with `init` in any case.
template <bool inclusive, class Comm, class Policy, class In, class Out, class T, class Init, class Op>
Out local_scan_on_cpu_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out,
                            distributed::rank_carry<T>* carry, Init init, Op op) {
  using value = scanned_type<inclusive, Op, Init, value_of<In>, unwrapped<Out>>;
  rank_call<Comm> ranks(comm, call);
  rank_scan<inclusive, value, In, Out, Op> scan{call, first, 0, out, op, {}};
  const auto totals = ranks.gather([&] {
    const cpu_policy policy = rank_policy<Comm>(call, any_policy);
    const index_t n = scan.n = rank_size(call, any_policy, first, last);
    check_local_scan(call, first, n, out, carry);
    rank_total<T> mine{n > 0, {}};
    if (n == 0) return mine;
    if constexpr (inclusive) {
      scan(policy);
      mine.total.set(static_cast<T>(out[n - 1]));
    } else {
      const T last_item = static_cast<T>(first[n - 1]);  // before a scan in place overwrites it
      scan.carry.emplace(static_cast<value>(init));
      scan(policy);
      mine.total.set(static_cast<T>(op(static_cast<T>(out[n - 1]), last_item)));
    }
    return mine;
  });
  ranks.template finish<may_throw<Op, T>>([&] {
    ::cuda::std::optional<T> before;
    if constexpr (!std::is_same_v<Init, none>) before.emplace(static_cast<T>(init));
    store_carry(combine_before<T>(totals, ranks.rank(), before, op), carry);
  });
  return out + (last - first);
}

template <bool inclusive, class Comm, class Policy, class In, class Out, class T, class Init, class Op>
Out local_scan_over_ranks(const char* call, Comm& comm, const Policy& policy, In first, In last, Out out,
                          distributed::rank_carry<T>* carry, Init init, Op op) {
  check_memory<Comm, Policy>();
  using accumulator = typename scan_accumulator<inclusive, Op, Init, value_of<In>>::type;
  static_assert(std::is_same_v<accumulator, T> && std::is_same_v<value_of<Out>, T>,
                "onepass::distributed: results and carry have to be of the type that the scan computes in");
  if constexpr (!is_on_cuda<Comm>) {
    return local_scan_on_cpu_ranks<inclusive>(call, comm, policy, first, last, out, carry, init, op);
  } else {
#if ONEPASS_HAS_CUDA
    return local_scan_on_cuda_ranks<inclusive>(call, comm, policy, first, last, out, carry, init, op);
#endif
  }
}

}  // namespace onepass::detail
