// SPDX-License-Identifier: Apache-2.0
// What a rank with a GPU has of its own, whatever carries its data: the device, memory that the host and the device
// share, and a wait with a deadline.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "../cuda/runtime/device_memory.cuh"

namespace onepass::detail {

// An event of the current device, without timing.
class cuda_event {
 public:
  explicit cuda_event(const char* call) {
    const beside_captures guard;
    check_cuda(call, cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~cuda_event() { (void)cudaEventDestroy(event_); }
  cuda_event(const cuda_event&) = delete;
  cuda_event& operator=(const cuda_event&) = delete;
  void record(const char* call, stream_t stream) const { check_cuda(call, cudaEventRecord(event_, stream)); }
  void try_record(stream_t stream) const noexcept { (void)cudaEventRecord(event_, stream); }
  // Work that is enqueued in `stream` from now on begins when the event has happened.
  void hold(const char* call, stream_t stream) const { check_cuda(call, cudaStreamWaitEvent(stream, event_, 0)); }
  void try_hold(stream_t stream) const noexcept { (void)cudaStreamWaitEvent(stream, event_, 0); }
  bool has_happened(const char* call) const {
    const beside_captures guard;
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      (void)cudaGetLastError();  // it is no error, and must not be reported as one
      return false;
    }
    check_cuda(call, status);
    return true;
  }
  // Whether its device has. An event that was never recorded says so, too.
  bool has_failed() const noexcept {
    const beside_captures guard;
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) (void)cudaGetLastError();
    return status != cudaSuccess && status != cudaErrorNotReady;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Memory of the host that the device reads and writes. It grows when it has to.
class shared_host_memory {
 public:
  shared_host_memory() = default;
  shared_host_memory(const shared_host_memory&) = delete;
  shared_host_memory& operator=(const shared_host_memory&) = delete;
  ~shared_host_memory() { release(); }
  // `bytes` bytes that mean nothing, until the next call. The device must have done with those of the last call.
  void* get(const char* call, std::size_t bytes) {
    if (bytes <= bytes_) return memory_;
    release();
    const std::size_t wanted = std::max<std::size_t>(bytes, 4096);
    const beside_captures guard;
    check_cuda(call, cudaHostAlloc(&memory_, wanted, cudaHostAllocPortable | cudaHostAllocMapped));
    bytes_ = wanted;
    return memory_;
  }

 private:
  void release() {
    const beside_captures guard;
    if (memory_ != nullptr) (void)cudaFreeHost(memory_);
    memory_ = nullptr;
    bytes_ = 0;
  }
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// Lets all other devices of this process, as far as they can, read and write the library's own memory on the current
// one. Memory of a pool is not theirs by itself, and both copy engines and NCCL go from device to device directly.
inline void share_pool_with_peers(const char* call) {
  const int mine = current_device(call);
  int devices = 0;
  check_cuda(call, cudaGetDeviceCount(&devices));
  for (int other = 0; other < devices; ++other) {
    int can = 0;
    if (other != mine) check_cuda(call, cudaDeviceCanAccessPeer(&can, other, mine));
    if (can == 0) continue;
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = other;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    check_cuda(call, cudaMemPoolSetAccess(memory_pool(call), &access, 1));
  }
}

// Whether all devices that reach this one may read memory, as that of cudaMalloc: what cudaIpcGetMemHandle takes. That of a pool,
// and pages that a program has mapped itself, are open only to devices that their owner has named.
inline bool is_open_to_peers(const void* memory) {
  using pointer_attribute = CUresult (*)(void* result, CUpointer_attribute attribute, CUdeviceptr memory);
  void* found = nullptr;  // so that nobody has to link the driver's library
  cudaDriverEntryPointQueryResult is_found{};
  unsigned is_open = 0;
  const bool is_told =
      cudaGetDriverEntryPointByVersion("cuPointerGetAttribute", &found, 12000, cudaEnableDefault, &is_found) ==
          cudaSuccess &&
      found != nullptr &&
      reinterpret_cast<pointer_attribute>(found)(&is_open, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                                 reinterpret_cast<CUdeviceptr>(memory)) == CUDA_SUCCESS;
  return is_told && is_open != 0;
}

class cuda_rank {
 public:
  explicit cuda_rank(const char* call) : device_(current_device(call)), recorded_(call) {}
  cuda_rank(const cuda_rank&) = delete;
  cuda_rank& operator=(const cuda_rank&) = delete;

  // Throws unless the calling thread's current device is the rank's.
  void check_device(const char* call) const {
    if (current_device(call) != device_) {
      throw invalid_argument(call, "the current device is not the one that the communicator was made on");
    }
  }
  int device() const { return device_; }
  void* host_memory(const char* call, std::size_t bytes) { return shared_.get(call, bytes); }

  void record(const char* call, stream_t stream) const { recorded_.record(call, stream); }
  // Waits until what was recorded has happened. Meanwhile it calls look(), which may throw, and after the deadline
  // (none, if it is 0) give_up(text), which has to throw.
  template <class Look, class GiveUp>
  void wait(const char* call, std::chrono::milliseconds deadline, Look look, GiveUp give_up) const {
    using clock = std::chrono::steady_clock;
    const auto started = clock::now();
    for (unsigned tries = 1; !recorded_.has_happened(call); ++tries) {
      if (tries % 64 != 0) continue;  // not measured
      look();
      if (deadline.count() > 0 && clock::now() - started > deadline) {
        char text[96];
        std::snprintf(text, sizeof text, "has waited %lld ms in vain for other ranks or for its own device",
                      static_cast<long long>(deadline.count()));
        give_up(text);
      }
      std::this_thread::yield();
    }
  }

 private:
  int device_;
  cuda_event recorded_;
  shared_host_memory shared_;
};

}  // namespace onepass::detail
