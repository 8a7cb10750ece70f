// SPDX-License-Identifier: Apache-2.0
// Runs a compaction on the policy's backend. The number of kept items is returned, for which the call waits, or stored
// to memory.
#pragma once

#include <optional>

#include "../../core/support/argument_checks.hpp"
#include "../../core/execution/host_results.hpp"
#include "cpu/cpu_pairs_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/choose_driver.cuh"
#include "../../core/cuda/runtime/cuda_call_memory.cuh"
#include "cuda/pipeline_compact.cuh"
#include "cuda/compact_tile.cuh"
#endif

namespace onepass::detail {

struct nothing_after {
  void operator()(void*, const index_t*, item_count) const {}
};

#if ONEPASS_HAS_CUDA
// run_compact on CUDA; the arguments are described there.
template <class Policy, class Rule, class MakeOutputs, class After>
index_t run_compact_on_cuda(const char* call, const Policy& policy, const Rule& rule, index_t n, index_t* count,
                            layout scratch, MakeOutputs make_outputs, After after) {
  using job = compact_job<Rule, decltype(make_outputs(nullptr))>;
  using tiles = tile_driver<compact_tile<job>, job>;
  using long_compaction =
      std::conditional_t<is_pipelined_compaction<job>, pipeline<job, typename compaction_work<job>::type>, none>;
  const bool waits = count == nullptr;
  // What follows a compaction reads the count on the device.
  constexpr bool is_read = !std::is_same_v<After, nothing_after>;
  const std::size_t own_count = scratch.add<index_t>(waits && is_read ? 1 : 0);
  std::optional<waited_counts<Policy>> waited;
  index_t kept = 0;
  with_driver<tiles, tiles, long_compaction, is_sized<Policy>>(call, n, 0, scratch, [&](const auto& driver) {
    if (n == 0 && waits) return;
    if (waits && !is_measuring(policy)) check_may_wait(call, policy);
    const cuda_call_memory memory(call, policy, {driver.tiles(), scratch.bytes()});
    if (memory.measuring()) return;
    if (n == 0) return clear_counts(call, policy, count, 1);
    if (waits) count = is_read ? section<index_t>(memory.scratch(), own_count) : waited.emplace().get(call);
    driver.launch(job{rule, make_outputs(memory.scratch()), count, n}, policy, memory.tiles(), memory.scratch());
    after(memory.scratch(), count, count_of(policy, n));
    if (waits && is_read) read_counts(call, policy, count, &kept, 1);
  });
  return waited.has_value() ? *waited->wait(call, policy) : kept;
}
#endif

// If `count` is null, waits and returns the number of kept items. Otherwise stores the number there and returns 0.
// `scratch`: what else the call needs. make_outputs(scratch memory) gives the outputs. after(scratch memory, count,
// number of items) enqueues what follows the compaction.
template <class Policy, class Rule, class MakeOutputs, class After = nothing_after>
index_t run_compact(const char* call, const Policy& policy, const Rule& rule, index_t n, index_t* count, layout scratch,
                    MakeOutputs make_outputs, After after = {}) {
  check_backend<Policy>();
  check_not_size(call, policy, count);
  if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
    return run_compact_on_cuda(call, policy, rule, n, count, scratch, make_outputs, after);
#endif
  } else {
    using job = compact_job<Rule, decltype(make_outputs(nullptr))>;
    n = items_now(policy, n);
    const cpu_tile_driver<typename cpu_tile_of<job>::type, job> driver(call, n, policy.threads(), scratch);
    const cpu_call_memory memory(call, policy, scratch.bytes());
    if (memory.measuring()) return 0;
    index_t own_count = 0;
    if (count == nullptr) count = &own_count;
    *count = 0;
    if (n > 0) {
      driver.run(job{rule, make_outputs(memory.scratch()), count, n}, memory.scratch());
      after(memory.scratch(), count, item_count{n, nullptr});
    }
    return own_count;
  }
}

// ---- the calls' arguments as rules ----------------------------------------------------------------------------------
template <class It, class Pred>
auto by_predicate(It it, Pred pred) {
  return kept_by_predicate<unwrapped<It>, Pred>{unwrap(it), pred};
}
template <class It, class Stencil, class Pred>
auto by_stencil(It it, Stencil stencil, Pred pred, const char* name = "stencil") {
  return kept_by_stencil<unwrapped<It>, unwrapped<Stencil>, Pred>{unwrap(it), unwrap(stencil), pred, name};
}
template <class It, class Equal>
auto by_first_of_run(It it, Equal equal) {
  return kept_if_first_of_run<unwrapped<It>, Equal>{unwrap(it), equal};
}

template <class Rule>
void check_rule(const char*, const Rule&, index_t) {}
template <class It, class Stencil, class Pred>
void check_rule(const char* call, const kept_by_stencil<It, Stencil, Pred>& rule, index_t n) {
  check_not_null(call, rule.name, rule.stencil, n);
}
// Throws if what a rule reads beside the items overlaps an output. Only the output's begin is known.
template <class Rule, class Out>
void check_apart(const char*, const Rule&, index_t, const char*, Out) {}
template <class It, class Stencil, class Pred, class Out>
void check_apart(const char* call, const kept_by_stencil<It, Stencil, Pred>& rule, index_t n, const char* name,
                 Out out) {
  detail::check_begin(call, (std::string("the ") + rule.name).c_str(), rule.stencil, n, name, out, false);
}

// Throws if an output may be stored over an item that the next one is still compared with: a tile's last item, which the
// tile's results reach if they are as large, or if they are smaller by less than an item in all. That cannot be where a
// tile has 64 items or more of at most 64 bytes. `bytes`: of an item with all that a tile keeps of it.
// Where output and input are one array of one type, what is stored over the last item before a tile is that item itself.
template <class In, class Out>
void check_runs_apart(const char* call, In first, index_t n, const char* name, Out out,
                      std::size_t bytes = sizeof(value_of<In>)) {
  if constexpr (is_contiguous<In> && is_contiguous<Out>) {
    constexpr bool same_items = std::is_same_v<value_of<In>, value_of<Out>>;
    constexpr std::size_t in_bytes = sizeof(value_of<In>), out_bytes = sizeof(value_of<Out>);
    if (n < 2 || out_bytes > in_bytes || (out_bytes < in_bytes && bytes <= 64)) return;
    const std::uintptr_t in = detail::address_of(first), to = detail::address_of(out);
    if (to > in || in - to >= in_bytes || (same_items && to == in)) return;
    throw invalid_argument(call, std::string(name) +
                                     " begins less than an item in front of the input, or there with items of " +
                                     "another type, where neighbours are compared");
  }
}

// Whether a column of zipped items is in place, which neighbours are compared by and whose items are no plain bytes.
template <class Equal, class A, class B>
bool compares_what_it_assigns(const Equal&, const A&, const B&) {
  return false;
}
template <class Equal, class... A, class... B, std::size_t... i>
bool compares_what_it_assigns(const thrust::zip_iterator<thrust::tuple<A...>>& a,
                              const thrust::zip_iterator<thrust::tuple<B...>>& b, std::index_sequence<i...>) {
  const auto assigns = [](const auto& from, const auto& to) {
    return !std::is_trivially_copyable_v<value_of<std::decay_t<decltype(from)>>> && is_in_place<true>(from, to);
  };
  return (assigns(thrust::get<i>(a.get_iterator_tuple()), thrust::get<i>(b.get_iterator_tuple())) || ...);
}
template <class Equal, class... A, class... B>
bool compares_what_it_assigns(const Equal&, const thrust::zip_iterator<thrust::tuple<A...>>& a,
                              const thrust::zip_iterator<thrust::tuple<B...>>& b) {
  constexpr std::size_t compared = is_equal_keys<Equal> ? 1 : sizeof...(A);
  if constexpr (sizeof...(A) != sizeof...(B)) return false;
  else return compares_what_it_assigns<Equal>(a, b, std::make_index_sequence<compared>());
}

// Whether writing an output of up to n items may overwrite what the rule reads beside the items.
template <class Rule, class Out>
bool may_be_written(const Rule&, index_t, Out) {
  return false;
}
template <class It, class Stencil, class Pred, class Out>
bool may_be_written(const kept_by_stencil<It, Stencil, Pred>& rule, index_t n, Out out) {
  return may_overlap(rule.stencil, n, out, n);
}

// ---- copies of the kept items ---------------------------------------------------------------------------------------
// Copies the kept items to `out`. Returns their number, or stores it in `count`. `same_range`: out is first.
template <class Policy, class In, class Rule, class Out>
index_t copy_kept(const char* call, const Policy& any_policy, In first, In last, const Rule& rule, Out out,
                  index_t* count, bool same_range = false) {
  const auto policy = as_policy(any_policy);
  constexpr bool may_look = !on_cuda<std::decay_t<decltype(policy)>>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  if (Rule::keeps_first) check_not_null(call, "out", out, n);  // else there may be nothing to store
  check_rule(call, rule, n);
  detail::check_begin(call, "[first, last)", first, n, "out", out, true);
  check_apart(call, rule, n, "out", out);
  if constexpr (Rule::keeps_first) check_runs_apart(call, first, n, "out", out);
  const bool ordered = may_overlap(first, n, out, n) || may_be_written(rule, n, out);
  return run_compact(call, policy, rule, n, count, layout(), [&](void*) {
    const bool in_place = same_range || is_in_place<may_look>(first, out);
    if constexpr (Rule::keeps_first && may_look) {  // what is in place would be stored again while others compare it
      if (!in_place && compares_what_it_assigns(rule.equal, first, out))
        throw invalid_argument(call, "such items are kept in place only if all that is zipped with them is, too");
    }
    return compact_outputs<unwrapped<Out>>{unwrap(out), {}, in_place, ordered};
  });
}

template <class Policy, class It, class Rule>
index_t keep_in_place(const char* call, const Policy& policy, It first, It last, const Rule& rule, index_t* count) {
  return detail::copy_kept(call, policy, first, last, rule, first, count, true);
}

}  // namespace onepass::detail
