// SPDX-License-Identifier: Apache-2.0
// Memory of the host for the counts that a call waits for.
#pragma once

#include <mutex>

#include "../cuda/runtime/device_memory.cuh"

namespace onepass::detail {

// A few counts in page-locked memory of the host. Kernels of every device may store there, so that a count need not be
// copied. The memory is kept for the next call and never freed, as the driver may shut down first at exit.
class host_counts {
 public:
  static constexpr std::size_t size = 7;  // so that they and what is behind them are a line of 64 bytes

  host_counts() {
    const std::lock_guard<std::mutex> lock(unused().mutex);
    if (unused().first != nullptr) {
      mine_ = std::exchange(unused().first, unused().first->next);
      return;
    }
    const beside_captures guard;
    void* memory = nullptr;
    constexpr unsigned for_all_devices = cudaHostAllocPortable | cudaHostAllocMapped;
    if (cudaHostAlloc(&memory, sizeof(block), for_all_devices) == cudaSuccess) mine_ = static_cast<block*>(memory);
    else (void)cudaGetLastError();
  }
  host_counts(const host_counts&) = delete;
  host_counts& operator=(const host_counts&) = delete;
  ~host_counts() {
    if (mine_ == nullptr) return;
    const std::lock_guard<std::mutex> lock(unused().mutex);
    mine_->next = std::exchange(unused().first, mine_);
  }

  // Null if there is no such memory.
  index_t* get() const { return mine_ == nullptr ? nullptr : mine_->counts; }

 private:
  struct block {
    index_t counts[size];
    block* next;  // while it is unused
  };
  struct unused_blocks {
    std::mutex mutex;
    block* first = nullptr;
  };
  static unused_blocks& unused() {
    static auto* const blocks = new unused_blocks;
    return *blocks;
  }

  block* mine_ = nullptr;
};

// By a thread for each count.
template <class Count>
__global__ void copy_counts_kernel(const Count* from, Count* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

}  // namespace onepass::detail
