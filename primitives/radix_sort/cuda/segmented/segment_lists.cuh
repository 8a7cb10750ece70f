// SPDX-License-Identifier: Apache-2.0
// What the kernels of a segmented sort share: how segments are told apart by length, and the lists of them.
//   short     up to 256 items: a group of lanes, several segments at once (short_segments.cuh)
//   middle    what a small block holds, or a large one: a block each (medium_segments.cuh)
//   long      more: tiles of all of them, numbered through, a block each (range_passes.cuh)
// Who comes first to a list stands first in it: segments are sorted apart, so no result depends on that. Few segments are not
// listed, but for the long ones: all others have a block each.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/segments/segment_bounds.hpp"
#include "../small/block_radix_sort.cuh"
#include "../small/merge_sort.cuh"

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
  int positions;
  int tile_items;
  int middle_most[2];  // how many items a block of either kind sorts

  __device__ unsigned tiles_of(index_t size) const {
    return static_cast<unsigned>(divide_up(size, index_t{tile_items}));
  }
  __device__ split_plan& plan(unsigned segment) const {
    return *reinterpret_cast<split_plan*>(plans + split_plan::bytes_used(positions) * segment);
  }
};

template <class K, class V>
struct segmented_job {
  bits_digits<K, true> digits;
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
  // By merging, and more items by digits: as many as the shared memory of a device of sm_90 holds beside the counters;
  // others have less (in_large_block). A block takes 1.3 ns a key, and a segment that is too long for it 4 to 10 us a digit.
  struct large_block {
    static constexpr int threads = most_merge_threads<K>;  // 1,024 are as fast for 20,000 items, and slower for 1,000
    static constexpr int blocks = 1, merged = merge_sort_items(threads);
    static constexpr std::size_t bytes = 226 * 1024, step = 512;
    static constexpr int items =
        static_cast<int>((bytes - block_sort_bytes<K, V>(0, threads)) / block::item_bytes / step * step);
    static constexpr std::size_t shared(int room) {
      const std::size_t to_merge = merge_sort_bytes<K>(threads);
      return room <= merged ? to_merge : std::max(block_sort_bytes<K, V>(room, threads), to_merge);
    }
  };
  // For as many items as it sorts by merging; what the registers that this takes allow.
  struct small_block {
    static constexpr int threads = 256, blocks = sizeof(K) <= 4 ? 3 : 2;
    static constexpr int merged = merge_sort_items(threads), items = merged;
    static constexpr std::size_t shared(int) { return merge_sort_bytes<K>(threads); }
  };
  static_assert(in_lanes <= small_block::items && small_block::items <= large_block::merged &&
                large_block::merged <= large_block::items);
  static_assert(large_block::items < 1 << 16, "where items stood is held in 16 bits");
  using tuning = split_tuning<sizeof(K), stored_size<V>>;
  using large_tile = typename tuning::large::lane_order;
  using small_tile = typename tuning::small::lane_order;
};

// ---- handing on ---------------------------------------------------------------------------------------------------------
// Each lane whose segment is meant.
__device__ inline void hand_to_block(const segment_lists& lists, int which, const item_range& segment, bool is_meant) {
  const unsigned meant = __ballot_sync(all_lanes, is_meant);
  if (meant == 0) return;
  unsigned first = 0;
  if (lane_id() == 0) first = atomicAdd(&lists.counts->middle[which], static_cast<unsigned>(__popc(meant)));
  const unsigned position = __shfl_sync(all_lanes, first, 0) + __popc(meant & lanes_below());
  if (is_meant) lists.middle[which][position] = segment;
}

// A segment that all lanes know: its tiles get numbers in a row, and its plan is cleared.
__device__ inline void hand_to_tiles(const segment_lists& lists, const item_range& segment) {
  const unsigned tiles = lists.tiles_of(segment.size);
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
  for (unsigned i = lane_id(); i < split_plan::bytes_used(lists.positions) / sizeof(uint4); i += warp_size)
    plan[i] = uint4{};
}

// Of each lane's segment, if it is a long one. All lanes.
__device__ inline void hand_on_long(const segment_lists& lists, const item_range& segment) {
  unsigned longs = __ballot_sync(all_lanes, segment.size > lists.middle_most[1]);
  for (; longs != 0; longs &= longs - 1) {
    const int lane = __ffs(static_cast<int>(longs)) - 1;
    hand_to_tiles(lists, {shuffle_from(segment.begin, lane), shuffle_from(segment.size, lane)});
  }
}

template <class K, class V>
__device__ void hand_on(const segment_lists& lists, const item_range& segment) {
  using classes = segment_classes<K, V>;
  const auto is_between = [&](index_t above, index_t inclusive) {
    return segment.size > above && segment.size <= inclusive;
  };
  hand_to_block(lists, 0, segment, is_between(classes::in_lanes, lists.middle_most[0]));
  hand_to_block(lists, 1, segment, is_between(lists.middle_most[0], lists.middle_most[1]));
  hand_on_long(lists, segment);
}

}  // namespace onepass::detail
