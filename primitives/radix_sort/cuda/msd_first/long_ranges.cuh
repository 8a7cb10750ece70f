// SPDX-License-Identifier: Apache-2.0
// Runs of keys that are equal in the bits that have been sorted by, and too long for those who sort them otherwise: long
// ties (fix_ties.cuh) and long buckets (sort_buckets.cuh). They are sorted by all of their bits with the passes of
// Onesweep (range_passes.cuh). For that the array is divided into chunks, and one range takes in all such runs that
// begin in the same chunk.
#pragma once

#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "../onesweep/range_passes.cuh"

namespace onepass::detail {

// From the first to the last of the runs that begin in a chunk. Both numbers are zero at first, and only grow.
struct long_range {
  unsigned long long from_end, end;  // from its first item to the end of the array; the index behind its last item
};
// Each chunk takes memory for a plan, so there are not too many.
constexpr index_t most_range_chunks = 1024, least_range_chunk = index_t{1} << 18;
inline index_t chunks_for(index_t n) { return std::min(most_range_chunks, divide_up(n, least_range_chunk)); }
__device__ inline index_t chunk_of(index_t i, index_t n) {
  return i / max(divide_up(n, most_range_chunks), least_range_chunk);
}

// Whether item i of a run that begins at `begin` is in a range already. By one thread, as is the next function.
__device__ inline bool is_in_range(const long_range* ranges, index_t begin, index_t i, index_t n) {
  const long_range& range = ranges[chunk_of(begin, n)];
  return __ldcg(&range.from_end) >= static_cast<unsigned long long>(n - begin) &&
         __ldcg(&range.end) > static_cast<unsigned long long>(i);
}
__device__ inline void add_to_range(long_range* ranges, index_t begin, index_t end, index_t n) {
  long_range& range = ranges[chunk_of(begin, n)];
  atomicMax(&range.from_end, static_cast<unsigned long long>(n - begin));
  atomicMax(&range.end, static_cast<unsigned long long>(end));
}

// By the last block: lists the ranges that are not empty.
__device__ inline void list_ranges(const long_range* ranges, const range_lists& lists, index_t n) {
  if (n == 0) return;
  for (index_t r = warp_id(); r <= chunk_of(n - 1, n); r += blockDim.x / warp_size) {
    const auto from_end = static_cast<index_t>(__ldcg(&ranges[r].from_end));
    const auto end = static_cast<index_t>(__ldcg(&ranges[r].end));
    if (end > 0) enqueue_range(lists, {n - from_end, end - (n - from_end)});
  }
}

}  // namespace onepass::detail
