// SPDX-License-Identifier: Apache-2.0
// Streams beside the caller's, for a call whose parts run side by side. They are kept for later calls.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "cuda_rank.cuh"

namespace onepass::detail {

// Two streams that sort by turns, so that one fills the device while a kernel of the other ends; and two that move
// items, of the highest priority, as their kernels are small and others wait for them. They begin behind begin()'s
// event, and the caller's stream goes on when they have done, at this object's end.
class side_streams {
  static constexpr std::size_t of_sorts = 2, all = 4;
  using streams = std::array<stream_t, all>;

 public:
  static constexpr std::size_t turns = of_sorts;

  side_streams(const char* call, stream_t main)
      : main_(main), device_(current_device(call)), point_(call), own_(take(call, device_)) {}
  ~side_streams() {
    for (const stream_t s : own_) {
      point_.try_record(s);
      point_.try_hold(main_);
    }
    give_back(device_, own_);
  }
  side_streams(const side_streams&) = delete;
  side_streams& operator=(const side_streams&) = delete;

  void begin(const char* call, const cuda_event& after) const {
    for (const stream_t s : own_) after.hold(call, s);
  }
  stream_t sorts(std::size_t turn) const { return own_[turn % turns]; }
  stream_t sends() const { return own_[of_sorts]; }
  stream_t receives() const { return own_[of_sorts + 1]; }

 private:
  struct kept {
    std::mutex mutex;
    std::map<int, std::vector<streams>> of_device;
  };
  static kept& pool() {
    static auto* all_kept = new kept;  // never destroyed: the driver may be gone then
    return *all_kept;
  }
  static streams take(const char* call, int device) {
    {
      const std::lock_guard<std::mutex> lock(pool().mutex);
      std::vector<streams>& free = pool().of_device[device];
      if (!free.empty()) {
        const streams last = free.back();
        free.pop_back();
        return last;
      }
    }
    const beside_captures guard;
    int lowest = 0, highest = 0;
    check_cuda(call, cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    streams made = {};
    for (std::size_t i = 0; i < all; ++i) {
      const cudaError_t status =
          cudaStreamCreateWithPriority(&made[i], cudaStreamNonBlocking, i < of_sorts ? lowest : highest);
      if (status == cudaSuccess) continue;
      for (std::size_t j = 0; j < i; ++j) (void)cudaStreamDestroy(made[j]);
      check_cuda(call, status);
    }
    return made;
  }
  static void give_back(int device, const streams& own) noexcept {
    try {
      const std::lock_guard<std::mutex> lock(pool().mutex);
      pool().of_device[device].push_back(own);
    } catch (...) {  // no memory to note them
      for (const stream_t s : own) (void)cudaStreamDestroy(s);
    }
  }

  stream_t main_;
  int device_;
  cuda_event point_;
  streams own_;
};

}  // namespace onepass::detail
