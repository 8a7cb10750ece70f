// SPDX-License-Identifier: Apache-2.0
// Scans, from a call's arguments to a job: checks the arguments, chooses the accumulator's type, and runs the job.
#pragma once

#include "../../core/support/argument_checks.hpp"
#include "../../core/support/accumulator.hpp"
#include "../../core/execution/host_results.hpp"
#include "../../core/scan/run_scan.hpp"

namespace onepass::detail {

template <bool inclusive, class Policy, class In, class Out, class Unary, class Init, class Op>
Out scan(const char* call, const Policy& any_policy, In first, In last, Out out, Unary unary, Init initial, Op op) {
  constexpr bool has_initial = !std::is_same_v<Init, none>;
  using item = std::decay_t<std::invoke_result_t<Unary&, value_of<In>>>;
  using value = scanned_type<inclusive, Op, Init, item, unwrapped<Out>>;
  using source = values_source<value, unwrapped<In>, Unary>;
  using job = scan_job<source, unwrapped<Out>, Op, emit_value, inclusive>;

  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, n);
  check_overlap(call, "[first, last)", first, n, "out", out, n, true);

  job work{source{unwrap(first), unary}, unwrap(out), op, emit_value{}, {}, n};
  if constexpr (has_initial) work.initial = static_cast<value>(initial);
  const auto policy = as_policy(any_policy);
  detail::run_scan(call, policy, work);
  wait_for_host<In, Out>(call, policy);
  return out + n;
}

}  // namespace onepass::detail
