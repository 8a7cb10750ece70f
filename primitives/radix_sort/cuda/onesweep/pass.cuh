// SPDX-License-Identifier: Apache-2.0
// The kernel of a pass: a block a tile, in one of the ways that the plan may choose. Where a tile's ranking is checked and
// does not hold, the tile is ranked again by ballots and stored again.
#pragma once

#include "pass_tile.cuh"
#include "../../../../core/support/none.hpp"

namespace onepass::detail {

// By a block: out[i] = in[i] for i from begin to end.
template <int threads, class In, class Out>
__device__ void copy_stretch(In in, Out out, index_t begin, index_t end) {
  constexpr int in_flight = 8;
  using item = value_of<In>;
  index_t i = begin + threadIdx.x;
  for (; i + (in_flight - 1) * threads < end; i += in_flight * threads) {
    item items[in_flight];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) items[j] = in[i + j * threads];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) out[i + j * threads] = items[j];
  }
  for (; i < end; i += threads) out[i] = in[i];
}

// What is not inlined is so for the sake of the full tiles of the first choice, which would get fewer registers beside it.
template <class Ranking, class Shape, class Job>
__device__ __noinline__ void split_partial_tile(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  using tile_type = split_tile<Ranking, Shape, Job, false>;
  (void)tile_type(job, shared_of_block<typename tile_type::shared>(), plan, n, tile).run(false);
}
template <class Shape, class Job>
__device__ __noinline__ void split_tile_again(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  using tile_type = split_tile<by_ballots, Shape, Job, false>;
  if (threadIdx.x == 0) atomicAdd(&job.plan->tiles_redone, 1u);
  (void)tile_type(job, shared_of_block<typename tile_type::shared>(), plan, n, tile).run(true);
}

// Inlined, as it holds the tile's registers.
template <class Ranking, class Shape, class Job>
__device__ __forceinline__ void split_one_tile(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  constexpr bool is_padded = decltype(Job::digit)::can_pad;
  using tile_type = split_tile<Ranking, Shape, Job, !is_padded>;
  auto& s = shared_of_block<typename tile_type::shared>();
  if constexpr (!is_padded) {
    if (static_cast<index_t>(tile + 1) * Shape::items > n)
      return split_partial_tile<Ranking, Shape>(job, plan, n, tile);
  }
  const bool in_order = tile_type(job, s, plan, n, tile).run(false);
  if constexpr (Ranking::is_checked) {
    if (__syncthreads_or(!in_order)) split_tile_again<Shape>(job, plan, n, tile);
  }
}

// Tiles by ticket: who holds one knows that blocks which run hold all before it.
template <class Job>
__device__ pass_start draw(const Job& job) {
  return ::cuda::std::bit_cast<pass_start>(atomicAdd(word_of_pass(job), 1ull));
}
template <class Job>
__device__ unsigned next_tile(const Job& job) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = draw(job).tile;
  __syncthreads();  // the number is written, and a tile before is stored
  return tile;
}
// By one thread, as a pass that has not waited reads past the first-level cache: when all warps of all blocks did, one word
// of L2 held up long sorts.
template <class Job>
__device__ pass_start start_pass(const Job& job) {
  __shared__ pass_start start;
  pass_start mine = {};
  if (threadIdx.x == 0) mine = draw(job);
  if constexpr (Job::may_have_rows) {
    if (job.counted.counts != nullptr) mine.plan = plan_by_rows(job);
  }
  if (threadIdx.x == 0) start = mine;
  __syncthreads();  // it is written
  return start;
}

// Where ballots are the second choice, their tiles are smaller than those that the grid is for: some blocks take two.
template <class Shape, class Job>
__device__ __noinline__ void split_one_by_ballots(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  split_one_tile<by_ballots, Shape>(job, plan, n, tile);
}
template <class Shape, class Job>
__device__ __noinline__ void split_by_ballots(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  for (const index_t tiles = tiles_of<Shape>(n); tile < tiles; tile = next_tile(job)) {
    split_one_by_ballots<Shape>(job, plan, n, tile);
  }
}

// All items share the digit. As many items a block as in its tile.
template <class Shape, class Job>
__device__ __noinline__ void split_by_copying(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  const index_t begin = static_cast<index_t>(tile) * Shape::items;
  const index_t end = min(begin + Shape::items, n);
  copy_stretch<Shape::threads>(job.keys.source(plan.from_alternate), job.keys.target(plan.from_alternate), begin, end);
  using value = typename decltype(job.values)::item;
  if constexpr (stored_size<value> != 0) {
    copy_stretch<Shape::threads>(job.values.source(plan.from_alternate), job.values.target(plan.from_alternate), begin,
                                 end);
  }
  if (threadIdx.x < digit_values) clear_table(job, !plan.from_alternate, tile);
}

template <class Shape, class Job>
__device__ __noinline__ void split_by_lane_order_but_one(const Job& job, pass_plan plan, index_t n, unsigned tile) {
  split_one_tile<by_lane_order_but_one, Shape>(job, plan, n, tile);
}

// A block a tile of the first choice: lane order, if it may be at all. Where the number of items is found in memory, some
// blocks may have none: they clear their part of the next pass's table.
template <class LaneOrder, class Shapes, class Job>
__global__ void __launch_bounds__(Shapes::threads, Shapes::blocks) split_pass_kernel(const __grid_constant__ Job job) {
  // The plan and the tickets are the histogram's work. When a pass but the first begins, that is done: the pass before has
  // waited for it. So here, only the first waits now, the others when they want the items of the one before.
  if (job.position == 0) wait_for_previous_kernel();
  const auto [tile, plan] = start_pass(job);
  if (job.position > 0) wait_for_previous_kernel();
  const index_t n = job.size.get();
  if (plan.way == pass_action::skip) return;
  if (plan.way == pass_action::copy) return split_by_copying<typename Shapes::lane_order>(job, plan, n, tile);
  using first_choice =
      std::conditional_t<std::is_same_v<LaneOrder, none>, typename Shapes::ballots, typename Shapes::lane_order>;
  const bool by_ballots_second = !std::is_same_v<LaneOrder, none> && plan.way == pass_action::by_ballots;
  if (!by_ballots_second && tile >= tiles_of<first_choice>(n)) {
    if (!job.is_only && threadIdx.x < digit_values) clear_table(job, !plan.from_alternate, tile);
    return;
  }
  if constexpr (std::is_same_v<LaneOrder, none>) {
    split_one_tile<by_ballots, typename Shapes::ballots>(job, plan, n, tile);
  } else {
    if (plan.way == pass_action::by_ballots) return split_by_ballots<typename Shapes::ballots>(job, plan, n, tile);
    if (plan.way == pass_action::by_lane_order_but_one)
      return split_by_lane_order_but_one<typename Shapes::lane_order>(job, plan, n, tile);
    split_one_tile<LaneOrder, typename Shapes::lane_order>(job, plan, n, tile);
  }
}

}  // namespace onepass::detail
