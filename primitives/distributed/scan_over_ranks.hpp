// SPDX-License-Identifier: Apache-2.0
// A scan across ranks. Each rank combines its items, all ranks exchange these totals, and each scans its items from the
// combination of the totals before them on. Bytes moved: each item is read twice and written once. A rank that does not
// know its carry can only read, so no order of the steps needs less (docs/distributed.md).
#pragma once

#include "../../core/scan/run_scan.hpp"
#include "local_call.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/scan_on_cuda_ranks.cuh"
#endif

namespace onepass::detail {

// The scan of this rank's items, with `carry` before them.
template <bool inclusive, class T, class In, class Out, class Op>
struct rank_scan {
  using source = values_source<T, unwrapped<In>>;
  using job = scan_job<source, unwrapped<Out>, Op, emit_value, inclusive>;
  const char* call;
  In first;
  index_t n;
  Out out;
  Op op;
  ::cuda::std::optional<T> carry;

  void operator()(const cpu_policy& policy) const {
    job work{source{unwrap(first), {}}, unwrap(out), op, emit_value{}, {}, n};
    if (carry) work.initial = *carry;
    detail::run_scan(call, policy, work);
  }
};

template <bool inclusive, class Comm, class Policy, class In, class Out, class Init, class Op>
Out scan_on_cpu_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out, Init init,
                      Op op) {
  using value = scanned_type<inclusive, Op, Init, value_of<In>, unwrapped<Out>>;
  rank_call<Comm> ranks(comm, call);
  rank_scan<inclusive, value, In, Out, Op> scan{call, first, 0, out, op, {}};
  cpu_policy policy(1);
  std::unique_ptr<workspace> memory;
  const auto totals = ranks.gather([&] {
    policy = rank_policy<Comm>(call, any_policy);
    const index_t n = scan.n = rank_size(call, any_policy, first, last);
    check_not_null(call, "first", first, n);
    check_not_null(call, "out", out, n);
    check_overlap(call, "[first, last)", first, n, "out", out, n, true);
    memory = detail::memory_for(policy, scan);
    rank_total<value> mine{n > 0, {}};
    if (n > 0) mine.total.set(reduce_items<value>(policy, first, n, op));
    return mine;
  });
  ranks.template finish<may_throw<Op, value>>([&] {
    ::cuda::std::optional<value> before;
    if constexpr (!std::is_same_v<Init, none>) before.emplace(static_cast<value>(init));
    scan.carry = combine_before<value>(totals, ranks.rank(), before, op);
    scan(policy.with(*memory));
  });
  return out + (last - first);
}

template <bool inclusive, class Comm, class Policy, class In, class Out, class Init, class Op>
Out scan_over_ranks(const char* call, Comm& comm, const Policy& policy, In first, In last, Out out, Init init, Op op) {
  check_memory<Comm, Policy>();
  if constexpr (!is_on_cuda<Comm>) {
    return scan_on_cpu_ranks<inclusive>(call, comm, policy, first, last, out, init, op);
  } else {
#if ONEPASS_HAS_CUDA
    return scan_on_cuda_ranks<inclusive>(call, comm, policy, first, last, out, init, op);
#endif
  }
}

}  // namespace onepass::detail
