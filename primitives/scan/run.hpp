// SPDX-License-Identifier: Apache-2.0
// Scan as a job of the engine: checks the arguments, names the accumulator's type, chooses what is stored.
#pragma once

#include "../../core/operators.hpp"
#include "../../core/run_scan.hpp"

namespace onepass::detail {

// The type in which values are combined, as in Thrust: what the operator returns.
template <class Op, class Init, class T>
using accumulator = std::decay_t<std::invoke_result_t<Op&, Init&, T&>>;

struct no_initial {};

template <bool inclusive, class Policy, class In, class Out, class Unary, class Init, class Op>
Out scan(const char* call, const Policy& any_policy, In first, In last, Out out, Unary unary, Init initial, Op op) {
  constexpr bool has_initial = !std::is_same_v<Init, no_initial>;
  using item = std::decay_t<std::invoke_result_t<Unary&, value_of<In>>>;
  using value = accumulator<Op, std::conditional_t<has_initial, Init, item>, item>;
  using source = values_source<value, unwrapped<In>, Unary>;
  using job = scan_job<source, unwrapped<Out>, Op, emit_value, inclusive>;

  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, n);
  check_overlap(call, "[first, last)", first, n, "out", out, n, true);

  job work{source{unwrap(first), unary}, unwrap(out), op, emit_value{}, {}, n};
  if constexpr (has_initial) work.initial = static_cast<value>(initial);
  run_scan(call, as_policy(any_policy), work);
  return out + n;
}

}  // namespace onepass::detail
