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

#include "offset_reduce_job.cuh"
#include "segment_strips.cuh"

namespace onepass::detail {

template <class Job>
class offset_reduce_tile {
  using T = typename Job::value_type;
  static constexpr offset_tuning tuning = offset_reduce_tuning(sizeof(T), Job::copies_items);
  static constexpr int strip = tuning.strip;

 public:
  static constexpr int threads = tuning.threads, blocks = tuning.blocks, warps = threads / warp_size;
  static constexpr int items = tuning.strips * strip;  // steps of a tile

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
    warp_totals<T, warps> totals;
    index_t begin;  // where the first segment begins, counted from the tile's first item

    __device__ std::uint16_t& end(int segment) {
      return reinterpret_cast<std::uint16_t*>(memory + bytes)[-1 - segment];
    }
    // `i`: an item of the tile that begins a segment.
    __device__ void mark(int i) { atomicOr(heads + i / strip, 1u << i % strip); }
  };

  static __device__ extent extent_of(const Job& job, tile_t tile) {
    const index_t first = static_cast<index_t>(tile) * items, last = min(first + items, job.n);
    const index_t begin = job.starts[tile], end = job.starts[tile + 1];
    // Bounds change nothing but where offsets do not ascend. Then nothing is to be read or written outside the memory.
    const index_t first_item = bounded(first - begin, job.path.items);
    const auto segments = static_cast<int>(bounded(end - begin, last - first));
    return {begin, first_item, segments,
            static_cast<int>(bounded(last - first - segments, job.path.items - first_item))};
  }

  // Where the tile's items are in shared memory.
  static __device__ T* values(const Job& job, const extent& tile, shared& s) {
    if constexpr (Job::copies_items) {
      return reinterpret_cast<T*>(s.memory + reinterpret_cast<std::uintptr_t>(job.items + tile.first_item) % 16);
    } else {
      return reinterpret_cast<T*>(s.memory);
    }
  }

  // The items of an array are copied asynchronously, which takes no registers: wait_for_items() waits for them. Others
  // are loaded one by one, neighbours by neighbouring threads.
  static __device__ void load(const Job& job, const extent& tile, shared& s) {
    if constexpr (Job::copies_items) {
      copy_items<threads, items>(job.items + tile.first_item, tile.items, values(job, tile, s));
      __pipeline_commit();
      mark_heads(job, tile, s);
    } else {
      constexpr int at_once = (strip + 1) / 2;  // a thread has so many in registers
      load_items<threads, at_once>(job.items, tile.first_item, tile.items, values(job, tile, s),
                                   [&] { mark_heads(job, tile, s); });
    }
  }
  static __device__ void wait_for_items() {
    if constexpr (Job::copies_items) __pipeline_wait_prior(0);
  }

  // Leaves each segment's result, as far as its items are in this tile, in its last item. Contains two barriers.
  static __device__ void reduce(const Job& job, const extent& tile, shared& s) {
    if (tile.items == 0) return;
    const strip_state<T> state = reduce_strip(job, tile, s);
    __syncthreads();  // the warps' totals are written
    const int begin = static_cast<int>(threadIdx.x) * strip, count = min(tile.items - begin, strip);
    auto op = job.op;
    if (count > 0) add_before(values(job, tile, s) + begin, count, s.heads[threadIdx.x], state, op, s.totals);
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

 private:
  static __device__ index_t bounded(index_t i, index_t most) { return max(index_t{0}, min(i, most)); }

  static_assert(strip <= 32, "a strip's heads are bits of one word");
  static_assert(items < 1 << 16, "ends are stored in 16 bits");

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
        const int k = first + j * threads, end = static_cast<int>(bounded(ends[j] - tile.first_item, tile.items));
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

  // Combines a strip's items, and stores at its inner heads what precedes them in the strip.
  static __device__ strip_state<T> reduce_strip(const Job& job, const extent& tile, shared& s) {
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
    return scan_strips(open, heads != 0, op, s.totals);
  }
};

}  // namespace onepass::detail
