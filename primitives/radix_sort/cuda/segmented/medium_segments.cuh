// SPDX-License-Identifier: Apache-2.0
// Segments that one block sorts: by merging (merge_sort.cuh), which has the fewest steps that wait for each other, or
// digit by digit if they are too long for that (block_radix_sort.cuh). Blocks take the segments of a list. Or, where
// there are few segments, a block takes one segment if it holds that, and one block lists the others. Bytes moved: n
// keys and values read and written once, whatever the number of digits; two offsets a segment.
//
// These kernels run beside the sort of long segments: that keeps few multiprocessors busy if there are few long
// segments, and it works on other items.
#pragma once

#include "segment_lists.cuh"

namespace onepass::detail {

// room: how many items the block has shared memory for.
template <class Shape, class K, class V>
__device__ __forceinline__ void sort_by_block_of(const segmented_job<K, V>& job, const item_range& segment, int room) {
  K* const keys = job.keys.primary + segment.begin;
  V* values = job.values;
  if constexpr (stored_size<V> != 0) values += segment.begin;
  const block_sort_items<K, V> items{keys, keys, values, values};
  const auto n = static_cast<int>(segment.size);
  if constexpr (Shape::merged > 0) {
    if (n <= Shape::merged) return detail::sort_block_by_merging(job.digits, items, 0, n);
  }
  if constexpr (Shape::items > Shape::merged) {
    sort_by_block<atomic_ranking>(
        block_sort_job<bits_digits<K, true>, V>{job.digits, items, {segment.size, nullptr}, room, job.minus_one}, n);
  }
}

template <class Shape, class K, class V>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    medium_segments_kernel(const __grid_constant__ segmented_job<K, V> job, int which, int room, dependency how) {
  begin_dependent(how);
  __shared__ unsigned next;
  const segment_lists& lists = job.lists;
  const unsigned there = lists.counts->medium[which];
  for (unsigned at = blockIdx.x; at < there; at = next) {
    unsigned after = 0;
    if (threadIdx.x == 0) after = gridDim.x + atomicAdd(&lists.counts->begun[which], 1u);  // arrives during the sort
    sort_by_block_of<Shape>(job, lists.medium[which][at], room);
    if (threadIdx.x == 0) next = after;
    __syncthreads();  // the segment is stored, and the next one known
  }
  end_dependent(how);
}

// ---- few segments ---------------------------------------------------------------------------------------------------
// Segments are few if there are no more than this for each multiprocessor.
constexpr int few_segments_a_multiprocessor = 2;
// From this mean length on, blocks are smaller ones where there are more segments than multiprocessors. With a lower mean
// segments of a power law, 2^16 items, took 48.7 us by them for 44.5.
constexpr index_t least_mean_of_row_blocks = 512;

// Lists the segments of more than `most` items. By one block. Nothing has been cleared before.
template <class Bounds>
__device__ void list_segments(const Bounds& bounds, index_t n, const segment_lists& lists, int most) {
  constexpr int large = kinds_of_blocks - 1;
  if (threadIdx.x == 0) *lists.counts = {};
  __syncthreads();  // the lists are empty
  for (index_t first = warp_id() * warp_size; first < bounds.count; first += blockDim.x) {
    const index_t mine = first + lane_id();
    const item_range segment = mine < bounds.count ? bounds.at(mine, n) : item_range{0, 0};
    enqueue_medium(lists, large, segment, segment.size > most && segment.size <= lists.medium_most[large]);
    enqueue_long(lists, segment);
  }
}

// A block each for the segments of up to `most` items. lists_others: the first block lists the others.
template <class Shape, class K, class V, class Bounds>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    few_segments_kernel(const __grid_constant__ segmented_job<K, V> job, const __grid_constant__ Bounds bounds,
                        int room, int most, bool lists_others, dependency how) {
  begin_dependent(how);
  const index_t which = static_cast<index_t>(blockIdx.x) - lists_others;
  if (which < 0) {
    list_segments(bounds, job.size.get(), job.lists, most);
  } else {
    const item_range segment = bounds.at(which, job.size.get());
    if (segment.size >= 2 && segment.size <= most) sort_by_block_of<Shape>(job, segment, room);
  }
  end_dependent(how);
}

constexpr int list_threads = 256;

template <class Bounds>
__global__ void __launch_bounds__(list_threads)
    list_long_segments_kernel(const __grid_constant__ Bounds bounds, item_count size, segment_lists lists) {
  wait_for_previous_kernel();
  list_segments(bounds, size.get(), lists, lists.most_in_a_block());
}

}  // namespace onepass::detail
