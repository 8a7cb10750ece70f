// SPDX-License-Identifier: Apache-2.0
// Reductions of columns, and the choice between rows and columns. Bytes moved: items are read once, one result a column is
// written.
#pragma once

#include "../../core/columns/run_columns.hpp"
#include "row_reduce_dispatch.hpp"

namespace onepass::detail {

template <class Policy, class It, class Out, class Init, class Op>
Out reduce_dense(const char* call, const Policy& policy, It first, It last, row_segments rows, Out out, Init init,
                 Op op) {
  return reduce_rows(call, policy, first, last, rows, out, init, op);
}

template <class Policy, class It, class Out, class Init, class Op>
Out reduce_dense(const char* call, const Policy& any_policy, It first, It last, column_segments columns, Out out,
                 Init init, Op op) {
  check_columns(call, columns);
  if (columns.width == 1) return reduce_rows(call, any_policy, first, last, rows(columns.height), out, init, op);
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  if (n == 0) return out;
  const column_shape shape = shape_of(columns, n);
  const index_t results = shape.columns();
  check_not_null(call, "out", out, results);
  check_overlap(call, "[first, last)", first, n, "out", out, results, false);
  const auto policy = as_policy(any_policy);
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using source = values_source<value, unwrapped<It>>;
  const column_job<source, unwrapped<Out>, Op, column_result::total> job{
      {unwrap(first), {}}, unwrap(out), op, static_cast<value>(init), shape};
  detail::run_columns(call, policy, job, [&] {
    // Columns behind a size in memory have no items.
    if (count_of(policy, n).size != nullptr) detail::fill_results(call, policy, unwrap(out), results, init);
  });
  wait_for_host<It, Out>(call, policy);
  return out + results;
}

}  // namespace onepass::detail
