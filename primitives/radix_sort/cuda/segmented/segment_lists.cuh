// SPDX-License-Identifier: Apache-2.0
// What the kernels of a segmented sort share: how segments are told apart by length, and the lists of them.
//   short     up to 256 items: some lanes each, several segments a warp (short_segments.cuh)
//   medium    as many items as a small block holds, a middle one, or a large one: a block each (medium_segments.cuh)
//   long      more items: whole passes, over the tiles of all long segments (range_passes.cuh)
// The order of segments in a list depends on timing; no result does, as segments are sorted apart. If there are few
// segments, each has a block of its own, and only those are listed that such a block does not hold.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../onesweep/range_lists.cuh"
#include "../small/block_radix_sort.cuh"
#include "../small/merge_sort.cuh"

namespace onepass::detail {

// The kinds of blocks that sort medium segments: small, middle and large ones.
constexpr int kinds_of_blocks = 3;

// How many segments there are beside the short ones, and how many of them have been begun. All zero before.
struct segment_counts {
  unsigned medium[kinds_of_blocks], begun[kinds_of_blocks];
  range_counts long_segments;
};

// With room for as many as there can be, if no two segments overlap.
struct segment_lists {
  segment_counts* counts;
  item_range* medium[kinds_of_blocks];
  int medium_most[kinds_of_blocks];  // how many items a block of each kind sorts
  range_lists long_segments;

  ONEPASS_HOST_DEVICE int most_in_a_block() const { return medium_most[kinds_of_blocks - 1]; }
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

// Up to how many items a segment is short, and how many a small, a middle and a large block sort.
template <class K, class V>
struct segment_classes {
  static constexpr int in_lanes = items_a_lane * warp_size;
  // A block with so many bytes of shared memory, and as many items as fit there beside the counters. Other devices have
  // less memory.
  template <int threads_, std::size_t bytes>
  struct block_with {
    static constexpr int threads = threads_, step = 512;
    static constexpr std::size_t item_bytes = block_sort_shape<sizeof(K), stored_size<V>>::item_bytes;
    static constexpr int items =
        static_cast<int>((bytes - block_sort_bytes<K, V>(0, threads)) / item_bytes) / step * step;
  };
  // Sorts by merging only. As many blocks a multiprocessor as its registers allow.
  struct small_block {
    static constexpr int threads = 256, blocks = sizeof(K) <= 4 ? 3 : 2;
    static constexpr int merged = merge_sort_items(threads), items = merged;
    static constexpr std::size_t shared(int) { return merge_sort_bytes<K>(threads); }
  };
  // Sorts digit by digit only. Two of these a multiprocessor are faster than one large block. On an H100 keys alone
  // sort 10 % faster by 256 threads than by 512, and pairs 2 % slower.
  struct middle_block : block_with<stored_size<V> == 0 ? 256 : most_merge_threads<K>, 112 * 1024> {
    static constexpr int blocks = 2, merged = 0;
    static constexpr std::size_t shared(int room) { return block_sort_bytes<K, V>(room, middle_block::threads); }
  };
  // Sorts by merging, and more items digit by digit.
  template <std::size_t bytes, int blocks_>
  struct merging_block : block_with<most_merge_threads<K>, bytes> {
    static constexpr int blocks = blocks_, merged = merge_sort_items(most_merge_threads<K>);
    static constexpr int items = std::max(block_with<most_merge_threads<K>, bytes>::items, merged);
    static constexpr std::size_t shared(int room) {
      const std::size_t to_merge = merge_sort_bytes<K>(merging_block::threads);
      return room <= merged ? to_merge : std::max(block_sort_bytes<K, V>(room, merging_block::threads), to_merge);
    }
  };
  // As many items as the shared memory of sm_90 holds. A block takes 1.3 ns a key; a segment that is too long for it
  // takes 4 to 10 us a digit. With 1,024 threads it would be as fast for 20,000 items, and slower for 1,000.
  using large_block = merging_block<226 * 1024, 1>;
  // For few rows that it holds.
  using row_block = merging_block<112 * 1024, 2>;
  // How many items these two take where most likely no segment has more than they merge. What they leave of the shared
  // memory is first-level cache, which serves the gather of pairs: 132 and 256 rows of 4,096 take 20 and 28 us, and 23
  // and 35 with all of it (H100).
  static constexpr bool gathers = stored_size<V> != 0;
  static constexpr int in_large_beside_cache = gathers ? merging_block<192 * 1024, 1>::items : large_block::items;
  static constexpr int in_row_beside_cache = gathers ? merging_block<80 * 1024, 2>::items : row_block::items;
  static_assert(in_lanes <= small_block::items && small_block::items <= middle_block::items &&
                middle_block::items < large_block::items && row_block::items < large_block::items);
  static_assert(large_block::items < 1 << 16, "an item's index in the input has 16 bits");
  using tuning = split_tuning<sizeof(K), stored_size<V>>;
  using large_tile = typename tuning::large;
  using small_tile = typename tuning::small;
};

// ---- listing segments -----------------------------------------------------------------------------------------------
// Lists the segment of each lane that wants it, for one kind of blocks. All lanes.
__device__ inline void enqueue_medium(const segment_lists& lists, int which, const item_range& segment, bool wanted) {
  const unsigned all_wanted = __ballot_sync(all_lanes, wanted);
  if (all_wanted == 0) return;
  unsigned first = 0;
  if (lane_id() == 0) first = atomicAdd(&lists.counts->medium[which], static_cast<unsigned>(__popc(all_wanted)));
  const unsigned index = __shfl_sync(all_lanes, first, 0) + __popc(all_wanted & lanes_below());
  if (wanted) lists.medium[which][index] = segment;
}

// Lists each lane's segment, if it is a long one. All lanes.
__device__ inline void enqueue_long(const segment_lists& lists, const item_range& segment) {
  unsigned lanes = __ballot_sync(all_lanes, segment.size > lists.most_in_a_block());
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __ffs(static_cast<int>(lanes)) - 1;
    enqueue_range(lists.long_segments, {shuffle_from(segment.begin, lane), shuffle_from(segment.size, lane)});
  }
}

// Lists each lane's segment, unless it is a short one. All lanes.
template <class K, class V>
__device__ void enqueue(const segment_lists& lists, const item_range& segment) {
  using classes = segment_classes<K, V>;
  int above = classes::in_lanes;
#pragma unroll
  for (int kind = 0; kind < kinds_of_blocks; ++kind) {
    const int most = lists.medium_most[kind];
    enqueue_medium(lists, kind, segment, segment.size > above && segment.size <= most);
    above = most;
  }
  enqueue_long(lists, segment);
}

}  // namespace onepass::detail
