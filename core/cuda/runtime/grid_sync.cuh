// SPDX-License-Identifier: Apache-2.0
// How the blocks of one launch work together in memory that nobody has cleared for them: the first block to arrive prepares
// it, the others wait for that when they need it, and the last one to leave knows that all are done. The three counters are
// zero again when it has left. Whoever waits does so for a block that runs.
#pragma once

#include <cuda/atomic>

#include "../../lookback/tile_memory.hpp"
#include "../io/warp.cuh"

namespace onepass::detail {

class grid_sync {
 public:
  __device__ explicit grid_sync(control* head) : head_(head) {}

  // By all lanes of one warp of each block. In the first block to come, that warp calls prepare().
  template <class Prepare>
  __device__ void prepare_once(Prepare prepare) {
    unsigned before = 0;
    if (lane_id() == 0) before = atomicAdd(&head_->blocks_begun, 1u);
    if (__shfl_sync(all_lanes, before, 0) != 0) return;
    prepare();
    __threadfence();  // what has been prepared is seen by who sees the word ...
    __syncwarp();
    if (lane_id() == 0) atomicExch(&head_->is_prepared, 1u);
  }

  // By one thread; after the next barrier of the block, all its threads may use what has been prepared.
  __device__ void wait_until_prepared() const {
    spin_guard guard;
    while (::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>(head_->is_prepared)
               .load(::cuda::memory_order_acquire) == 0)  // ... here
      guard.wait();
  }

  // By all threads of each block: whether it is the last one. Then it sees what all others have written before they left.
  __device__ bool is_last_block(unsigned blocks) {
    __shared__ bool is_last;
    __threadfence();  // a thread's results are out before the block says that it is done ...
    __syncthreads();  // ... which it does when all threads are here
    if (threadIdx.x == 0) is_last = atomicAdd(&head_->blocks_done, 1u) == blocks - 1;
    __syncthreads();  // is_last is written
    if (!is_last) return false;
    __threadfence();  // pairs with the fence of those who left before
    if (threadIdx.x == 0) head_->blocks_begun = head_->is_prepared = head_->blocks_done = 0;
    return true;
  }

 private:
  control* head_;
};

}  // namespace onepass::detail
