// SPDX-License-Identifier: Apache-2.0
// A block's work on one tile of a reduction by offsets. A tile is a part of the path of items and ends
// (segment_path.cuh), so it has a bounded number of both.
//   load    begins to copy the tile's items to shared memory, and marks the heads of its segments
//   reduce  a thread combines a strip of consecutive items; at each head it stores the result of the segment before in
//           that segment's last item. A scan over the strips adds what precedes each
//   store   a thread takes a segment and stores its result. A first segment that began in an earlier tile is left
//           over: offset_reduce_block.cuh finds the rest of it
// Bytes moved: items and offsets are read once, and one result a segment is written.
// The association depends on the offsets, the operator and the tile's first item, and on nothing else.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "../../../core/cuda/io/warp.cuh"
#include "../../../core/support/construct.hpp"
#include "offset_reduce_job.cuh"

namespace onepass::detail {

template <class Job, offset_tuning (*tuning_of)(std::size_t)>
class offset_reduce_tile {
  using T = typename Job::value_type;
  using total = flagged<T>;  // what a warp's items from its last head on come to, and whether it has a head
  using item = value_of<decltype(Job::items)>;
  static constexpr offset_tuning tuning = tuning_of(sizeof(T));
  static constexpr int strip = tuning.strip;

 public:
  static constexpr int threads = tuning.threads, blocks = tuning.blocks, warps = threads / warp_size;
  static constexpr int items = tuning.strips * strip;  // steps of a tile
  static constexpr bool searches = tuning.searches;

  // The items from first_item on, and the ends of the segments from first_segment on.
  struct extent {
    index_t first_segment, first_item;
    int segments, items;
  };
  struct shared {
    // The items; and from the end of the memory on, backwards, the ends, counted from the tile's first item. Both
    // together are as many as the tile has steps. The items' address modulo 16 is that of the array, so that most of
    // them are copied 16 bytes at a time.
    static constexpr std::size_t bytes =
        round_up(std::size_t{items} * (sizeof(T) < 2 ? 2 : sizeof(T)), std::size_t{16}) + 16;
    alignas(alignof(T) < 16 ? 16 : alignof(T)) unsigned char memory[bytes];
    unsigned heads[threads];  // a word for each strip; all zero between tiles
    alignas(total) unsigned char totals[warps * sizeof(total)];
    index_t begin;  // where the first segment begins, counted from the tile's first item

    __device__ std::uint16_t& end(int segment) {
      return reinterpret_cast<std::uint16_t*>(memory + bytes)[-1 - segment];
    }
    // `i`: an item of the tile that begins a segment.
    __device__ void mark(int i) { atomicOr(heads + i / strip, 1u << i % strip); }
    __device__ total* of_warps() { return reinterpret_cast<total*>(totals); }
  };

  // A warp calls this where blocks search, otherwise a thread.
  static __device__ extent extent_of(const Job& job, tile_t tile) {
    const index_t first = static_cast<index_t>(tile) * items, last = min(first + items, job.n);
    index_t begin = job.starts == nullptr ? 0 : job.starts[tile];
    index_t end = job.starts == nullptr ? job.path.segments : job.starts[tile + 1];
    if (searches && job.starts == nullptr) {
      constexpr int lanes = warp_size / 2;  // half a warp looks for either end, at 8 offsets a lane
      const index_t found = job.path.template ends_within<lanes, 8>(lane_id() < lanes ? first : last);
      begin = shuffle_from(found, 0);
      end = shuffle_from(found, lanes);
    }
    const auto segments = static_cast<int>(end - begin);
    return {begin, first - begin, segments, static_cast<int>(last - first) - segments};
  }

  // Where the tile's items are in shared memory.
  static __device__ T* values(const Job& job, const extent& tile, shared& s) {
    if constexpr (copies_items) {
      return reinterpret_cast<T*>(s.memory + reinterpret_cast<std::uintptr_t>(job.items + tile.first_item) % 16);
    } else {
      return reinterpret_cast<T*>(s.memory);
    }
  }

  // The items of an array are copied asynchronously, which takes no registers: wait_for_items() waits for them. Others
  // are loaded one by one, neighbours by neighbouring threads.
  static __device__ void load(const Job& job, const extent& tile, shared& s) {
    if constexpr (copies_items) {
      copy_items(job.items + tile.first_item, tile.items, values(job, tile, s));
      __pipeline_commit();
      mark_heads(job, tile, s);
    } else {
      constexpr int batch = (strip + 1) / 2;  // a thread has so many in registers
      const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
      for (int first = thread; first < items; first += batch * threads) {
        T x[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          const int i = first + k * threads;
          if (i < tile.items) x[k] = static_cast<T>(static_cast<item>(job.items[tile.first_item + i]));
        }
        if (first == thread) mark_heads(job, tile, s);  // its loads and these are on their way together
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          const int i = first + k * threads;
          if (i < tile.items) detail::construct(values(job, tile, s) + i, x[k]);
        }
      }
    }
  }
  static __device__ void wait_for_items() {
    if constexpr (copies_items) __pipeline_wait_prior(0);
  }

  // Leaves each segment's result, as far as its items are in this tile, in its last item. Contains two barriers.
  static __device__ void reduce(const Job& job, const extent& tile, shared& s) {
    if (tile.items == 0) return;
    const strip_state state = reduce_strip(job, tile, s);
    __syncthreads();  // the warps' totals are written
    add_before(job, tile, s, state);
    __syncthreads();  // results stand at the segments' last items
  }

  // Whether the first segment that ends here has begun in an earlier tile.
  static __device__ bool crosses(const extent& tile, const shared& s) { return s.begin < 0 && tile.segments > 0; }

  static __device__ void store(const Job& job, const extent& tile, shared& s) {
    for (int k = static_cast<int>(threadIdx.x); k < tile.segments; k += threads) {
      if (k == 0 && crosses(tile, s)) continue;
      const index_t segment = tile.first_segment + k, begin = k > 0 ? s.end(k - 1) : s.begin;
      if (begin < s.end(k)) job.store(segment, values(job, tile, s)[s.end(k) - 1]);
      else job.out[segment] = job.init;
    }
  }

  // Whether a segment that has items in this tile goes on in the next one. What these come to is the last item, then.
  static __device__ bool is_open(const Job& job, const extent& tile, shared& s) {
    const index_t begin = tile.segments > 0 ? s.end(tile.segments - 1) : s.begin;
    return begin < tile.items && tile.first_segment + tile.segments < job.path.segments;
  }

 private:
  static constexpr bool copies_items = std::is_pointer_v<decltype(Job::items)> &&
                                       std::is_same_v<T, std::remove_cv_t<item>> && std::is_trivially_copyable_v<T> &&
                                       alignof(T) >= 4;
  static_assert(strip <= 32, "a strip's heads are bits of one word");
  static_assert(items < 1 << 16, "ends are stored in 16 bits");

  // Begins to copy `count` items to an address that is the same modulo 16: by words up to the first 16 bytes that are
  // aligned, and behind the last.
  static __device__ void copy_items(const T* from, int count, T* to) {
    const auto thread = static_cast<int>(threadIdx.x), bytes = count * static_cast<int>(sizeof(T));
    const auto* const source = reinterpret_cast<const unsigned char*>(from);
    auto* const target = reinterpret_cast<unsigned char*>(to);
    const int head = min(bytes, static_cast<int>(-reinterpret_cast<std::uintptr_t>(from) % 16));
    const int tail = head + (bytes - head) / 16 * 16;
#pragma unroll
    for (int k = 0; k < divide_up(items * static_cast<int>(sizeof(T)), threads * 16); ++k) {
      const int at = head + (thread + k * threads) * 16;
      if (at < tail) __pipeline_memcpy_async(target + at, source + at, 16);
    }
    const int edge = thread * 4 < head ? thread * 4 : tail + thread * 4 - head;
    if (edge < bytes) __pipeline_memcpy_async(target + edge, source + edge, 4);
  }

  static __device__ void mark_heads(const Job& job, const extent& tile, shared& s) {
    constexpr int batch = 4;  // loads on their way together
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x); first < tile.segments; first += batch * threads) {
      index_t ends[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        const int k = first + j * threads;
        if (k < tile.segments) ends[j] = job.path.begin(tile.first_segment + k + 1);
      }
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        const int k = first + j * threads, end = static_cast<int>(ends[j] - tile.first_item);
        if (k >= tile.segments) break;
        s.end(k) = static_cast<std::uint16_t>(end);
        if (end < tile.items) s.mark(end);
      }
    }
    if (threadIdx.x == 0) {
      s.begin = job.path.begin(tile.first_segment) - tile.first_item;
      // Items before all segments are in no result.
      if (s.begin > 0 && s.begin < tile.items) s.mark(static_cast<int>(s.begin));
    }
  }

  // What a thread knows of its strip.
  struct strip_state {
    T open;     // the combination from the last head on
    T before;   // what precedes the strip in the warp comes to, from the last head on; lane 0 has nothing
    bool ends;  // whether there is such a head
  };

  // Combines a strip's items, and stores at its inner heads what precedes them in the strip.
  static __device__ strip_state reduce_strip(const Job& job, const extent& tile, shared& s) {
    auto op = job.op;
    const int begin = static_cast<int>(threadIdx.x) * strip, count = min(tile.items - begin, strip);
    const unsigned heads = s.heads[threadIdx.x];
    T* const all = values(job, tile, s);
    T* const x = all + begin;
    // A strip without items takes part with the last one, which does not count.
    T open = all[min(begin, tile.items - 1)];
    const auto append = [&](int i, const T& next) {
      if (heads >> i & 1) {
        x[i - 1] = open;
        open = next;
      } else {
        open = static_cast<T>(op(open, next));
      }
    };
    if (count == strip) {
#pragma unroll
      for (int i = 1; i < strip; ++i) append(i, x[i]);
    } else {
#pragma unroll 1
      for (int i = 1; i < count; ++i) append(i, x[i]);
    }
    return scan_warp(open, heads != 0, op, s);
  }

  // A scan over the strips of a warp that starts anew at heads. The warp's total is written to shared memory.
  template <class Op>
  static __device__ strip_state scan_warp(const T& open, bool has_head, Op& op, shared& s) {
    const int lane = lane_id();
    const unsigned with_head = __ballot_sync(all_lanes, has_head);
    const int last_head = 31 - __clz(static_cast<int>(with_head & ((2u << lane) - 1)));
    T inclusive = open;
#pragma unroll
    for (int delta = 1; delta < warp_size; delta *= 2) {
      const T left = detail::shuffle_up(inclusive, delta);
      if (lane - delta >= max(last_head, 0)) inclusive = static_cast<T>(op(left, inclusive));
    }
    if (lane == warp_size - 1) detail::construct(s.of_warps() + warp_id(), total{inclusive, with_head != 0});
    return {open, detail::shuffle_up(inclusive, 1), (with_head & ((1u << lane) - 1)) != 0};
  }

  // Adds what precedes a strip to its first segment.
  static __device__ void add_before(const Job& job, const extent& tile, shared& s, const strip_state& state) {
    const int begin = static_cast<int>(threadIdx.x) * strip, count = min(tile.items - begin, strip);
    if (count <= 0) return;
    auto op = job.op;
    T* const x = values(job, tile, s) + begin;
    const unsigned heads = s.heads[threadIdx.x];
    T open = state.open;
    if (threadIdx.x > 0 && !(heads & 1)) {
      T before = state.before;
      if (!state.ends && warp_id() > 0) {
        const T warps_before = total_before(job, s);
        before = lane_id() > 0 ? static_cast<T>(op(warps_before, before)) : warps_before;
      }
      if (heads != 0) {
        T& result = x[__ffs(static_cast<int>(heads)) - 2];
        result = static_cast<T>(op(before, result));
      } else {
        open = static_cast<T>(op(before, open));
      }
    }
    x[count - 1] = open;
  }
  // What the warps before come to, from their last head on.
  static __device__ T total_before(const Job& job, shared& s) {
    segmented<typename Job::op_type> op{job.op};
    total before = s.of_warps()[0];
    for (int w = 1; w < warp_id(); ++w) before = op(before, s.of_warps()[w]);
    return before.value;
  }
};

}  // namespace onepass::detail
