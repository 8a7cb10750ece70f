// SPDX-License-Identifier: Apache-2.0
// Launching kernels, and turning what the CUDA runtime reports into exceptions that name the call.
#pragma once

#include <cuda_runtime.h>

#include <atomic>

#include "../errors.hpp"

namespace onepass::detail {

inline void check_cuda(const char* call, cudaError_t status) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // so that the error does not come up again in somebody else's call
  if (status == cudaErrorMemoryAllocation) throw bad_alloc(call);
  throw cuda_error(call, static_cast<int>(status), cudaGetErrorString(status));
}

inline int current_device(const char* call) {
  int device = 0;
  check_cuda(call, cudaGetDevice(&device));
  return device;
}

inline int multiprocessors(const char* call) {
  int count = 0;
  check_cuda(call, cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current_device(call)));
  return count;
}

// How many blocks of a kernel a device holds at once; asked for once a kernel and device. Also lets the kernel use more
// than 48 KB of shared memory.
class resident_blocks {
 public:
  template <class Kernel>
  resident_blocks(Kernel* kernel, int threads, std::size_t shared)
      : kernel_(reinterpret_cast<const void*>(kernel)), threads_(threads), shared_(shared) {}

  unsigned on_this_device(const char* call) {
    const int device = current_device(call);
    if (device < most_devices) {
      if (const unsigned known = blocks_[device].load(std::memory_order_relaxed)) return known;
    }
    check_cuda(call,
               cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_)));
    int a_multiprocessor = 0;
    check_cuda(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel_, threads_, shared_));
    const auto blocks = static_cast<unsigned>(a_multiprocessor * multiprocessors(call));
    if (blocks == 0) throw cuda_error(call, cudaErrorInvalidConfiguration, "the kernel does not fit this device");
    if (device < most_devices) blocks_[device].store(blocks, std::memory_order_relaxed);
    return blocks;
  }

 private:
  static constexpr int most_devices = 64;
  const void* kernel_;
  int threads_;
  std::size_t shared_;
  std::atomic<unsigned> blocks_[most_devices] = {};
};

template <class... Params, class... Args>
void launch_kernel(const char* call, void (*kernel)(Params...), dim3 grid, int threads, std::size_t shared,
                   cudaStream_t stream, Args&&... args) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  check_cuda(call, cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
}

}  // namespace onepass::detail
