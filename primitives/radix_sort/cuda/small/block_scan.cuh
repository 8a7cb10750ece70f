// SPDX-License-Identifier: Apache-2.0
// An exclusive scan of one number a thread by one block.
#pragma once

#include "../../../../core/cuda/io/warp.cuh"

namespace onepass::detail {

struct block_scan_result {
  unsigned before, total;  // what the values of all threads before this one combine to, and those of all threads
};

// 0 is the operator's neutral element. All threads of the block, which has whole warps. `totals` has room for a value of
// each warp.
template <class Op>
__device__ block_scan_result block_scan(unsigned value, Op op, unsigned* totals) {
  const unsigned inclusive = warp_inclusive_scan(value, op);
  unsigned before = shuffle_up(inclusive, 1);
  if (lane_id() == 0) before = 0;
  if (lane_id() == warp_size - 1) totals[warp_id()] = inclusive;
  __syncthreads();  // totals are written
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  const unsigned of_warps = warp_inclusive_scan(lane_id() < warps ? totals[lane_id()] : 0u, op);
  const unsigned before_warp = shuffle_from(of_warps, max(warp_id() - 1, 0));
  __syncthreads();  // totals may be overwritten
  return {warp_id() == 0 ? before : op(before_warp, before), shuffle_from(of_warps, warp_size - 1)};
}

}  // namespace onepass::detail
