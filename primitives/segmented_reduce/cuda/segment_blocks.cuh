// SPDX-License-Identifier: Apache-2.0
// Short reductions by offsets of up to some thousand segments: a block a segment, in which each thread combines a strip of
// consecutive items. Segments that are too long for a block's memory are cut where chunks of the items end.
// Other blocks, one a chunk, look for these, and the last to come combines the parts (long_segments.cuh).
// Bytes moved: items are read once, offsets twice, and one result a segment is written.
// The association depends on the offsets and the operator, and on nothing else.
#pragma once

#include "long_segments.cuh"
#include "offset_reduce_job.cuh"
#include "segment_strips.cuh"

namespace onepass::detail {

template <class Job>
class segment_block {
  using T = typename Job::value_type;
  static constexpr offset_tuning tuning = short_offset_reduce_tuning(sizeof(T));
  static constexpr int warps = tuning.threads / warp_size;

 public:
  static constexpr int threads = tuning.threads, blocks = tuning.blocks;
  static constexpr int capacity = tuning.strips * tuning.strip;  // items of a chunk, and of a segment that is not cut

  struct shared {
    // The items' address modulo 16 is that of the array, so that most of them are copied 16 bytes at a time.
    alignas(alignof(T) < 16 ? 16 : alignof(T)) unsigned char items[std::size_t{capacity} * sizeof(T) + 16];
    alignas(T) unsigned char totals[warps * sizeof(T)];
    index_t segment[2];  // that of a chunk's first item, and of its last
    alignas(long_segment) unsigned char cut[2][sizeof(long_segment)];
    bool combines[2];  // whether this block combines their parts
    epoch_t epoch;
  };

  __device__ segment_block(const Job& job, const long_segments<T>& parts, shared& s)
      : job_(job), parts_(parts), s_(s) {}

  // The first blocks have a chunk each.
  __device__ void run(unsigned chunks) {
    if (blockIdx.x < chunks) reduce_chunk(chunks);
    else reduce_segment(static_cast<index_t>(blockIdx.x - chunks));
  }

 private:
  __device__ void reduce_segment(index_t segment) {
    const index_t begin = job_.path.begin(segment), count = job_.path.begin(segment + 1) - begin;
    if (count > capacity) return;
    if (count > 0) fold(begin, static_cast<int>(count), [&](const T& total) { job_.store(segment, total); });
    else if (threadIdx.x == 0) job_.out[segment] = job_.init;
  }

  // ---- chunks ---------------------------------------------------------------------------------------------------------
  // A long segment has the chunk's first item or its last one, as it has more items than a chunk.
  __device__ void reduce_chunk(unsigned chunks) {
    ::cuda::std::optional<launch_epoch> launch;  // thread 0's
    if (threadIdx.x == 0) {
      launch.emplace(parts_.memory.head);
      s_.epoch = launch->epoch();
    }
    const index_t first = static_cast<index_t>(blockIdx.x) * capacity, last = min(first + capacity, job_.path.items);
    if (warp_id() < 2) {
      const index_t found = first < last ? job_.path.segment_of(warp_id() == 0 ? first : last - 1) : -1;
      if (lane_id() == 0) s_.segment[warp_id()] = found;
    }
    __syncthreads();  // the epoch and the segments are written
    const bool cuts[2] = {is_cut(s_.segment[0]), s_.segment[1] != s_.segment[0] && is_cut(s_.segment[1])};
    // By threads of two warps.
    if (threadIdx.x == 0 && cuts[0]) prepare(0);
    if (threadIdx.x == warp_size && cuts[1]) prepare(1);
    __syncthreads();  // counters are ready, and all have read the segments
    unsigned counted_before = 0;
    if (launch) counted_before = launch->count();
    for (int k = 0; k < 2; ++k) {
      if (!cuts[k]) continue;
      const index_t segment = s_.segment[k];
      const index_t begin = max(first, job_.path.begin(segment)), end = min(last, job_.path.begin(segment + 1));
      const bool goes_on = job_.path.begin(segment + 1) > last;
      if (end <= begin) continue;  // offsets that do not ascend
      fold(begin, static_cast<int>(end - begin), [&](const T& part) {
        detail::construct((goes_on ? parts_.open : parts_.last) + blockIdx.x, part);
        s_.combines[k] = parts_.arrive(cut(k));
      });
      __syncthreads();  // combines is written
      if (s_.combines[k]) parts_.template combine<warps>(job_, cut(k), reinterpret_cast<T*>(s_.totals));
    }
    if (launch) launch->end(counted_before, chunks, parts_.memory);
  }

  __device__ bool is_cut(index_t segment) const {
    return segment >= 0 && segment < job_.path.segments &&
           job_.path.begin(segment + 1) - job_.path.begin(segment) > capacity;
  }
  __device__ void prepare(int k) const {
    const index_t segment = s_.segment[k];
    parts_.prepare(s_.epoch, *new (s_.cut[k]) long_segment{segment, job_.path.begin(segment) / capacity,
                                                           (job_.path.begin(segment + 1) - 1) / capacity});
  }
  __device__ const long_segment& cut(int k) const { return *reinterpret_cast<const long_segment*>(s_.cut[k]); }

  // ---- items ----------------------------------------------------------------------------------------------------------
  // Combines `count` items, and calls use(total) in thread 0.
  template <class Use>
  __device__ void fold(index_t first, int count, Use use) {
    __syncthreads();  // nobody needs the memory any more
    const T* const x = load(first, count);
    __syncthreads();                                  // the items have arrived
    const int strip = divide_up(count, threads) | 1;  // odd, so that the threads of a warp read without bank conflicts
    const int begin = static_cast<int>(threadIdx.x) * strip, items = min(count - begin, strip);
    const int lanes =
        divide_up(count, strip) - warp_id() * warp_size;  // that have items, in this warp and those behind
    T* const totals = reinterpret_cast<T*>(s_.totals);
    auto op = job_.op;
    if (lanes > 0) {
      T part = x[min(begin, count - 1)];  // a lane without items takes part with the last one, which does not count
#pragma unroll 4
      for (int i = 1; i < items; ++i) part = static_cast<T>(op(part, x[begin + i]));
      part = warp_fold(part, min(lanes, warp_size), op);
      if (lane_id() == 0) detail::construct(totals + warp_id(), part);
    }
    __syncthreads();  // the warps' totals are written
    if (threadIdx.x > 0) return;
    T total = totals[0];
    for (int w = 1; w * warp_size * strip < count; ++w) total = static_cast<T>(op(total, totals[w]));
    use(total);
  }

  // Returns where the items are in shared memory, when this thread's have arrived.
  __device__ const T* load(index_t first, int count) {
    if constexpr (are_copied<T, decltype(Job::items)>) {
      const T* const from = job_.items + first;
      T* const to = reinterpret_cast<T*>(s_.items + reinterpret_cast<std::uintptr_t>(from) % 16);
      copy_items<threads, capacity>(from, count, to);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      return to;
    } else {
      T* const to = reinterpret_cast<T*>(s_.items);
      load_items<threads>(job_.items, first, count, to);
      return to;
    }
  }

  const Job& job_;
  const long_segments<T>& parts_;
  shared& s_;
};

template <class Job>
__global__ void __launch_bounds__(segment_block<Job>::threads, segment_block<Job>::blocks)
    segment_blocks_kernel(const __grid_constant__ Job all, item_count size, unsigned chunks,
                          const __grid_constant__ long_segments<typename Job::value_type> parts) {
  wait_for_previous_kernel();
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  auto& s = *reinterpret_cast<typename segment_block<Job>::shared*>(dynamic_shared);
  Job job = all;
  job.n = size.get();
  complete_sized(job);
  segment_block<Job>(job, parts, s).run(chunks);
}

}  // namespace onepass::detail
