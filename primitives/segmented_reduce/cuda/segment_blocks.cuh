// SPDX-License-Identifier: Apache-2.0
// Reductions by offsets whose segments are not short: a warp a segment, or a block. Those that take a warp long are left to its
// block. Those that take a block long are cut where chunks of the items end; other blocks have these, and the last to come combines
// the parts (long_segments.cuh). Either these look at all segments, or they are another launch and are told which segments to cut.
// No block waits for another one.
// Bytes moved: items are read once, offsets twice, and one result a segment is written.
// The association depends on the offsets, the number of items and the operator, and on nothing else.
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
  unsigned blocks;     // that have segments; others have chunks
  bool has_warps;      // whether a warp has a segment, or a block
  bool are_long;       // whether the kernel for long segments has them, a block each
  bool tells;          // whether those with chunks are another launch, and are told which segments to cut
  int log_chunk;       // the logarithm of a chunk's items
  index_t most_items;  // longer segments are cut; no less than a chunk's items
};

template <class Job, bool are_long>
class segment_block {
  using T = typename Job::value_type;
  using fold = segment_fold<T, decltype(Job::items), typename Job::op_type, segment_items_at_once(are_long)>;
  static constexpr int warps = segment_blocks_threads / warp_size;
  static constexpr int most_of_warp = 8 * warp_size * fold::at_once;  // not measured

  static constexpr int most_cut = 8;  // a chunk has parts of two, and a block a few chunks

  struct bounds {
    index_t begin, size;
  };

 public:
  struct shared {
    alignas(T) unsigned char totals[warps * sizeof(T)];
    // Of chunks:
    index_t cut[most_cut];  // segments that have items there
    int cut_count;
    bool combines;  // whether this block combines the parts of a segment
  };

  __device__ segment_block(const Job& job, const segment_shares& shares, index_t items, shared& s)
      : job_(job), shares_(shares), path_{job.path.offsets, job.path.segments, items}, s_(s), fold_(job.op) {}

  __device__ void reduce_segments(const long_segments<T>& parts) {
    if (are_long || !shares_.has_warps) {
      if (threadIdx.x == 0) tell(parts, blockIdx.x, bounds_of(blockIdx.x));
      reduce_by_block(blockIdx.x, 0);
      return;
    }
    const index_t segment = index_t{blockIdx.x} * warps + warp_id();
    const bounds of = segment < path_.segments ? bounds_of(segment) : bounds{0, -1};
    if (of.size > 0 && of.size <= most_of_warp) {
      const T total = fold_.by_warp(job_.items + of.begin, static_cast<int>(of.size));
      if (lane_id() == 0) job_.store(segment, total);
    } else if (of.size <= 0 && segment < path_.segments && lane_id() == 0) {
      job_.out[segment] = job_.init;
    }
    if (lane_id() == 0) tell(parts, segment, of);
    const int left = __syncthreads_count(of.size > most_of_warp) / warp_size;
    if (left > 0) reduce_left(job_, shares_, path_.items, s_, left);
  }

  // What segments that are cut have in this block's chunks, which are those of its number modulo the number of such blocks.
  static __device__ __noinline__ void reduce_chunks(const Job& job, const segment_shares& shares, index_t items,
                                                    shared& s, const long_segments<T>& parts) {
    segment_block(job, shares, items, s).reduce_chunks(parts, blockIdx.x - shares.blocks, gridDim.x - shares.blocks);
  }

 private:
  __device__ bounds bounds_of(index_t segment) const {
    const index_t begin = path_.begin(segment);
    return {begin, path_.begin(segment + 1) - begin};
  }
  // Lists a segment that is to be cut, for the blocks of the next launch.
  __device__ void tell(const long_segments<T>& parts, index_t segment, const bounds& of) const {
    if (shares_.tells && of.size > shares_.most_items)
      parts.listed[atomicAdd(&parts.head->long_segments, 1u) % control::most_counters] = segment;
  }
  // A segment of more than `least` items, or any where that is 0, unless it is cut.
  __device__ void reduce_by_block(index_t segment, int least) {
    const bounds of = bounds_of(segment);
    if ((least > 0 && of.size <= least) || of.size > shares_.most_items) return;
    if (of.size > 0) {
      fold_.template by_block<warps>(job_.items + of.begin, static_cast<int>(of.size), totals(),
                                     [&](const T& total) { job_.store(segment, total); });
    } else if (threadIdx.x == 0) {
      job_.out[segment] = job_.init;
    }
  }
  // What takes a warp long. left: how many warps have such segments; where they are a few, they take them after all.
  static __device__ __noinline__ void reduce_left(const Job& job, const segment_shares& shares, index_t items,
                                                  shared& s, int left) {
    segment_block block(job, shares, items, s);
    int most = most_of_warp;
    if (left > 2) {
      most *= 4;
      const index_t segment = index_t{blockIdx.x} * warps + warp_id();
      const bounds of = segment < job.path.segments ? block.bounds_of(segment) : bounds{0, -1};
      if (of.size > most_of_warp && of.size <= min(index_t{most}, shares.most_items)) {
        const T total = block.fold_.by_warp(job.items + of.begin, static_cast<int>(of.size));
        if (lane_id() == 0) job.store(segment, total);
      }
      if (!__syncthreads_or(of.size > most)) return;
    }
    for (int w = 0; w < warps; ++w) {
      const index_t segment = index_t{blockIdx.x} * warps + w;
      if (segment < job.path.segments) block.reduce_by_block(segment, most);
      __syncthreads();  // nobody needs the totals any more
    }
  }
  __device__ T* totals() const { return reinterpret_cast<T*>(s_.totals); }

  // ---- chunks ---------------------------------------------------------------------------------------------------------
  __device__ void reduce_chunks(const long_segments<T>& parts, unsigned number, unsigned blocks) {
    const index_t count =
        shares_.tells ? min(parts.head->long_segments, std::uint32_t{control::most_counters}) : path_.segments;
    if (shares_.tells ? count == 0 : !finds_long_segments()) return;
    if (threadIdx.x == 0) s_.cut_count = 0;
    __syncthreads();  // it is written
    for (index_t i = threadIdx.x; i < count; i += segment_blocks_threads) {
      const index_t segment = shares_.tells ? parts.listed[i] : i;
      const bounds of = bounds_of(segment);
      if (of.size <= shares_.most_items || first_chunk(of, number, blocks) > last_chunk(of)) continue;
      const int at = atomicAdd(&s_.cut_count, 1);
      if (at < most_cut) s_.cut[at] = segment;  // always, if offsets ascend
    }
    __syncthreads();  // all are listed
    const int cut_count = min(s_.cut_count, most_cut);
    for (int k = 0; k < cut_count; ++k) {
      const index_t segment = s_.cut[k];
      const bounds of = bounds_of(segment);
      for (index_t chunk = first_chunk(of, number, blocks); chunk <= last_chunk(of); chunk += blocks)
        reduce_part(parts, segment, of, chunk);
    }
    if (!shares_.tells || threadIdx.x > 0 || atomicAdd(&parts.head->blocks_done, 1u) + 1 < blocks) return;
    parts.head->blocks_done = parts.head->long_segments = 0;  // as the next launch expects them
  }
  __device__ bool finds_long_segments() const {
    bool is_any = false;
    for (index_t s = threadIdx.x; s < path_.segments; s += segment_blocks_threads)
      is_any |= bounds_of(s).size > shares_.most_items;
    return __syncthreads_or(is_any) != 0;
  }
  __device__ index_t last_chunk(const bounds& of) const { return (of.begin + of.size - 1) >> shares_.log_chunk; }
  __device__ index_t first_chunk(const bounds& of, unsigned number, unsigned blocks) const {
    const auto first = static_cast<unsigned>(of.begin >> shares_.log_chunk);
    return index_t{first} + (number + blocks - first % blocks) % blocks;
  }

  __device__ void reduce_part(const long_segments<T>& parts, index_t segment, const bounds& of, index_t chunk) {
    const index_t first = chunk << shares_.log_chunk, last = first + (index_t{1} << shares_.log_chunk);
    const index_t begin = max(first, of.begin), end = min(last, of.begin + of.size);
    const long_segment all(segment, of.begin >> shares_.log_chunk, last_chunk(of));
    if (threadIdx.x == warp_size) parts.prepare(all);
    fold_.template by_block<warps>(job_.items + begin, static_cast<int>(end - begin), totals(), [&](const T& part) {
      detail::construct((chunk < all.end ? parts.open : parts.last) + chunk, part);
      s_.combines = parts.arrive(all);
    });
    __syncthreads();  // combines is written
    if (s_.combines) parts.template combine<warps>(job_, all, totals());
    __syncthreads();  // nobody needs the shared memory any more
  }

  const Job& job_;
  const segment_shares& shares_;
  segment_path<typename Job::offset_type> path_;
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
  if (blockIdx.x < shares.blocks) block(job, shares, items, s).reduce_segments(parts);
  else block::reduce_chunks(job, shares, items, s, parts);
}

}  // namespace onepass::detail
