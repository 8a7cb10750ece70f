// SPDX-License-Identifier: Apache-2.0
// Reductions by offsets whose segments are not short: a warp a segment, or a block. No block waits for another one.
//   reduce_segments  a warp combines its segment; or a block does (reduce_by_block)
//   reduce_together  where a block's warps have segments that take a warp long, all of them have equal shares of these
//   reduce_chunk     segments that take a block long are cut where chunks of the items end. Other blocks have a chunk each, and
//                    look for the segments that its first and its last item are in
//   reduce_part      such a block combines what a segment has in its chunk. The last to come combines the parts of all
//                    (long_segments.cuh)
// Bytes moved: items are read once, offsets twice, and one result a segment is written.
// The association depends on the offsets, the number of items and the types, and on nothing else.
#pragma once

#include "long_segments.cuh"
#include "offset_reduce_job.cuh"
#include "segment_fold.cuh"

namespace onepass::detail {

constexpr int segment_blocks_threads = 256;
// Long segments are few, and so are the blocks that have some. So these load more at once.
constexpr int segment_items_at_once(bool are_long) { return are_long ? 16 : 8; }
// Of small items, a multiprocessor.
constexpr int segment_blocks_together(bool are_long) { return are_long ? 4 : 8; }

// How segments are divided among blocks.
struct segment_shares {
  unsigned blocks;     // that have segments
  unsigned chunks;     // blocks that have a chunk
  bool has_warps;      // whether a warp has a segment, or a block
  bool are_long;       // whether the kernel for long segments has them, a block each
  int log_chunk;       // the logarithm of a chunk's items
  index_t most_items;  // longer segments are cut; no less than a chunk's items
};

template <class Job, bool are_long>
class segment_block {
  using T = typename Job::value_type;
  using fold = segment_fold<T, decltype(Job::items), typename Job::op_type, segment_items_at_once(are_long)>;
  static constexpr int warps = segment_blocks_threads / warp_size;
  static constexpr int most_of_warp =
      8 * warp_size * fold::at_once;  // performance-log.md, "Segments of uneven lengths"

  struct bounds {
    index_t begin, size;
  };

 public:
  struct shared {
    alignas(T) unsigned char totals[2 * warps * sizeof(T)];
    // Of a chunk:
    index_t cut[2];  // the segments of its first and last items where they are cut, or -1
    bool combines;   // whether this block combines the parts of a segment
  };

  // number: of the block among those with segments, or of the chunk.
  __device__ segment_block(const Job& job, const segment_shares& shares, index_t items, unsigned number, shared& s)
      : job_(job),
        shares_(shares),
        path_{job.path.offsets, job.path.segments, items},
        number_(number),
        s_(s),
        fold_(job.op) {}

  __device__ void reduce_segments() {
    if (are_long || !shares_.has_warps) return reduce_by_block();
    const index_t segment = segment_of(warp_id());
    const bounds of = segment < path_.segments ? bounds_of(segment) : bounds{0, -1};
    if (of.size > 0 && of.size <= most_of_warp) {
      const T total = fold_.by_warp(job_.items + of.begin, static_cast<int>(of.size));
      if (lane_id() == 0) job_.store(segment, total);
    } else if (of.size <= 0 && segment < path_.segments && lane_id() == 0) {
      job_.out[segment] = job_.init;
    }
    if (__syncthreads_or(of.size > most_of_warp)) reduce_together(job_, shares_, path_.items, number_, s_);
  }

  // What segments that are cut have in this block's chunk.
  static __device__ __noinline__ void reduce_chunk(const Job& job, const segment_shares& shares, index_t items,
                                                   unsigned number, shared& s, const long_segments<T>& parts) {
    segment_block(job, shares, items, number, s).reduce_chunk(parts);
  }

 private:
  // Neighbours in the order of segments are in different blocks, so that segments sorted by length make equal blocks.
  __device__ index_t segment_of(int warp) const { return index_t{shares_.blocks} * warp + number_; }
  __device__ bounds bounds_of(index_t segment) const {
    const index_t begin = path_.begin(segment);
    return {begin, path_.begin(segment + 1) - begin};
  }
  __device__ T combined(const T& a, const T& b) { return fold_.combined(a, b); }

  __device__ void reduce_by_block() {
    const bounds of = bounds_of(number_);
    if (of.size > shares_.most_items) return;
    if (of.size > 0) {
      fold_.template by_block<warps>(job_.items + of.begin, static_cast<int>(of.size), totals(),
                                     [&](const T& total) { job_.store(number_, total); });
    } else if (threadIdx.x == 0) {
      job_.out[number_] = job_.init;
    }
  }
  // What takes a warp long, but is not cut. Side by side these segments are divided into an equal share for each warp.
  static __device__ __noinline__ void reduce_together(const Job& job, const segment_shares& shares, index_t items,
                                                      unsigned number, shared& s) {
    segment_block(job, shares, items, number, s).reduce_together();
  }
  __device__ void reduce_together() {
    // Lane w has the segment of warp w; those from `warps` on have the same again.
    const index_t segment = segment_of(lane_id() % warps);
    const bounds of = segment < path_.segments ? bounds_of(segment) : bounds{0, 0};
    const int size = of.size > most_of_warp && of.size <= shares_.most_items ? static_cast<int>(of.size) : 0;
    int end = size;  // where the segment ends side by side with the others
#pragma unroll
    for (int d = 1; d < warps; d *= 2) {
      const int before = __shfl_up_sync(all_lanes, end, d, warps);
      if (lane_id() % warps >= d) end += before;
    }
    const int all = __shfl_sync(all_lanes, end, warps - 1), share = round_up(divide_up(all, warps), warp_size);
    const int first = share * warp_id(), last = min(first + share, all);
    T* const before = totals();        // by warps: the part of a segment that begins in an earlier share
    T* const behind = before + warps;  // the part of one that begins in the warp's share, and ends in a later one
    const bool is_mine = lane_id() < warps && size > 0 && end > first && end - size < last;
#pragma unroll 1
    for (unsigned mine = __ballot_sync(all_lanes, is_mine); mine != 0; mine &= mine - 1) {
      const int w = __ffs(static_cast<int>(mine)) - 1;
      const int to = shuffle_from(end, w), from = to - shuffle_from(size, w);
      const int at = max(from, first);
      const T part = fold_.by_warp(job_.items + (shuffle_from(of.begin, w) + (at - from)), min(to, last) - at);
      if (lane_id() > 0) continue;
      if (from >= first && to <= last) job_.store(segment_of(w), part);
      else detail::construct((from < first ? before : behind) + warp_id(), part);
    }
    __syncthreads();  // the parts are written
    const int to = shuffle_from(end, warp_id()), from = to - shuffle_from(size, warp_id());
    if (lane_id() > 0 || from == to || from / share == (to - 1) / share) return;
    T total = behind[from / share];
    for (int w = from / share + 1; w * share < to; ++w) total = combined(total, before[w]);
    job_.store(segment_of(warp_id()), total);
  }
  __device__ T* totals() const { return reinterpret_cast<T*>(s_.totals); }

  // ---- chunks ---------------------------------------------------------------------------------------------------------
  __device__ void reduce_chunk(const long_segments<T>& parts) {
    const index_t first = index_t{number_} << shares_.log_chunk, size = index_t{1} << shares_.log_chunk;
    if (first >= path_.items) return;
    if (warp_id() < 2) {
      // No segment that is cut is shorter than a chunk. So it has the first item of the chunk, or the last one.
      const index_t item = warp_id() == 0 ? first : min(first + size, path_.items) - 1;
      const index_t segment = path_.segment_at(item);
      const bounds of = segment < path_.segments ? bounds_of(segment) : bounds{0, 0};
      // Wrong offsets may lead to a segment that the item is not in.
      const bool is_cut = of.size > shares_.most_items && item >= of.begin && item < of.begin + of.size;
      if (lane_id() == 0) s_.cut[warp_id()] = is_cut ? segment : -1;
    }
    __syncthreads();  // they are found
    for (int k = 0; k < 2; ++k) {
      const index_t segment = s_.cut[k];
      if (segment >= 0 && !(k == 1 && segment == s_.cut[0])) reduce_part(parts, segment, first, first + size);
    }
  }
  // The items of a segment from `first` on, up to `last`.
  __device__ void reduce_part(const long_segments<T>& parts, index_t segment, index_t first, index_t last) {
    const bounds of = bounds_of(segment);
    const index_t begin = max(first, of.begin), end = min(last, of.begin + of.size);
    const long_segment all(segment, of.begin >> shares_.log_chunk, (of.begin + of.size - 1) >> shares_.log_chunk);
    if (threadIdx.x == warp_size) parts.prepare(all);
    fold_.template by_block<warps>(job_.items + begin, static_cast<int>(end - begin), totals(), [&](const T& part) {
      detail::construct((number_ < all.end ? parts.open : parts.last) + number_, part);
      s_.combines = parts.arrive(all);
    });
    __syncthreads();  // combines is written
    if (s_.combines) parts.template combine<warps>(job_, all, totals());
    __syncthreads();  // nobody needs the shared memory any more
  }

  const Job& job_;
  const segment_shares& shares_;
  segment_path<typename Job::offset_type> path_;
  unsigned number_;
  shared& s_;
  fold fold_;
};

template <class Job, bool are_long>
__global__ void __launch_bounds__(segment_blocks_threads,
                                  blocks_within(segment_blocks_threads, sizeof(typename Job::value_type) <= 8
                                                                            ? segment_blocks_together(are_long)
                                                                            : 2))
    segment_blocks_kernel(const __grid_constant__ Job job, item_count size,
                          const __grid_constant__ segment_shares shares,
                          const __grid_constant__ long_segments<typename Job::value_type> parts) {
  wait_for_previous_kernel();
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  using block = segment_block<Job, are_long>;
  auto& s = *reinterpret_cast<typename block::shared*>(dynamic_shared);
  const index_t items = min(size.get(), job.path.items);
  // Blocks with chunks come first. They come last where a block has a long segment, which takes longer than to look for one.
  const unsigned chunk = are_long ? blockIdx.x - shares.blocks : blockIdx.x;  // large, where that is below 0
  if (chunk < shares.chunks) block::reduce_chunk(job, shares, items, chunk, s, parts);
  else block(job, shares, items, are_long ? blockIdx.x : blockIdx.x - shares.chunks, s).reduce_segments();
}

}  // namespace onepass::detail
