// SPDX-License-Identifier: Apache-2.0
// Synchronisation of the blocks of one launch. They work in memory that no earlier kernel has cleared: the first block
// to begin prepares it, the others wait for that when they need the memory, and the last block to end knows that all
// others have ended. Its three counters stand in the workspace (`control`) and are zero again after the last block.
//
// Progress: a block waits only for the first block, which is running by then and waits for nobody. So it does not
// matter how few blocks are resident.
#pragma once

#include "../../lookback/tile_memory.hpp"
#include "../../support/atomic_words.hpp"
#include "../io/warp.cuh"

namespace onepass::detail {

// Adds `done` to a counter that starts at zero, and says whether it has reached `all`. If so, this block is the last one,
// and sees everything that the others wrote before they called this. All threads of a block call it.
__device__ inline bool is_last_block(unsigned& counter, unsigned done, unsigned all) {
  __shared__ bool is_last;
  __threadfence();  // each thread's results are visible before the block is counted ...
  __syncthreads();  // ... which happens after all its threads have come here
  if (threadIdx.x == 0) is_last = atomicAdd(&counter, done) + done == all;
  __syncthreads();  // is_last is written
  if (!is_last) return false;
  __threadfence();  // pairs with the fences of the blocks that were done before
  return true;
}

class grid_sync {
 public:
  __device__ explicit grid_sync(control* head) : head_(head) {}

  // Calls prepare() in the first block of the launch that comes here. All lanes of one warp of each block call this,
  // once; in the first block all of them call prepare().
  template <class Prepare>
  __device__ void prepare_once(Prepare prepare) {
    unsigned before = 0;
    if (lane_id() == 0) before = atomicAdd(&head_->blocks_begun, 1u);
    if (__shfl_sync(all_lanes, before, 0) != 0) return;
    prepare();
    __threadfence();  // whoever sees is_prepared set also sees what was prepared ...
    __syncwarp();
    if (lane_id() == 0) atomicExch(&head_->is_prepared, 1u);
  }

  // Waits until the memory is prepared. One thread of a block calls this; after the block's next barrier all its
  // threads may use the memory.
  __device__ void wait_until_prepared() const {
    spin_guard guard;
    while (load_acquire(&head_->is_prepared) == 0) guard.wait();  // ... by this acquire
  }

  // Counts the calling block as ended and says whether it is the last one of `blocks` (see above). All threads of each
  // block call it, once, when they have no more to write.
  __device__ bool is_last_block(unsigned blocks) {
    if (!detail::is_last_block(head_->blocks_done, 1, blocks)) return false;
    if (threadIdx.x == 0) head_->blocks_begun = head_->is_prepared = head_->blocks_done = 0;
    return true;
  }

  // Counts the calling block as ended, where no block has to know which one is the last. One thread of each block calls
  // this, the one that has waited, after its last use of the object.
  __device__ void leave(unsigned blocks) {
    if (atomicAdd(&head_->blocks_done, 1u) + 1 == blocks)
      head_->blocks_begun = head_->is_prepared = head_->blocks_done = 0;
  }

 private:
  control* head_;
};

}  // namespace onepass::detail
