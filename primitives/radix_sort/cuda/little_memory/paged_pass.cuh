// SPDX-License-Identifier: Apache-2.0
// The kernel of a pass over an array in pages (pages.cuh): the tiles of the usual pass (../onesweep/pass_tile.cuh).
#pragma once

#include "../onesweep/pass.cuh"
#include "pages.cuh"

namespace onepass::detail {

// rows: of a table of descriptors. most_kept: how many free pages a block keeps. A pass that would copy has nothing to
// do: all items are in order where they are.
template <class AtomicRanking, class Shape, class Job>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    paged_pass_kernel(const __grid_constant__ Job job, unsigned rows, int most_kept) {
  wait_for_previous_kernel();
  const pass_plan plan = job.plan->pass[job.position].plan;
  if (plan.action == pass_action::skip || plan.action == pass_action::copy) return;
  const index_t n = job.size.get();
  constexpr int tile_items = Shape::items;
  static_assert(tile_items % page_items == 0 && tile_items / page_items <= warp_size);
  static_assert(are_in_two_pages<Shape::per_thread>);
  const auto tiles = static_cast<unsigned>(divide_up(n, index_t{tile_items}));
  const page_pool& pool = job.keys.pool;
  block_pages& pages = block_pages::here();
  pages.begin(job.plan->count[job.position], n, job.keys.next_tile());
  for (;;) {
    if (warp_id() == 0) pages.find_next(pool, plan.from, tile_items);
    __syncthreads();  // the pages are found, and the tile before is stored
    const unsigned tile = pages.tile;
    if (warp_id() == 1) pages.free_read(pool, plan.from, most_kept);
    if (tile >= tiles) break;
    split_as_ranked<AtomicRanking, Shape>(job, plan, n, tile);
    if (threadIdx.x >= digit_values) continue;
    for (unsigned row = tile; row < rows; row += tiles)
      job.table[1 - plan.table][index_t{row} * digit_values + threadIdx.x] = 0;
  }
  if (warp_id() == 1) pages.free_all(pool);
}

}  // namespace onepass::detail
