// SPDX-License-Identifier: Apache-2.0
// Partition to three ranges, on the policy's backend.
#pragma once

#include "../../core/support/argument_checks.hpp"
#include "compact_dispatch.hpp"
#include "equal_outputs.hpp"
#include "cpu/cpu_three_way_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/pipeline_three_way.cuh"
#include "cuda/three_way_tile.cuh"
#endif

namespace onepass::detail {

struct three_sizes {
  index_t first, second, rest;
};

// Enqueues or does the work. On the CPU the number of items is known. A job without counts gets `waited`'s.
template <class Policy, class Job>
void run_three_ways(const char* call, const Policy& policy, Job job, std::optional<waited_counts<Policy>>& waited) {
  check_backend<Policy>();
  layout scratch;
  if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
    constexpr std::size_t item_size = sizeof(typename Job::item);
    using large_tile = three_way_tile<Job, three_way_tuning>;
    using small_tile = std::conditional_t<(item_size <= 16), three_way_tile<Job, short_three_way_tuning>, large_tile>;
    constexpr index_t most_in_small = short_three_way_bytes(item_size) / index_t{item_size};
    with_driver<tile_driver<small_tile, Job>, tile_driver<large_tile, Job>, typename long_three_way<Job>::driver,
                is_sized<Policy>>(call, job.n, most_in_small, scratch, [&](const auto& driver) {
      const cuda_call_memory memory(call, policy, {driver.tiles(), scratch.bytes()});
      if (memory.measuring()) return;
      if (job.counts == nullptr) job.counts = waited.emplace().get(call);
      driver.launch(job, policy, memory.tiles(), memory.scratch());
    });
#endif
  } else {
    job.n = items_now(policy, job.n);
    const cpu_tile_driver<cpu_three_way_tile<Job>, Job> driver(call, job.n, policy.threads(), scratch);
    const cpu_call_memory memory(call, policy, scratch.bytes());
    if (memory.measuring()) return;
    if (job.counts == nullptr) job.counts = waited.emplace().get(call);
    if (job.n == 0) job.end_empty();
    driver.run(job, memory.scratch());
  }
}

// Checks the ranges, and returns how many items the input has.
template <class In, class OutFirst, class OutSecond, class OutRest>
index_t check_three_ways(const char* call, In first, In last, OutFirst out_first, OutSecond out_second,
                         OutRest out_rest) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  detail::check_begin(call, "[first, last)", first, n, "out_first", out_first, false);
  detail::check_begin(call, "[first, last)", first, n, "out_second", out_second, false);
  detail::check_begin(call, "[first, last)", first, n, "out_rest", out_rest, false);
  return n;
}

// Returns how many items there are of each kind, or stores the first two of these numbers in `counts`.
template <class Policy, class In, class OutFirst, class OutSecond, class OutRest, class First, class Second>
three_sizes partition_three_ways(const char* call, const Policy& any_policy, In first, In last, OutFirst out_first,
                                 OutSecond out_second, OutRest out_rest, First is_first, Second is_second,
                                 index_t* counts) {
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  const index_t n = check_three_ways(call, first, last, out_first, out_second, out_rest);
  check_not_size(call, policy, counts);
  if (counts != nullptr) check_not_size(call, policy, counts + 1);
  const bool waits = counts == nullptr, runs = !is_measuring(policy);
  if (n == 0) {
    if (!waits && runs) clear_counts(call, policy, counts, 2);
    return {0, 0, 0};
  }
  if (waits && runs) check_may_wait(call, policy);
  const kinds<First, Second> kinds_of_items{is_first, is_second};
  const number_of_kind<unwrapped<In>, kinds<First, Second>> kind_of{unwrap(first), kinds_of_items};
  check_equal_outputs(call, policy, n, kind_of, waits || !on_cuda<policy_type>, {"out_first", "out_second", "out_rest"},
                      out_first, out_second, out_rest);
  std::optional<waited_counts<policy_type>> waited;
  run_three_ways(
      call, policy,
      three_way_job<unwrapped<In>, kinds<First, Second>, unwrapped<OutFirst>, unwrapped<OutSecond>, unwrapped<OutRest>>{
          {unwrap(first), {}}, kinds_of_items, unwrap(out_first), unwrap(out_second), unwrap(out_rest), counts, n},
      waited);
  if (!waited.has_value()) return {0, 0, 0};
  const index_t* const both = waited->wait(call, policy);
  return {both[0], both[1], items_after(call, policy, n) - both[0] - both[1]};
}

}  // namespace onepass::detail
