// SPDX-License-Identifier: Apache-2.0
// Segments of a reduction by offsets that are too long for a tile. Each tile that has items of such a segment stores its part
// and counts itself in; whoever is the last to do so finds all parts there, and combines them. So nobody waits. The tile in which
// the segment begins has the counter, in the workspace's control block. It is zero between launches, but for the tag of the
// launch that used it last.
// The association: the parts of a segment are combined in the order of the tiles, by trees whose shape its first and last
// tile give.
#pragma once

#include <cuda/std/optional>

#include "../../../core/cuda/io/warp.cuh"
#include "../../../core/lookback/tile_memory.hpp"
#include "../../../core/support/atomic_words.hpp"
#include "../../../core/support/construct.hpp"

namespace onepass::detail {

// A long segment: the tiles that have its items, and that in which it ends. The step of an item comes behind the ends of all
// segments before.
struct long_segment {
  index_t number, first, last_item, end;

  // Of tiles of `steps` steps of a path.
  __device__ long_segment(index_t segment, index_t begin, index_t behind, index_t steps)
      : number(segment),
        first((begin + segment) / steps),
        last_item((behind - 1 + segment) / steps),
        end((behind + segment) / steps) {}
  // Of tiles of items.
  __device__ long_segment(index_t segment, index_t first_tile, index_t last_tile)
      : number(segment), first(first_tile), last_item(last_tile), end(last_tile) {}
};

template <class T>
struct long_segments {
  control* head;
  T* open;  // of each tile: its part of the segment that goes on behind it
  T* last;  // of each tile: its part of the segment that ends there

  // By one thread, before a barrier that the block's arrive() comes behind. Clears what an earlier launch has left in the
  // counter: all launches leave zero, but where offsets do not ascend.
  __device__ void prepare(const long_segment& of) const {
    std::uint32_t* const counter = head->counters + of.first;
    const std::uint32_t found = load_relaxed(counter);
    if ((found ^ no_parts()) >> count_bits != 0) atomicCAS(counter, found, no_parts());  // or another block has done it
  }

  // By one thread, after it has stored its block's part. Returns whether all parts are there.
  __device__ bool arrive(const long_segment& of) const {
    fence_acquire_release();  // whoever sees this part counted also sees it
    std::uint32_t* const counter = head->counters + of.first;
    const bool is_last = atomicAdd(counter, 1u) == no_parts() + static_cast<std::uint32_t>(of.last_item - of.first);
    fence_acquire_release();  // pairs with the fences of the others
    if (is_last) *counter = no_parts();
    return is_last;
  }

  // By a block: stores the result of a segment whose parts are all there. The first warp combines them, or of many so many
  // warps. of_warps: shared memory for a value of each of these.
  template <int warps, class Job>
  __device__ void combine(const Job& job, const long_segment& of, T* of_warps) const {
    const index_t open_parts = of.end - of.first;
    const bool are_many = open_parts > warp_size * each;
    auto op = job.op;
    ::cuda::std::optional<T> before, at_end;
    if (of.end == of.last_item && threadIdx.x == 0) at_end = last[of.end];
    if (are_many) {
      if (warp_id() < warps) {
        const T part =
            fold(of.first + open_parts * warp_id() / warps, of.first + open_parts * (warp_id() + 1) / warps, op);
        if (lane_id() == 0) detail::construct(of_warps + warp_id(), part);
      }
      __syncthreads();  // the warps' results are written
      if (threadIdx.x == 0) {
        before = of_warps[0];
        for (int w = 1; w < warps; ++w) before = static_cast<T>(op(*before, of_warps[w]));
      }
      __syncthreads();  // the memory is free
    } else if (warp_id() == 0) {
      before = fold(of.first, of.end, op);
    }
    if (threadIdx.x == 0) job.store(of.number, at_end ? static_cast<T>(op(*before, *at_end)) : *before);
  }

 private:
  static constexpr int each = 8;  // tiles of a lane at a time

  // A counter's lower bits count parts, the others are the launch's tag. There is room for all arrivals that there may be
  // where offsets do not ascend: two for each tile.
  static constexpr int count_bits = 13;
  static_assert(2 * control::most_counters < 1 << count_bits);

  // What a counter of this launch is before any part has arrived. The tag is from the grid's number, which all blocks of a
  // launch have in common; that is all that right results need. Tags of a context differ for 2^19 launches (but for those of
  // one graph's node), so a wrong call harms none of the next ones; a right one with the same counter ends it.
  static __device__ std::uint32_t no_parts() {
    std::uint64_t grid;
    asm("mov.u64 %0, %%gridid;" : "=l"(grid));
    return static_cast<std::uint32_t>(grid) << count_bits;
  }

  // A warp combines the open parts of the tiles from `first` on, up to `end`, of which there is at least one.
  template <class Op>
  __device__ T fold(index_t first, index_t end, Op& op) const {
    ::cuda::std::optional<T> all;
    for (index_t base = first; base < end; base += warp_size * each) {
      const index_t mine = base + lane_id() * each;
      T part = open[min(mine, end - 1)];  // a lane without tiles takes part with the last one, which does not count
#pragma unroll
      for (int j = 1; j < each; ++j) {
        if (mine + j < end) part = static_cast<T>(op(part, open[mine + j]));
      }
      const auto lanes = static_cast<int>(min(divide_up(end - base, index_t{each}), index_t{warp_size}));
      const T sum = warp_fold(part, lanes, op);
      all = all ? static_cast<T>(op(*all, sum)) : sum;
    }
    return *all;
  }
};

}  // namespace onepass::detail
