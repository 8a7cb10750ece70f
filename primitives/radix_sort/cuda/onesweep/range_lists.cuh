// SPDX-License-Identifier: Apache-2.0
// A list of ranges of one array that are to be sorted each by itself, by the passes of range_passes.cuh. The tiles of
// all ranges are numbered through, and each range has a plan of its own.
//
// The list is made on the device. The order in which ranges are listed depends on timing; no result does, as ranges are
// sorted apart.
#pragma once

#include "../../../../core/segments/segment_bounds.hpp"
#include "plan.cuh"

namespace onepass::detail {

// A tile of a range.
struct range_tile {
  index_t begin, size;   // of the range
  unsigned range, tile;  // which range, and which of its tiles
};

// How many there are, and how much has been begun. All zero before.
struct range_counts {
  unsigned ranges, tiles;
  unsigned long long ticket;  // the next tile of a pass
};

// With room for as many ranges and tiles as there can be, if no two ranges overlap.
struct range_lists {
  range_counts* counts;
  item_range* ranges;
  unsigned char* plans;  // of the ranges, each only as long as its digit positions need
  range_tile* tiles;
  int positions;
  int tile_items;

  __device__ unsigned tiles_of(index_t size) const {
    return static_cast<unsigned>(divide_up(size, index_t{tile_items}));
  }
  __device__ split_plan& plan(unsigned range) const {
    return *reinterpret_cast<split_plan*>(plans + split_plan::bytes_used(positions) * range);
  }
};

// Lists a range, whose tiles get consecutive numbers, and clears its plan. By all lanes of a warp, with the same range.
__device__ inline void enqueue_range(const range_lists& lists, const item_range& range) {
  const unsigned tiles = lists.tiles_of(range.size);
  unsigned number = 0, first = 0;
  if (lane_id() == 0) {
    number = atomicAdd(&lists.counts->ranges, 1u);
    first = atomicAdd(&lists.counts->tiles, tiles);
  }
  number = __shfl_sync(all_lanes, number, 0);
  first = __shfl_sync(all_lanes, first, 0);
  for (unsigned t = lane_id(); t < tiles; t += warp_size) lists.tiles[first + t] = {range.begin, range.size, number, t};
  if (lane_id() == 0) lists.ranges[number] = range;
  auto* plan = reinterpret_cast<uint4*>(&lists.plan(number));
  for (unsigned i = lane_id(); i < split_plan::bytes_used(lists.positions) / sizeof(uint4); i += warp_size)
    plan[i] = uint4{};
}

// Keys whose listed ranges are sorted.
template <class K>
struct range_job {
  bits_digits<K, true> digits;
  buffer_route<K> keys;
  item_count size;
  range_lists lists;
  unsigned minus_one;  // see lanes_with_digit
};

}  // namespace onepass::detail
