// SPDX-License-Identifier: Apache-2.0
// The look-back of a team of warps, for both drivers on CUDA.
#pragma once

#include "../../lookback/look_back.hpp"
#include "../../support/construct.hpp"
#include "../io/warp.cuh"

namespace onepass::detail {

// Some warps of a block wait for each other; number 0 is __syncthreads'. All lanes of all these warps.
template <int number, int warps>
__device__ void barrier_of_warps() {
  asm volatile("bar.sync %0, %1;" ::"n"(number), "n"(warps * warp_size) : "memory");
}

// Warps that look back together (core/lookback/look_back.hpp): each combines the aggregates of 32 tiles, all at once, so that one
// visit to L2 is enough for as many tiles as there are lanes. They wait for each other at a barrier of their own; its number
// is 0 for a team that is the whole block. All lanes of the team call its functions.
template <class Table, class Stored, int warps, int barrier_number>
class look_back_team {
 public:
  static constexpr tile_t width = warp_size;
  static constexpr tile_t window = warps;
  struct shared {
    alignas(Stored) unsigned char sums[2][warps * sizeof(Stored)];
  };

  // `warp`: which of the team's warps this is.
  __device__ look_back_team(shared& s, int warp) : shared_(s), warp_(warp) {}

  // Starts to read what sums(table, first, end) will want, to have it there by then.
  __device__ void start(const Table& table, tile_t first, tile_t end) {
    mine_ = first + static_cast<tile_t>(warp_ * warp_size + lane_id());
    if (mine_ < end) raw_ = table.read(mine_);
    started_ = true;
  }

  // Takes a start back where no sums are wanted. Like sums, it contains a barrier.
  __device__ void nothing_before() {
    started_ = false;
    barrier();
  }

  // Contains a barrier.
  template <class Op>
  __device__ const Stored* sums(const Table& table, tile_t first, tile_t end, Op& op) {
    if (!started_) start(table, first, end);
    started_ = false;
    turn_ ^= 1;  // slow warps may still be reading what was left here the last time
    Stored* sums = reinterpret_cast<Stored*>(shared_.sums[turn_]);
    const tile_t group = first + static_cast<tile_t>(warp_) * width;
    if (group < end) {
      for (spin_guard guard; __any_sync(all_lanes, mine_ < end && !table.is_published(raw_)); guard.wait()) {
        if (mine_ < end && !table.is_published(raw_)) raw_ = table.read(mine_);
      }
      Stored part{};
      if (mine_ < end) part = table.value(mine_, raw_);
      const int count = static_cast<int>(end - group < width ? end - group : width);
      const Stored sum = warp_fold(part, count, op);
      if (lane_id() == 0) detail::construct(sums + warp_, sum);
    }
    barrier();  // all sums are written
    return sums;
  }

 private:
  static __device__ void barrier() { barrier_of_warps<barrier_number, warps>(); }

  shared& shared_;
  int warp_;
  typename Table::raw raw_{};
  tile_t mine_ = 0;  // the tile that this lane looks at
  bool started_ = false;
  int turn_ = 0;
};

}  // namespace onepass::detail
