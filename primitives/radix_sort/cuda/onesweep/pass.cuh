// SPDX-License-Identifier: Apache-2.0
// The kernel of a pass: each block splits a tile by the action that the plan names. Atomic ranking is checked; where a
// tile has come out of order, it is ranked again by ballots and stored again.
#pragma once

#include "pass_tile.cuh"
#include "../../../../core/cuda/runtime/copy.cuh"
#include "../../../../core/support/none.hpp"

namespace onepass::detail {

// ---- one tile -------------------------------------------------------------------------------------------------------
// The usual case, a full tile that is ranked by atomics, is inlined, as the tile is in its registers. All other
// cases are functions that are not inlined: beside them in one function, the usual case would get fewer registers.
template <class Ranking, class Shape, class Job>
__device__ __noinline__ void split_partial_tile(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  using tile_type = split_tile<Ranking, Shape, Job, false>;
  (void)tile_type(job, shared_of_block<typename tile_type::shared>(), plan, n, tile).run(false);
}
// By ballots: where the plan says so, or again. Jobs whose plan never says so get less code, as no known GPU runs it.
template <class Shape, class Job>
__device__ __noinline__ void split_by_ballots(const Job& job, pass_plan plan, index_t n, unsigned tile, bool again) {
  using ranking = std::conditional_t<Job::may_choose_ballots, ballot_ranking, rare_ballot_ranking>;
  using tile_type = split_tile<ranking, Shape, Job, false>;
  if (again && threadIdx.x == 0) atomicAdd(&job.plan->tiles_redone, 1u);
  (void)tile_type(job, shared_of_block<typename tile_type::shared>(), plan, n, tile).run(again);
}

template <class Ranking, class Shape, class Job>
__device__ __forceinline__ void split_one_tile(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  constexpr bool is_padded = decltype(Job::digit)::can_pad;
  using tile_type = split_tile<Ranking, Shape, Job, !is_padded>;
  auto& s = shared_of_block<typename tile_type::shared>();
  if constexpr (!is_padded) {
    if (static_cast<index_t>(tile + 1) * items_of_tile<Shape, Job>() > n)
      return split_partial_tile<Ranking, Shape>(job, plan, n, tile);
  }
  const bool in_order = tile_type(job, s, plan, n, tile).run(false);
  if constexpr (Ranking::is_checked) {
    if (__syncthreads_or(!in_order)) split_by_ballots<Shape>(job, plan, n, tile, true);
  }
}

// AtomicRanking: the atomic ranking, or none if items are ranked by ballots only.
template <class AtomicRanking, class Shape, class Job>
__device__ __forceinline__ void split_as_ranked(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  if constexpr (std::is_same_v<AtomicRanking, none>) {
    split_one_tile<ballot_ranking, Shape>(job, plan, n, tile);
  } else {
    if constexpr (Job::may_choose_ballots) {
      if (plan.action == pass_action::ballot_ranking) return split_by_ballots<Shape>(job, plan, n, tile, false);
    }
    split_one_tile<AtomicRanking, Shape>(job, plan, n, tile);
  }
}

// Where all items have the same digit. A block copies as many items as its tile has.
template <class Shape, class Job>
__device__ __noinline__ void split_by_copying(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  const int items = items_of_tile<Shape, Job>();
  const index_t begin = static_cast<index_t>(tile) * items, end = min(begin + items, n);
  if (!detail::leaves_out_keys(job, plan))
    copy_range(job.keys.source(plan.from), job.keys.target(plan.to_alternate), begin, end);
  using values = decltype(job.values);
  if constexpr (stored_size<typename values::item> != 0) {
    const auto copy_values = [&](auto* to) {
      const auto* const from = job.values.source(plan.from);
      if (!numbers_itself(from)) return copy_range(from, to, begin, end);
      for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) number(to + i, i);
    };
    if constexpr (may_end_in_indices<values>) {
      if (widens(job, plan)) copy_values(job.values.output.widened);
      else copy_values(job.values.target(plan.to_alternate));
    } else {
      copy_values(job.values.target(plan.to_alternate));
    }
  }
  if (!job.is_only && threadIdx.x < digit_values) clear_table(job, 1 - plan.table, tile);
}

// Does for a tile what the plan says, unless that is to skip the pass.
template <class AtomicRanking, class Shape, class Job>
__device__ __forceinline__ void split_as_planned(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  if (plan.action == pass_action::copy) return split_by_copying<Shape>(job, plan, n, tile);
  split_as_ranked<AtomicRanking, Shape>(job, plan, n, tile);
}

// ---- the kernel -----------------------------------------------------------------------------------------------------
// Tiles are drawn by ticket: when a block has drawn one, all tiles before it belong to blocks that are running.
template <class Job>
__device__ pass_start draw(const Job& job, unsigned long long added = 1) {
  auto* const start = reinterpret_cast<unsigned long long*>(job.plan->pass + job.position);
  return ::cuda::std::bit_cast<pass_start>(atomicAdd(start, added));
}
// One thread reads the plan, or a warp makes it while another draws. A pass that has not waited yet has to read past the
// first-level cache; when all warps of all blocks did so, that one word of L2 slowed long sorts down.
template <class Job>
__device__ pass_start start_pass(const Job& job) {
  __shared__ pass_start start;
  if (threadIdx.x == 0) start = draw(job);
  if constexpr (Job::has_few_tiles) {
    __shared__ pass_plan own;
    __shared__ bool in_alternate;
    if (warp_id() == 1) in_alternate = make_own_plan(job, own);
    __syncthreads();                            // both are written
    if (start.tile == 0 && threadIdx.x == 0) {  // for the copy behind the passes
      // Other blocks draw from the same word meanwhile. So the plan is added to it, and not stored to half of it.
      (void)detail::draw(job, std::uint64_t{::cuda::std::bit_cast<unsigned>(own)} << 32);
      if (job.position == job.positions - 1) job.plan->result_in_alternate = in_alternate;
    }
    return {start.tile, own};
  } else {
    __syncthreads();  // it is written
    return start;
  }
}

// A block a tile. Where the number of items is found in memory, some blocks may have no tile: they clear their part of the
// next pass's table.
template <class AtomicRanking, class Shape, class Job>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) split_pass_kernel(const __grid_constant__ Job job) {
  static_assert(Shape::threads >= digit_values, "a thread for each digit");
  // The histogram makes the plan and the tickets. The first pass waits for it, and then finds in the first-level cache
  // whether it is skipped. When a later pass begins, the histogram has ended, as the pass before has waited for it; so a
  // later pass waits only before it reads the items of the pass before.
  if (job.position == 0) {
    wait_for_previous_kernel();
    if (!Job::has_few_tiles && job.plan->pass[0].plan.action == pass_action::skip) return;
  }
  const auto [tile, plan] = start_pass(job);
  if (job.position > 0) wait_for_previous_kernel();
  const index_t n = job.size.get();
  if (plan.action == pass_action::skip) return;
  if (index_t{tile} * items_of_tile<Shape, Job>() >= n) {
    if (!job.is_only && threadIdx.x < digit_values) clear_table(job, 1 - plan.table, tile);
    return;
  }
  split_as_planned<AtomicRanking, Shape>(job, plan, n, tile);
}

}  // namespace onepass::detail
