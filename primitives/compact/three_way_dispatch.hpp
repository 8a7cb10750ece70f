// SPDX-License-Identifier: Apache-2.0
// Partition to three ranges. On CUDA a tile puts the items of each kind side by side (cuda/three_way_tile.cuh). On the CPU
// it is a scan of two counts, whose epilogue stores each item at its rank among the items of its kind.
#pragma once

#include "../../core/scan/run_scan.hpp"
#include "../../core/support/argument_checks.hpp"
#include "compact_dispatch.hpp"
#include "equal_outputs.hpp"
#include "kinds.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/three_way_tile.cuh"
#endif

namespace onepass::detail {

// The scan's output: assigning the inclusive counts to element i stores item i.
template <class It, class Kinds, class OutFirst, class OutSecond, class OutRest>
struct three_outputs {
  It in;
  Kinds kinds;
  OutFirst out_first;
  OutSecond out_second;
  OutRest out_rest;
  index_t* counts;  // stored with the last item
  item_count n;

  struct reference {
    const three_outputs& to;
    index_t i;
    ONEPASS_EXEC_CHECK_DISABLE
    ONEPASS_HOST_DEVICE void operator=(const two_counts<index_t>& inclusive) const {
      const auto item = static_cast<value_of<It>>(to.in[i]);
      const int kind = to.kinds.of(item);
      if (kind == 0) to.out_first[inclusive.first - 1] = item;
      else if (kind == 1) to.out_second[inclusive.second - 1] = item;
      else to.out_rest[i - inclusive.first - inclusive.second] = item;
      if (i + 1 == to.n.get()) to.counts[0] = inclusive.first, to.counts[1] = inclusive.second;
    }
  };
  ONEPASS_HOST_DEVICE reference operator[](index_t i) const { return {*this, i}; }
};

struct three_sizes {
  index_t first, second, rest;
};

// The job's types, from those of the call.
template <class In, class OutFirst, class OutSecond, class OutRest, class First, class Second>
struct three_way_types {
  using kinds_type = kinds<First, Second>;
  using outputs =
      three_outputs<unwrapped<In>, kinds_type, unwrapped<OutFirst>, unwrapped<OutSecond>, unwrapped<OutRest>>;
  using source = values_source<two_counts<index_t>, unwrapped<In>, kinds_type>;
  using job = scan_job<source, outputs, add_two_counts, emit_value, /*is_inclusive=*/true>;
  static job make(const outputs& to) {
    const source from{to.in, to.kinds};  // without nested braces: segmented_scan_dispatch.hpp says why
    return {from, to, {}, {}, {}, to.n.most};
  }
#if ONEPASS_HAS_CUDA
  using cuda_job =
      three_way_job<unwrapped<In>, kinds_type, unwrapped<OutFirst>, unwrapped<OutSecond>, unwrapped<OutRest>>;
#endif
};

#if ONEPASS_HAS_CUDA
template <class Policy, class Job>
void launch_three_ways(const char* call, const Policy& policy, const Job& job) {
  constexpr std::size_t item_size = sizeof(typename Job::item);
  using large_tile = three_way_tile<Job, three_way_tuning>;
  using small_tile = std::conditional_t<(item_size <= 16), three_way_tile<Job, short_three_way_tuning>, large_tile>;
  constexpr index_t most_in_small = short_three_way_bytes(item_size) / index_t{item_size};
  layout scratch;
  with_driver<tile_driver<small_tile, Job>, tile_driver<large_tile, Job>, none, is_sized<Policy>>(
      call, job.n, most_in_small, scratch, [&](const auto& driver) {
        const cuda_call_memory memory(call, policy, {driver.tiles(), scratch.bytes()});
        if (!memory.measuring()) driver.launch(job, policy, memory.tiles(), memory.scratch());
      });
}
#endif

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
  using types = three_way_types<In, OutFirst, OutSecond, OutRest, First, Second>;
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
  const typename types::kinds_type kinds_of_items{is_first, is_second};
  const auto kind_of = number_of_kind<unwrapped<In>, typename types::kinds_type>{unwrap(first), kinds_of_items};
  check_equal_outputs(call, policy, n, kind_of, waits || !on_cuda<policy_type>, {"out_first", "out_second", "out_rest"},
                      out_first, out_second, out_rest);
  std::optional<waited_counts<policy_type>> waited;
  if (waits && runs) counts = waited.emplace(call).get();
  if constexpr (on_cuda<policy_type>) {
#if ONEPASS_HAS_CUDA
    launch_three_ways(call, policy,
                      typename types::cuda_job{unwrap(first), kinds_of_items, unwrap(out_first), unwrap(out_second),
                                               unwrap(out_rest), counts, n});
#endif
  } else {
    run_scan<typename types::job>(call, policy, n, layout(), [&](void*) {
      std::fill_n(counts, 2, index_t{0});  // there may be no item
      return types::make({unwrap(first), kinds_of_items, unwrap(out_first), unwrap(out_second), unwrap(out_rest),
                          counts, count_of(policy, n)});
    });
  }
  if (!waited.has_value()) return {0, 0, 0};
  const index_t* const both = waited->wait(call, policy);
  return {both[0], both[1], items_after(call, policy, n) - both[0] - both[1]};
}

}  // namespace onepass::detail
