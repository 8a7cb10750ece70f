// SPDX-License-Identifier: Apache-2.0
// How the blocks of one launch work together in memory that nobody has cleared for them. The first block to arrive
// prepares it, the others wait for that when they need it, and the last one to leave knows that all are done. The three
// counters are zero again when it has left. A block that waits does so only for a block that is running.
#pragma once

#include <cuda/atomic>

#include "../../lookback/tile_memory.hpp"
#include "../io/warp.cuh"

namespace onepass::detail {

// Adds `done` to a counter that starts at zero. Returns whether it has reached `all`: then this block is the last one,
// and sees what all others have written before they called. By all threads of a block.
__device__ inline bool is_last_block(unsigned& counter, unsigned done, unsigned all) {
  __shared__ bool is_last;
  __threadfence();  // a thread's results are out before the block says that it is done ...
  __syncthreads();  // ... which it does when all threads are here
  if (threadIdx.x == 0) is_last = atomicAdd(&counter, done) + done == all;
  __syncthreads();  // is_last is written
  if (!is_last) return false;
  __threadfence();  // pairs with the fences of the blocks that were done before
  return true;
}

class grid_sync {
 public:
  __device__ explicit grid_sync(control* head) : head_(head) {}

  // By all lanes of one warp of each block. In the first block to come, that warp calls prepare().
  template <class Prepare>
  __device__ void arrive(Prepare prepare) {
    unsigned before = 0;
    if (lane_id() == 0) before = atomicAdd(&head_->arrived, 1u);
    if (__shfl_sync(all_lanes, before, 0) != 0) return;
    prepare();
    __threadfence();  // a block that sees the word sees what has been prepared ...
    __syncwarp();
    if (lane_id() == 0) atomicExch(&head_->opened, 1u);
  }

  // By one thread; after the next barrier of the block, all its threads may use what has been prepared.
  __device__ void wait() const {
    spin_guard guard;
    while (::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>(head_->opened)
               .load(::cuda::memory_order_acquire) == 0)  // ... here
      guard.wait();
  }

  // By all threads of each block. Returns whether this block is the last one, as is_last_block does.
  __device__ bool leave(unsigned blocks) {
    if (!is_last_block(head_->left, 1, blocks)) return false;
    if (threadIdx.x == 0) head_->arrived = head_->opened = head_->left = 0;
    return true;
  }

 private:
  control* head_;
};

}  // namespace onepass::detail
