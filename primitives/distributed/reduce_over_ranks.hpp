// SPDX-License-Identifier: Apache-2.0
// Reductions by key across ranks, and unique. A run belongs to the rank that has its first item. Before the rank's own
// call, ranks tell each other their first and last runs. So a rank leaves out the items at its begin that belong to an
// earlier rank's run, and joins what later ranks have of its last run. Bytes moved: those of the rank's own call; the
// items of its first and last run are read once more.
#pragma once

#include <onepass/unique.hpp>

#include "compact_over_ranks.hpp"
#include "rank_runs.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/runs_on_cuda_ranks.cuh"
#endif

namespace onepass::detail {

// ---- reduce by key ---------------------------------------------------------------------------------------------------
template <class Comm, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
distributed::slice reduce_on_cpu_ranks(const char* call, Comm& comm, const Policy& any_policy, Keys first, Keys last,
                                       Values values, KeysOut out_keys, ValuesOut out_values, Equal equal, Op op) {
  using value = reduced_type<Op, none, value_of<Values>, unwrapped<ValuesOut>>;
  rank_call<Comm> ranks(comm, call);
  keyed_segments<Keys, Equal> segments(first, equal);
  const auto reduce_from = [&](const cpu_policy& policy, index_t i) -> index_t {
    return onepass::reduce_by_key(policy, first + i, first + segments.n, values + i, out_keys, out_values, equal, op)
               .second -
           out_values;
  };
  std::unique_ptr<workspace> memory;
  const auto ends = ranks.gather([&] {
    segments.policy = rank_policy<Comm>(call, any_policy);
    const index_t n = segments.n = rank_size(call, any_policy, first, last);
    check_runs(call, first, values, n, out_keys, out_values);
    check_saved(call, segments.policy, "keys", first, n, "out_keys", out_keys);
    check_saved(call, segments.policy, "values", values, n, "out_values", out_values);
    // A rank in which no run begins needs no outputs. If one does, the call that gets them finds that they are null.
    if (!detail::is_null(out_keys) && !detail::is_null(out_values))
      memory = memory_for(segments.policy, [&](const cpu_policy& policy) { reduce_from(policy, 0); });
    return border_runs_of<value>(segments, values, op);
  });
  const auto counts = ranks.gather([&]() -> index_t {
    const index_t begin = detail::first_own_run(ends, ranks.rank(), segments);
    if (begin == segments.n) return 0;
    const index_t runs = reduce_from(memory ? segments.policy.with(*memory) : segments.policy, begin);
    const auto continues = [&](const auto& a, const auto& b) { return segments.continues(a, b); };
    const auto joined = joined_last_run<value, value_of<Keys>>(ends, ranks.rank(), ranks.size(), continues, op);
    if (joined) out_values[runs - 1] = as_item_of<ValuesOut>(*joined);
    return runs;
  });
  return slice_of(counts, ranks.rank());
}

// ---- unique ---------------------------------------------------------------------------------------------------------
template <class Comm, class Policy, class In, class Out, class Equal>
distributed::slice unique_on_cpu_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last,
                                       Out out, Equal equal) {
  rank_call<Comm> ranks(comm, call);
  keyed_segments<In, Equal> segments(first, equal);
  const auto unique_from = [&](const cpu_policy& policy, index_t i) -> index_t {
    return onepass::unique_copy(policy, first + i, first + segments.n, out, equal) - out;
  };
  std::unique_ptr<workspace> memory;
  const auto ends = ranks.gather([&] {
    segments.policy = rank_policy<Comm>(call, any_policy);
    segments.n = rank_size(call, any_policy, first, last);
    detail::check_begin(call, "[first, last)", first, segments.n, "out", out, false);
    if (!detail::is_null(out))
      memory = memory_for(segments.policy, [&](const cpu_policy& policy) { unique_from(policy, 0); });
    segment_end<char, value_of<In>> end{segments.n > 0, false, false, {}, {}, {}};
    segments.tell_keys(end);
    return end;
  });
  const auto counts = ranks.gather([&]() -> index_t {
    const index_t begin = detail::first_own_run(ends, ranks.rank(), segments);
    if (begin == segments.n) return 0;
    return unique_from(memory ? segments.policy.with(*memory) : segments.policy, begin);
  });
  return slice_of(counts, ranks.rank());
}

// ---- on either ------------------------------------------------------------------------------------------------------
template <class Comm, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
distributed::slice reduce_over_ranks(const char* call, Comm& comm, const Policy& policy, Keys first, Keys last,
                                     Values values, KeysOut out_keys, ValuesOut out_values, Equal equal, Op op) {
  check_memory<Comm, Policy>();
  if constexpr (!is_on_cuda<Comm>) {
    return reduce_on_cpu_ranks(call, comm, policy, first, last, values, out_keys, out_values, equal, op);
  } else {
#if ONEPASS_HAS_CUDA
    return reduce_on_cuda_ranks(call, comm, policy, first, last, values, out_keys, out_values, equal, op);
#endif
  }
}
template <class Comm, class Policy, class In, class Out, class Equal>
distributed::slice unique_over_ranks(const char* call, Comm& comm, const Policy& policy, In first, In last, Out out,
                                     Equal equal) {
  check_memory<Comm, Policy>();
  if constexpr (!is_on_cuda<Comm>) {
    return unique_on_cpu_ranks(call, comm, policy, first, last, out, equal);
  } else {
#if ONEPASS_HAS_CUDA
    return unique_on_cuda_ranks(call, comm, policy, first, last, out, equal);
#endif
  }
}

}  // namespace onepass::detail
