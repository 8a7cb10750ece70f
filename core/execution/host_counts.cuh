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
    {
      const std::lock_guard<std::mutex> lock(unused().mutex);
      mine_ = unused().first;
      if (mine_ != nullptr) unused().first = mine_->next;
    }
    if (mine_ != nullptr) return;
    const beside_captures guard;
    void* memory = nullptr;
    status_ = cudaHostAlloc(&memory, sizeof(block), cudaHostAllocPortable | cudaHostAllocMapped);
    if (status_ == cudaSuccess) mine_ = static_cast<block*>(memory);
    else (void)cudaGetLastError();
  }
  host_counts(const host_counts&) = delete;
  host_counts& operator=(const host_counts&) = delete;
  // Where nobody has waited for the kernel that was to store there, it may still do so: then these 64 bytes are lost.
  ~host_counts() {
    if (mine_ == nullptr || is_awaited_) return;
    const std::lock_guard<std::mutex> lock(unused().mutex);
    mine_->next = std::exchange(unused().first, mine_);
  }

  bool has_memory() const { return mine_ != nullptr; }
  // For a kernel that stores there, to be called before it is launched. Throws if there is no memory.
  index_t* get(const char* call) {
    check_cuda(call, status_);
    is_awaited_ = true;
    return mine_->counts;
  }
  // Waits until the stream's work has stored the counts.
  template <class Policy>
  const index_t* wait(const char* call, const Policy& policy) {
    wait_for_stream(call, policy.stream());
    is_awaited_ = false;
    return mine_->counts;
  }

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
  cudaError_t status_ = cudaSuccess;
  bool is_awaited_ = false;
};

// By a thread for each count.
template <class Count>
__global__ void copy_counts_kernel(const Count* from, Count* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

}  // namespace onepass::detail
