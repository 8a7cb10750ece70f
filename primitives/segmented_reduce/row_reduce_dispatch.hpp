// SPDX-License-Identifier: Apache-2.0
// Reductions of equal rows: the scan of run_reduce_dispatch.hpp with heads by arithmetic, and an initial value. No row
// is empty, so a row's rank is its number. Bytes moved: values are read once, one result a row is written.
#pragma once

#include "../../core/segments/row_heads.hpp"
#include "counted_source.hpp"
#include "offset_reduce_dispatch.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/pipeline_reduce.cuh"
#endif

namespace onepass::detail {

// The offsets of rows.
struct row_offsets {
  index_t length;
  ONEPASS_HOST_DEVICE index_t operator[](index_t row) const { return row * length; }
};

#if ONEPASS_HAS_CUDA
// The epilogue, as in run_reduce_dispatch.hpp.
template <class T, class Out, class Init, class Op>
struct row_ends {
  static constexpr bool writes_keys = false;
  heads_from_rows heads;
  Out out_values;
  Init init;
  Op op;
  item_count n;

  struct reference {
    const row_ends& ends;
    index_t i;
    ONEPASS_EXEC_CHECK_DISABLE
    ONEPASS_HOST_DEVICE void operator=(const counted<T>& inclusive) const {
      if (i + 1 == ends.n.get() || ends.heads.is_head(i + 1)) ends.end(i, inclusive);
    }
  };
  ONEPASS_HOST_DEVICE reference operator[](index_t i) const { return {*this, i}; }

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE void end(index_t, const counted<T>& inclusive) const {
    out_values[inclusive.heads - 1] = finished(inclusive.value);
  }
  ONEPASS_HOST_DEVICE void end_all(const counted<T>&) const {}
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE T finished(const T& total) const {
    Op o = op;
    return static_cast<T>(o(static_cast<T>(init), total));
  }
};

template <class Source, class T, class Out, class Init, class Op, class Counting>
struct pipeline_work<scan_job<Source, row_ends<T, Out, Init, Op>, Counting, emit_value, true>,
                     std::enable_if_t<Source::stageable>>
    : pipeline_reduction<scan_job<Source, row_ends<T, Out, Init, Op>, Counting, emit_value, true>> {};

template <class Policy, class It, class Out, class Init, class Op>
void reduce_rows_on_cuda(const char* call, const Policy& policy, It first, index_t n, const row_segments& rows, Out out,
                         Init init, Op op) {
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using source = counted_source<value, unwrapped<It>, heads_from_rows>;
  using ends = row_ends<value, unwrapped<Out>, Init, Op>;
  using job = scan_job<source, ends, counting<Op>, emit_value, /*is_inclusive=*/true>;
  const heads_from_rows heads = heads_of_rows(rows, n);
  run_scan<job>(call, policy, n, layout(), [&](void*) {
    // Rows behind a size in memory have no items.
    if (count_of(policy, n).size != nullptr) detail::fill_results(call, policy, unwrap(out), row_count(rows, n), init);
    return job{{unwrap(first), heads}, {heads, unwrap(out), init, op, count_of(policy, n)}, {op}, {}, {}, n};
  });
}
#endif

template <class Policy, class It, class Out, class Init, class Op>
Out reduce_rows(const char* call, const Policy& any_policy, It first, It last, row_segments rows, Out out, Init init,
                Op op) {
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  check_rows(call, rows);
  const index_t n = checked_distance(call, first, last), results = row_count(rows, n);
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, results);
  check_overlap(call, "[first, last)", first, n, "out", out, results, false);
  if (n == 0) return out;
  if constexpr (!on_cuda<policy_type>) {
    const row_offsets offsets{std::min(rows.length, n)};
    reduce_by_offsets_on_cpu(call, policy, first, n, offsets, results, out, init, op);
  } else {
    check_backend<policy_type>();
#if ONEPASS_HAS_CUDA
    detail::reduce_rows_on_cuda(call, policy, first, n, rows, out, init, op);
    wait_for_host<It, Out>(call, policy);
#endif
  }
  return out + results;
}

}  // namespace onepass::detail
