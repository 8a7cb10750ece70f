// SPDX-License-Identifier: Apache-2.0
// Rungs in one warp: each warp scans a part of 32 items on its own. And a block built of warps, which scans 1,024.
// Source: N. Wilt, "The CUDA Handbook" (2013), chapter 13; P. M. Kogge, H. S. Stone (1973) for the steps.
#pragma once

#include "block_scans.cuh"

namespace ladder {

constexpr int lanes = 32;
constexpr unsigned all_lanes = ~0u;
static __device__ int lane_id() { return static_cast<int>(threadIdx.x) % lanes; }

// A warp scan: scan(mine, shared) returns the sum of the items of all lanes up to this one; `words` of shared memory a warp.

// Limited by 31 lanes that wait, and by 32 words of one bank after another.
struct warp_serial {
  static constexpr int words = lanes;
  static __device__ item scan(item mine, item* shared) {
    shared[lane_id()] = mine;
    __syncwarp();
    if (lane_id() == 0) {
      for (int i = 1; i < lanes; ++i) shared[i] += shared[i - 1];
    }
    __syncwarp();
    return shared[lane_id()];
  }
};

// Steps 1, 2, 4, 8, 16. Limited by a branch, two fences and two accesses to shared memory a step.
struct warp_shared {
  static constexpr int words = lanes;
  static __device__ item scan(item mine, item* shared) {
    for (int step = 1; step < lanes; step *= 2) {
      shared[lane_id()] = mine;
      __syncwarp();
      if (lane_id() >= step) mine += shared[lane_id() - step];
      __syncwarp();
    }
    return mine;
  }
};

// The same without the branch: a lane that looks before the first item finds a zero. Limited by shared memory still.
struct warp_padded {
  static constexpr int padding = lanes / 2;  // the longest step
  static constexpr int words = padding + lanes;
  static __device__ item scan(item mine, item* shared) {
    item* const slot = shared + padding + lane_id();
    if (lane_id() < padding) shared[lane_id()] = 0;
    for (int step = 1; step < lanes; step *= 2) {
      *slot = mine;
      __syncwarp();
      mine += *(slot - step);
      __syncwarp();
    }
    return mine;
  }
};

// From register to register. Limited by a comparison a step.
struct warp_shuffle {
  static constexpr int words = 0;
  static __device__ item scan(item mine, item*) {
    for (int step = 1; step < lanes; step *= 2) {
      const item before = __shfl_up_sync(all_lanes, mine, step);
      if (lane_id() >= step) mine += before;
    }
    return mine;
  }
};

// The shuffle says itself whether there was a lane to take from; CUDA C++ has no word for that, PTX has. Limited by
// one item a thread: the 2,048 threads of a multiprocessor have 8 KB under way, too little to cover memory's latency.
struct warp_shuffle_predicated {
  static constexpr int words = 0;
  static __device__ item scan(item mine, item*) {
    for (int step = 1; step < lanes; step *= 2) {
      asm volatile(
          "{ .reg .u32 before; .reg .pred is_there;"
          "  shfl.sync.up.b32 before|is_there, %0, %1, 0, 0xffffffff;"
          "  @is_there add.u32 %0, %0, before; }"
          : "+r"(mine)
          : "r"(step));
    }
    return mine;
  }
};

// ---- one warp a part
constexpr int block_of_parts = 256;  // threads of a block of independent warps

template <class WarpScan>
__global__ void __launch_bounds__(block_of_parts) scan_in_warps_kernel(const item* in, item* out, index_t n) {
  constexpr int warps = block_of_parts / lanes;
  __shared__ item shared[warps * WarpScan::words + 1];  // an array of none is no array
  const index_t i = static_cast<index_t>(blockIdx.x) * block_of_parts + threadIdx.x;
  const item sum = WarpScan::scan(i < n ? in[i] : 0, shared + static_cast<int>(threadIdx.x) / lanes * WarpScan::words);
  if (i < n) out[i] = sum;
}

template <class WarpScan>
void scan_in_warps(const item* in, item* out, index_t n, void*, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(divide_up<index_t>(n, block_of_parts));
  scan_in_warps_kernel<WarpScan><<<blocks, block_of_parts, 0, stream>>>(in, out, n);
}

// ---- warps that make a block
// The sum of all threads' items up to this one's. `totals`: a word for each warp; the last is then the block's sum.
template <int Threads>
__device__ item block_sum(item mine, item* totals) {
  constexpr int warps = Threads / lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  item sum = warp_shuffle_predicated::scan(mine, nullptr);
  if (lane_id() == lanes - 1) totals[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const item all = warp_shuffle_predicated::scan(lane_id() < warps ? totals[lane_id()] : 0, nullptr);
    if (lane_id() < warps) totals[lane_id()] = all;
  }
  __syncthreads();
  return warp == 0 ? sum : sum + totals[warp - 1];
}

// Limited by one item a thread, as a warp is, and by barriers: a block starts when its last warp has loaded.
struct block_of_warps {
  static constexpr int threads = part_items;
  static constexpr int words = part_items / lanes;
  static __device__ void scan(const item* in, item* out, int count, item* shared) {
    const int i = static_cast<int>(threadIdx.x);
    const item sum = block_sum<threads>(i < count ? in[i] : 0, shared);
    if (i < count) out[i] = sum;
  }
};

}  // namespace ladder
