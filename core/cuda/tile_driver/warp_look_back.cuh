// SPDX-License-Identifier: Apache-2.0
// The look-back of a team of warps. Both drivers on CUDA use it.
#pragma once

#include "../../lookback/look_back.hpp"
#include "../../support/construct.hpp"
#include "../io/warp.cuh"

namespace onepass::detail {

// Warps that look back together, as the group of running_prefix (core/lookback/look_back.hpp). Each warp reads the
// aggregates of 32 tiles at once and combines them, so one visit to L2 serves as many tiles as the team has lanes. The
// warps wait for each other at a barrier of their own; a team that is the whole block uses number 0. All lanes of the
// team call each function.
template <class Table, class Stored, int warps, int barrier_number>
class look_back_team {
 public:
  static constexpr tile_t width = warp_size;
  static constexpr tile_t window = warps;
  struct shared {
    alignas(Stored) unsigned char sums[2][warps * sizeof(Stored)];
  };

  // `warp`: the index of the calling warp in the team.
  __device__ look_back_team(shared& s, int warp) : shared_(s), warp_(warp) {}

  // Starts to read what sums(table, first, end) will need, so that it has arrived by then.
  __device__ void start(const Table& table, tile_t first, tile_t end) {
    mine_ = first + static_cast<tile_t>(warp_ * warp_size + lane_id());
    if (mine_ < end) raw_ = table.read(mine_);
    started_ = true;
  }

  // Takes start() back where no sums are needed. Contains a barrier, like sums.
  __device__ void cancel_start() {
    started_ = false;
    barrier();
  }

  // As running_prefix wants it. Contains a barrier.
  template <class Op>
  __device__ const Stored* sums(const Table& table, tile_t first, tile_t end, Op& op) {
    if (!started_) start(table, first, end);
    started_ = false;
    turn_ ^= 1;  // slow warps may still be reading the sums of the last call
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
    barrier();  // all warps have written their sums
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
