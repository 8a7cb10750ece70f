// SPDX-License-Identifier: Apache-2.0
// What the kernels of a segmented sort share: how segments are told apart by length, and the lists of them.
//   short     up to 256 items: a group of lanes, several segments at once (cuda_short_segments.cuh)
//   middle    what a small block holds, or a large one (cuda_block_sort.cuh): a block each
//   long      more: tiles of all of them, numbered through, a block each (cuda_long_segments.cuh)
// Who comes first to a list stands first in it: segments are sorted apart, so no result depends on that.
#pragma once

#include "../../core/cuda/launch.cuh"
#include "../../core/segments.hpp"
#include "cuda_lane_sort.cuh"
#include "cuda_tuning.cuh"

namespace onepass::detail {

// A tile of a long segment.
struct segment_tile {
  index_t begin, size;     // of the segment
  unsigned segment, tile;  // which of the long ones, which of its tiles
};

// How many segments there are beside the short ones, and how much of them has been begun. All zero before.
struct segment_counts {
  unsigned middle[2], begun[2];  // for small blocks and for large ones
  unsigned longs, tiles;         // of long segments
  unsigned long long ticket;     // of a tile of a pass
};

// With room for as many as there can be, if no two segments overlap.
struct segment_lists {
  segment_counts* counts;
  item_range* middle[2];
  item_range* longs;
  unsigned char* plans;  // of the long ones, each as far as it is used
  segment_tile* tiles;
  int places;
  int middle_most[2];  // how many items a block of either kind sorts

  __device__ split_plan& plan(unsigned segment) const {
    return *reinterpret_cast<split_plan*>(plans + split_plan::bytes_used(places) * segment);
  }
};

template <class K, class V>
struct segmented_job {
  held_digits<K, true> digits;
  buffer_route<K> keys;
  V* values;
  item_count size;
  segment_lists lists;
  unsigned minus_one;  // see lanes_with_digit
};

template <class K, class V>
struct segment_classes {
  static constexpr int in_lanes = items_a_lane * warp_size;
  using block = block_sort_shape<sizeof(K), stored_size<V>>;
  struct large_block {
    static constexpr int threads = block::threads, blocks = 1, items = block::items;
  };
  // So small that several fit a multiprocessor.
  struct small_block {
    static constexpr int threads = 256, blocks = 6;
    static constexpr int items = std::min<int>(32 * 1024 / block::item_bytes / threads, 8) * threads;
  };
  static_assert(in_lanes <= small_block::items && small_block::items <= large_block::items);
  using tile = typename split_tuning<sizeof(K), stored_size<V>>::large::lane_order;
};

// ---- handing on ---------------------------------------------------------------------------------------------------------
// Each lane whose segment is meant.
__device__ inline void hand_to_block(const segment_lists& lists, int which, const item_range& segment, bool is_meant) {
  const unsigned meant = __ballot_sync(all_lanes, is_meant);
  if (meant == 0) return;
  unsigned first = 0;
  if (lane_id() == 0) first = atomicAdd(&lists.counts->middle[which], static_cast<unsigned>(__popc(meant)));
  const unsigned place = __shfl_sync(all_lanes, first, 0) + __popc(meant & lanes_below());
  if (is_meant) lists.middle[which][place] = segment;
}

// A segment that all lanes know: its tiles get numbers in a row, and its plan is cleared.
template <class Shape>
__device__ void hand_to_tiles(const segment_lists& lists, const item_range& segment) {
  const auto tiles = static_cast<unsigned>(tiles_of<Shape>(segment.size));
  unsigned number = 0, first = 0;
  if (lane_id() == 0) {
    number = atomicAdd(&lists.counts->longs, 1u);
    first = atomicAdd(&lists.counts->tiles, tiles);
  }
  number = __shfl_sync(all_lanes, number, 0);
  first = __shfl_sync(all_lanes, first, 0);
  for (unsigned t = lane_id(); t < tiles; t += warp_size)
    lists.tiles[first + t] = {segment.begin, segment.size, number, t};
  if (lane_id() == 0) lists.longs[number] = segment;
  auto* plan = reinterpret_cast<uint4*>(&lists.plan(number));
  for (unsigned i = lane_id(); i < split_plan::bytes_used(lists.places) / sizeof(uint4); i += warp_size)
    plan[i] = uint4{};
}

template <class K, class V>
__device__ void hand_on(const segment_lists& lists, const item_range& segment) {
  using classes = segment_classes<K, V>;
  const auto is_between = [&](index_t above, index_t upto) { return segment.size > above && segment.size <= upto; };
  hand_to_block(lists, 0, segment, is_between(classes::in_lanes, lists.middle_most[0]));
  hand_to_block(lists, 1, segment, is_between(lists.middle_most[0], lists.middle_most[1]));
  unsigned longs = __ballot_sync(all_lanes, segment.size > lists.middle_most[1]);
  for (; longs != 0; longs &= longs - 1) {
    const int lane = __ffs(static_cast<int>(longs)) - 1;
    hand_to_tiles<typename classes::tile>(lists, {shuffle_from(segment.begin, lane), shuffle_from(segment.size, lane)});
  }
}

}  // namespace onepass::detail
