// SPDX-License-Identifier: Apache-2.0
// Rungs of one pass: a tile learns what lies before it from other tiles of the same launch, through descriptors in memory.
// 8 bytes an item, and 8 for each tile and each time that somebody looks at it. They differ in how a tile looks, and in how
// many items a thread has.
//
// A block that waits is sure of what it waits for: tiles take their numbers from a counter, so running blocks have drawn
// all tiles before one, and the first of those waits for nobody.
// Source: D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016).
#pragma once

#include <cuda/atomic>
#include <type_traits>

#include "warp_scans.cuh"

namespace ladder {

// State and value of a tile in one word, so that there is nothing to order. 0: invalid, nothing is published yet.
using descriptor = std::uint64_t;
enum class tile_state : std::uint32_t { invalid, aggregate, prefix };  // of the tile alone; of all tiles up to it

static __device__ tile_state state_of(descriptor d) { return static_cast<tile_state>(d >> 32); }
static __device__ item value_of(descriptor d) { return static_cast<item>(d); }
static __device__ descriptor described(tile_state state, item value) {
  return static_cast<descriptor>(state) << 32 | value;
}

class tile_table {
 public:
  __device__ explicit tile_table(descriptor* words) : words_(words) {}
  __device__ descriptor read(index_t tile) const { return word(tile).load(cuda::memory_order_relaxed); }
  __device__ void publish(index_t tile, tile_state state, item value) const {
    word(tile).store(described(state, value), cuda::memory_order_relaxed);
  }

 private:
  __device__ cuda::atomic_ref<descriptor, cuda::thread_scope_device> word(index_t tile) const {
    return cuda::atomic_ref<descriptor, cuda::thread_scope_device>(words_[tile]);
  }
  descriptor* words_;
};

// ---- how to learn the sum of all tiles before one; called by one warp, of whose results lane 0's counts
// A tile waits for its predecessor's prefix. Limited by the chain: tiles are passed on one after another, each at the price
// of a way through L2.
struct wait_for_predecessor {
  static __device__ item prefix(tile_table table, index_t tile, item aggregate) {
    item before = 0;
    if (lane_id() == 0) {
      descriptor d = tile == 0 ? described(tile_state::prefix, 0) : table.read(tile - 1);
      while (state_of(d) != tile_state::prefix) d = table.read(tile - 1);
      before = value_of(d);
      table.publish(tile, tile_state::prefix, before + aggregate);
    }
    return before;
  }
};

// The aggregate is published at once, and one thread walks back over aggregates to the first prefix. Limited by the walk,
// one descriptor after another, while the blocks ahead of it are as many as the device holds.
struct look_back_by_thread {
  static __device__ item prefix(tile_table table, index_t tile, item aggregate) {
    item before = 0;
    if (lane_id() == 0) {
      if (tile > 0) table.publish(tile, tile_state::aggregate, aggregate);
      for (index_t at = tile - 1; at >= 0;) {
        const descriptor d = table.read(at);
        if (state_of(d) == tile_state::invalid) continue;
        before += value_of(d);
        if (state_of(d) == tile_state::prefix) break;
        --at;
      }
      table.publish(tile, tile_state::prefix, before + aggregate);
    }
    return before;
  }
};

// The lanes of a warp look at 32 tiles at once. Lane 0 has the nearest; those behind the first prefix do not count.
struct look_back_by_warp {
  static __device__ item prefix(tile_table table, index_t tile, item aggregate) {
    if (lane_id() == 0 && tile > 0) table.publish(tile, tile_state::aggregate, aggregate);
    item before = 0;
    unsigned prefixes = 0;
    for (index_t nearest = tile - 1; prefixes == 0; nearest -= lanes) {
      const index_t mine = nearest - lane_id();
      descriptor d;
      do {
        d = mine < 0 ? described(tile_state::prefix, 0) : table.read(mine);
      } while (__any_sync(all_lanes, state_of(d) == tile_state::invalid));
      prefixes = __ballot_sync(all_lanes, state_of(d) == tile_state::prefix);
      const int last = prefixes == 0 ? lanes - 1 : __ffs(static_cast<int>(prefixes)) - 1;
      before += __reduce_add_sync(all_lanes, lane_id() <= last ? value_of(d) : 0);
    }
    if (lane_id() == 0) table.publish(tile, tile_state::prefix, before + aggregate);
    return before;
  }
};

// ---- a tile's items: `Items` for each thread, consecutive ones
// Memory likes the lanes of a warp side by side, a thread wants neighbours. So tiles are loaded and stored in vectors of 16
// bytes, lane beside lane, and shared memory turns the one order into the other. There a thread's vectors lie Items / 4
// vectors from the next thread's: if that is even, lanes meet in the same banks.
template <int Threads, int Items>
struct tile_of_vectors {
  static_assert(Items % 4 == 0);
  static constexpr int size = Threads * Items, vectors = Items / 4;
  using shared_items = uint4[size / 4];

  static __device__ void load(const item* in, int count, item (&mine)[Items], uint4* shared) {
    const int t = static_cast<int>(threadIdx.x);
    for (int v = t; v < size / 4; v += Threads) {
      if (count == size) shared[v] = reinterpret_cast<const uint4*>(in)[v];
      else
        shared[v] = {at(in, 4 * v, count), at(in, 4 * v + 1, count), at(in, 4 * v + 2, count),
                     at(in, 4 * v + 3, count)};
    }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < vectors; ++v) reinterpret_cast<uint4*>(mine)[v] = shared[t * vectors + v];
  }
  static __device__ void store(item* out, int count, const item (&mine)[Items], uint4* shared) {
    const int t = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int v = 0; v < vectors; ++v) shared[t * vectors + v] = reinterpret_cast<const uint4*>(mine)[v];
    __syncthreads();
    if (count == size) {
      for (int v = t; v < size / 4; v += Threads) reinterpret_cast<uint4*>(out)[v] = shared[v];
    } else {
      for (int i = t; i < count; i += Threads) out[i] = reinterpret_cast<const item*>(shared)[i];
    }
  }

 private:
  static __device__ item at(const item* in, int i, int count) { return i < count ? in[i] : 0; }
};

template <int Threads>
struct tile_of_items {  // one a thread: both orders are the same
  static constexpr int size = Threads;
  using shared_items = uint4[1];
  static __device__ void load(const item* in, int count, item (&mine)[1], uint4*) {
    mine[0] = static_cast<int>(threadIdx.x) < count ? in[threadIdx.x] : 0;
  }
  static __device__ void store(item* out, int count, const item (&mine)[1], uint4*) {
    if (static_cast<int>(threadIdx.x) < count) out[threadIdx.x] = mine[0];
  }
};

// ---- the kernel
struct single_pass_state {
  unsigned long long next_tile;
  std::uint64_t unused;  // descriptors begin at a multiple of 16 bytes
};

template <class Look, int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    single_pass_kernel(const item* in, item* out, index_t n, single_pass_state* state) {
  using tile_type = std::conditional_t<Items == 1, tile_of_items<Threads>, tile_of_vectors<Threads, Items>>;
  __shared__ typename tile_type::shared_items shared;
  __shared__ item totals[Threads / lanes];
  __shared__ index_t drawn;
  __shared__ item before_tile;

  if (threadIdx.x == 0) drawn = static_cast<index_t>(atomicAdd(&state->next_tile, 1));
  __syncthreads();
  const index_t tile = drawn, first = tile * tile_type::size, left = n - first;
  const int count = left < tile_type::size ? static_cast<int>(left) : tile_type::size;

  alignas(16) item mine[Items];  // it is loaded and stored as vectors
  tile_type::load(in + first, count, mine, shared);
#pragma unroll
  for (int i = 1; i < Items; ++i) mine[i] += mine[i - 1];
  const item up_to_mine = block_sum<Threads>(mine[Items - 1], totals);

  if (threadIdx.x < lanes) {
    const item before =
        Look::prefix(tile_table(reinterpret_cast<descriptor*>(state + 1)), tile, totals[Threads / lanes - 1]);
    if (lane_id() == 0) before_tile = before;
  }
  __syncthreads();
  const item before_mine = before_tile + up_to_mine - mine[Items - 1];
#pragma unroll
  for (int i = 0; i < Items; ++i) mine[i] += before_mine;
  tile_type::store(out + first, count, mine, shared);
}

template <int TileItems>
std::size_t scratch_of_tiles(index_t n) {
  return sizeof(single_pass_state) + static_cast<std::size_t>(divide_up<index_t>(n, TileItems)) * sizeof(descriptor);
}

template <class Look, int Threads, int Items>
void single_pass(const item* in, item* out, index_t n, void* scratch, cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>(divide_up<index_t>(n, Threads * Items));
  cudaMemsetAsync(scratch, 0, scratch_of_tiles<Threads * Items>(n), stream);
  single_pass_kernel<Look, Threads, Items>
      <<<tiles, Threads, 0, stream>>>(in, out, n, static_cast<single_pass_state*>(scratch));
}

}  // namespace ladder
