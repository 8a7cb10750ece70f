// SPDX-License-Identifier: Apache-2.0
// Segmented scans, from a call's arguments to a job: the operator works on (value, head flag) pairs, and the epilogue
// drops the flags.
#pragma once

#include "../../core/scan/run_scan.hpp"
#include "../../core/support/equal_to.hpp"
#include "../../core/support/argument_checks.hpp"
#include "../../core/support/accumulator.hpp"
#include "../../core/execution/host_results.hpp"
#include "../../core/execution/saved_input.hpp"
#include "cpu/cpu_offset_heads.hpp"
#include "../../core/segments/offset_heads.hpp"
#include "../../core/segments/row_heads.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/segments/whole_rows.cuh"
#endif

namespace onepass::detail {

// The job's types, from those of the call. Init is `none` for an inclusive scan.
template <class It, class Heads, class Out, class Init, class Op>
struct segmented_types {
  static constexpr bool inclusive = std::is_same_v<Init, none>;
  using item = value_of<It>;
  using value = scanned_type<inclusive, Op, Init, item, unwrapped<Out>>;
  using start = std::conditional_t<inclusive, starts_without_initial<value>, starts_with_initial<value, Op>>;
  using source = segmented_source<value, unwrapped<It>, Heads, start>;
  using emit = std::conditional_t<inclusive, emit_segmented, emit_segmented_exclusive<value>>;
  using job = scan_job<source, unwrapped<Out>, segmented<Op>, emit, inclusive>;

  static job make(It first, Heads heads, Out out, Init init, Op op, index_t n) {
    // One object after another: where a copy within nested braces throws, gcc 12 destroys a value that was never made.
    segmented<Op> operation{op};
    if constexpr (inclusive) {
      source values{unwrap(first), heads, {}};
      return {std::move(values), unwrap(out), std::move(operation), {}, {}, n};
    } else {
      const auto initial = static_cast<value>(init);
      source values{unwrap(first), heads, {initial, op}};
      emit results{initial};
      // An exclusive job has to have an initial pair. It has no effect, because item 0 is a head.
      flagged<value> in_front{initial, false};
      return {std::move(values), unwrap(out), std::move(operation), std::move(results), std::move(in_front), n};
    }
  }
};

template <class It, class Out>
index_t check_segmented(const char* call, It first, It last, Out out) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, n);
  check_overlap(call, "[first, last)", first, n, "out", out, n, true);
  return n;
}

// HeadIt: the iterator from which the heads are known, if there is one.
template <class HeadIt, class Policy, class It, class Heads, class Out, class Init, class Op>
Out segmented_scan_heads(const char* call, const Policy& policy, It first, index_t n, Heads heads, Out out, Init init,
                         Op op) {
  using types = segmented_types<It, Heads, Out, Init, Op>;
  detail::run_scan(call, policy, types::make(first, heads, out, init, op, n));
  wait_for_host<It, HeadIt, Out>(call, policy);
  return out + n;
}

// A key is compared with the one before it. So where results overwrite the keys, the scan reads a copy of the keys.
template <class Policy, class Keys, class Values, class Out, class Equal, class Init, class Op>
Out scan_by_key(const char* call, const Policy& any_policy, Keys first, Keys last, Values values, Out out, Equal equal,
                Init init, Op op) {
  using heads_type = heads_from_keys<unwrapped<Keys>, Equal>;
  using types = segmented_types<Values, heads_type, Out, Init, Op>;
  const auto policy = as_policy(any_policy);
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "keys", first, n);
  check_not_null(call, "values", values, n);
  check_not_null(call, "out", out, n);
  check_overlap(call, "the values", values, n, "out", out, n, true);
  check_overlap(call, "the keys", first, n, "out", out, n, true);
  check_saved(call, policy, "the keys", first, n, "out", out);
  layout scratch;
  saved_input<std::decay_t<decltype(policy)>, Keys> keys(first, n, detail::same_start(first, out), scratch);
  const auto make_job = [&](void* memory) {
    return types::make(values, heads_type{keys.get(call, policy, memory, n), equal}, out, init, op, n);
  };
  run_scan<typename types::job>(call, policy, n, scratch, make_job, keys);
  wait_for_host<Keys, Values, Out>(call, policy);
  return out + n;
}

template <class Policy, class It, class Flags, class Out, class Init, class Op>
Out segmented_scan(const char* call, const Policy& policy, It first, It last, Flags flags, Out out, Init init, Op op) {
  static_assert(is_iterator<Flags>,
                "onepass: segmented scans take head flags, onepass::offsets, onepass::rows or onepass::columns");
  const index_t n = check_segmented(call, first, last, out);
  check_not_null(call, "head_flags", flags, n);
  check_overlap(call, "the head flags", flags, n, "out", out, n, false);
  return segmented_scan_heads<Flags>(call, as_policy(policy), first, n,
                                     heads_from_flags<unwrapped<Flags>>{unwrap(flags)}, out, init, op);
}

template <class Policy, class It, class Out, class Init, class Op>
Out segmented_scan(const char* call, const Policy& any_policy, It first, It last, row_segments rows, Out out, Init init,
                   Op op) {
  check_rows(call, rows);
  const auto policy = as_policy(any_policy);
  const index_t n = check_segmented(call, first, last, out);
  const heads_from_rows heads = heads_of_rows(rows, n);
#if ONEPASS_HAS_CUDA
  if constexpr (on_cuda<std::decay_t<decltype(policy)>>) {
    using types = segmented_types<It, heads_from_rows, Out, Init, Op>;
    // A workspace is measured for the other ways, as longer rows take them.
    if (n > 0 && !is_measuring(policy) &&
        detail::scan_whole_rows<256>(call, policy, types::make(first, heads, out, init, op, n))) {
      wait_for_host<It, Out>(call, policy);
      return out + n;
    }
  }
#endif
  return segmented_scan_heads<It>(call, policy, first, n, heads, out, init, op);
}

#if ONEPASS_HAS_CUDA
// A long scan reads one bit an item where many offsets have to be read; these bits are made before. Other scans make
// the bits of each tile themselves.
template <class Policy, class It, class Offset, class Out, class Init, class Op>
void segmented_scan_offsets_on_cuda(const char* call, const Policy& policy, It first, index_t n,
                                    const offsets_range<Offset>& offsets, index_t count, Out out, Init init, Op op) {
  layout scratch;
  using bit_types = segmented_types<It, heads_from_flags<bit_iterator>, Out, Init, Op>;
  using bit_job = typename bit_types::job;
  if constexpr (pipeline_work<bit_job>::fits) {
    if (takes_pipeline<bit_job, is_sized<Policy>>(call, n)) {
      // Room for bits in any case, so that a workspace serves offsets of every density.
      const std::size_t words = scratch.add<std::uint32_t>(head_words(n));
      if (are_dense(count, n)) {
        return run_long_scan<bit_job>(call, policy, n, scratch, [&](void* memory) {
          const auto heads = mark_heads(call, policy, offsets, section<char>(memory, words), n);
          return bit_types::make(first, heads, out, init, op, n);
        });
      }
    }
  }
  using types = segmented_types<It, heads_from_offsets<unwrapped<Offset>>, Out, Init, Op>;
  const heads_from_offsets<unwrapped<Offset>> heads(unwrap(offsets.begin), count, n);
  run_scan<typename types::job>(call, policy, n, scratch,
                                [&](void*) { return types::make(first, heads, out, init, op, n); });
}
#endif

template <class Policy, class It, class Offset, class Out, class Init, class Op>
Out segmented_scan(const char* call, const Policy& any_policy, It first, It last, offsets_range<Offset> offsets,
                   Out out, Init init, Op op) {
  const auto policy = as_policy(any_policy);
  const index_t n = check_segmented(call, first, last, out);
  const index_t count = checked_distance(call, offsets.begin, offsets.end);
  check_not_null(call, "offsets", offsets.begin, count);
  check_overlap(call, "the offsets", offsets.begin, count, "out", out, n, false);
  using policy_type = std::decay_t<decltype(policy)>;
  if constexpr (!on_cuda<policy_type>) {
    const cpu_heads_from_offsets<unwrapped<Offset>> heads{unwrap(offsets.begin), count};
    return segmented_scan_heads<Offset>(call, policy, first, n, heads, out, init, op);
  } else {
    check_backend<policy_type>();
#if ONEPASS_HAS_CUDA
    detail::segmented_scan_offsets_on_cuda(call, policy, first, n, offsets, count, out, init, op);
    wait_for_host<It, Offset, Out>(call, policy);
#endif
    return out + n;
  }
}

}  // namespace onepass::detail
