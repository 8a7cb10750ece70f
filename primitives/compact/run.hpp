// SPDX-License-Identifier: Apache-2.0
// Runs a compaction on the backend that a policy names, with the count returned (which waits) or left in memory.
#pragma once

#include "../../core/count.hpp"
#include "../../core/run_scan.hpp"
#include "cpu_pairs_tile.hpp"
#include "equal_outputs.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/pipeline.cuh"
#include "cuda_segments.cuh"
#include "cuda_tile.cuh"
#endif

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
// f(driver) with the driver for n items: a block for every few, or the pipeline for many. A workspace for n items serves
// fewer, too, so the pipeline's has room for the tiles of the other at the most items that it would be given.
template <class Job, class F>
auto with_compact_driver(const char* call, index_t n, layout& scratch, F f) {
  using short_pass = one_pass<compact_tile<Job>, Job>;
  if constexpr (is_pipelined_compaction<Job>) {
    using long_pass = pipeline<Job, compact_segments<Job>>;
    if (long_pass::suits(call, n)) {
      return f(long_pass(call, n, scratch, short_pass::tile_count(long_pass::least_items())));
    }
  }
  return f(short_pass(call, n, scratch));
}
#endif

// When `count` is null, waits and returns the number of kept items; else leaves it there and returns 0. `scratch`
// describes what else the call needs; make_sink(memory of that) gives the sink, `after(memory of that, count, number of
// items)` enqueues what follows the compaction.
template <class Policy, class Rule, class MakeSink, class After>
index_t run_compact(const char* call, const Policy& policy, const Rule& rule, index_t n, index_t* count, layout scratch,
                    MakeSink make_sink, After after) {
  check_backend<Policy>();
  using sink_type = decltype(make_sink(nullptr));
  using job = compact_job<Rule, sink_type>;
  check_not_size(call, policy, count);
  const bool waits = count == nullptr;
  const std::size_t own_count = scratch.add<index_t>(1);
  if constexpr (!on_cuda<Policy>) {
    n = items_now(policy, n);
    const cpu_one_pass<typename cpu_tile_of<job>::type, job> pass(call, n, policy.threads(), scratch);
    const cpu_lease lease(call, policy, scratch.bytes());
    if (lease.measuring()) return 0;
    if (waits) count = section<index_t>(lease.scratch(), own_count);
    *count = 0;
    if (n > 0) {
      pass.run(job{rule, make_sink(lease.scratch()), count, n}, lease.scratch());
      after(lease.scratch(), count, item_count{n, nullptr});
    }
    return waits ? *count : 0;
  } else {
#if ONEPASS_HAS_CUDA
    return with_compact_driver<job>(call, n, scratch, [&](const auto& pass) -> index_t {
      if (n == 0 && waits) return 0;
      const cuda_lease lease(call, policy, {pass.tiles(), scratch.bytes()});
      if (lease.measuring()) return 0;
      if (waits) {
        check_may_wait(call, policy);
        count = section<index_t>(lease.scratch(), own_count);
      }
      if (n == 0) {
        clear_counts(call, policy, count, 1);
        return 0;
      }
      pass.launch(job{rule, make_sink(lease.scratch()), count, n}, policy, lease.tiles(), lease.scratch());
      after(lease.scratch(), count, count_of(policy, n));
      index_t result = 0;
      if (waits) read_counts(call, policy, count, &result, 1);
      return result;
    });
#else
    return 0;
#endif
  }
}

// ---- rules, from the arguments of the calls ---------------------------------------------------------------------------
template <class It, class Pred>
auto by_predicate(It it, Pred pred) {
  return kept_by_predicate<unwrapped<It>, Pred>{unwrap(it), pred};
}
template <class It, class Stencil, class Pred>
auto by_stencil(It it, Stencil stencil, Pred pred, const char* name = "stencil") {
  return kept_by_stencil<unwrapped<It>, unwrapped<Stencil>, Pred>{unwrap(it), unwrap(stencil), pred, name};
}
template <class It, class Equal>
auto by_novelty(It it, Equal equal) {
  return kept_if_new<unwrapped<It>, Equal>{unwrap(it), equal};
}

template <class Rule>
void check_rule(const char*, const Rule&, index_t) {}
template <class It, class Stencil, class Pred>
void check_rule(const char* call, const kept_by_stencil<It, Stencil, Pred>& rule, index_t n) {
  check_not_null(call, rule.name, rule.stencil, n);
}
// A rule and an output, of which nothing is known but where it begins.
template <class Rule, class Out>
void check_apart(const char*, const Rule&, index_t, const char*, Out) {}
template <class It, class Stencil, class Pred, class Out>
void check_apart(const char* call, const kept_by_stencil<It, Stencil, Pred>& rule, index_t n, const char* name,
                 Out out) {
  check_begin(call, (std::string("the ") + rule.name).c_str(), rule.stencil, n, name, out, false);
}

// Whether an output of up to n items may be what the rule reads beside the items.
template <class Rule, class Out>
bool may_be_written(const Rule&, index_t, Out) {
  return false;
}
template <class It, class Stencil, class Pred, class Out>
bool may_be_written(const kept_by_stencil<It, Stencil, Pred>& rule, index_t n, Out out) {
  return may_overlap(rule.stencil, n, out, n);
}

// ---- kept items to one place --------------------------------------------------------------------------------------------
// Returns their number, or leaves it in `count`. `is_same`: out is first.
template <class Policy, class In, class Rule, class Out>
index_t copy_kept(const char* call, const Policy& any_policy, In first, In last, const Rule& rule, Out out,
                  index_t* count, bool is_same = false) {
  const auto policy = as_policy(any_policy);
  constexpr bool may_look = !on_cuda<std::decay_t<decltype(policy)>>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  if (Rule::keeps_first) check_not_null(call, "out", out, n);  // else there may be nothing to store
  check_rule(call, rule, n);
  check_begin(call, "[first, last)", first, n, "out", out, true);
  check_apart(call, rule, n, "out", out);
  const bool ordered = may_overlap(first, n, out, n) || may_be_written(rule, n, out);
  return run_compact(
      call, policy, rule, n, count, layout(),
      [&](void*) {
        return sink<unwrapped<Out>>{unwrap(out), {}, is_same || is_in_place<may_look>(first, out), ordered};
      },
      [](void*, index_t*, item_count) {});
}

template <class Policy, class It, class Rule>
index_t keep_in_place(const char* call, const Policy& policy, It first, It last, const Rule& rule, index_t* count) {
  return copy_kept(call, policy, first, last, rule, first, count, true);
}

// ---- kept items to one place, the others to another ---------------------------------------------------------------------
struct two_sizes {
  index_t kept, rejected;
};

// Which output an item goes to.
template <class Rule>
struct kept_or_not {
  Rule rule;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE int operator()(index_t i) const {
    Rule r = rule;
    return r.keeps(i, static_cast<typename Rule::item>(rule.it[i])) ? 0 : 1;
  }
};

// Returns how many there are of both, or leaves the number of kept ones in `count`.
template <class Policy, class In, class Rule, class Kept, class Rejected>
two_sizes copy_both(const char* call, const Policy& any_policy, In first, In last, const Rule& rule, Kept kept,
                    Rejected rejected, index_t* count) {
  const auto policy = as_policy(any_policy);
  constexpr bool is_cuda = on_cuda<std::decay_t<decltype(policy)>>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_rule(call, rule, n);
  check_begin(call, "[first, last)", first, n, "out_true", kept, true);
  check_begin(call, "[first, last)", first, n, "out_false", rejected, true);
  check_apart(call, rule, n, "out_true", kept);
  check_apart(call, rule, n, "out_false", rejected);
  check_equal_outputs(call, policy, n, kept_or_not<Rule>{rule}, count == nullptr || !is_cuda, {"out_true", "out_false"},
                      kept, rejected);
  const bool ordered = may_overlap(first, n, kept, n) || may_overlap(first, n, rejected, n) ||
                       may_be_written(rule, n, kept) || may_be_written(rule, n, rejected);
  const index_t size = run_compact(
      call, policy, rule, n, count, layout(),
      [&](void*) {
        return sink<unwrapped<Kept>, unwrapped<Rejected>>{unwrap(kept), unwrap(rejected),
                                                          is_in_place<!is_cuda>(first, kept), ordered};
      },
      [](void*, index_t*, item_count) {});
  if (is_measuring(policy)) return {0, 0};  // no item is seen, and outputs may not have room for all
  if constexpr (is_cuda) return {size, n - size};
  else return {size, items_now(policy, n) - size};
}

}  // namespace onepass::detail
