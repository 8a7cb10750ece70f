// SPDX-License-Identifier: Apache-2.0
// Launching kernels, and turning what the CUDA runtime reports into exceptions that name the call.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
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

inline int device_fact(const char* call, cudaDeviceAttr which) {
  int fact = 0;
  check_cuda(call, cudaDeviceGetAttribute(&fact, which, current_device(call)));
  return fact;
}
// The most bytes of shared memory that a block may have on this device: 99 to 227 KB from sm_80 on.
inline std::size_t most_shared_memory(const char* call) {
  return static_cast<std::size_t>(device_fact(call, cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

inline int multiprocessors(const char* call) { return device_fact(call, cudaDevAttrMultiProcessorCount); }

// What a kernel is on a device, asked for once each: how many of its blocks the device holds at once, and the architecture
// that its code was compiled for, as 90 for sm_90. Also lets the kernel use more than 48 KB of shared memory: `shared`, the
// most that a launch asks for.
class resident_blocks {
 public:
  template <class Kernel>
  resident_blocks(Kernel* kernel, int threads, std::size_t shared)
      : kernel_(reinterpret_cast<const void*>(kernel)), threads_(threads), shared_(shared) {}

  // Lets launches have as much shared memory as they may want, if the device has it, else as much as it has.
  std::size_t allow_shared_memory(const char* call) {
    return remember(call, allowed_, [&] {
      const auto allowed = static_cast<unsigned>(std::min(shared_, most_shared_memory(call)));
      check_cuda(call,
                 cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(allowed)));
      return allowed;
    });
  }
  bool fits_this_device(const char* call) { return allow_shared_memory(call) >= shared_; }

  unsigned on_this_device(const char* call) {
    return remember(call, blocks_, [&] {
      if (!fits_this_device(call)) throw no_room(call);
      int a_multiprocessor = 0;
      check_cuda(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel_, threads_, shared_));
      const auto blocks = static_cast<unsigned>(a_multiprocessor * multiprocessors(call));
      if (blocks == 0) throw no_room(call);
      return blocks;
    });
  }

  unsigned architecture(const char* call) {
    return remember(call, architecture_, [&] {
      cudaFuncAttributes attributes = {};
      check_cuda(call, cudaFuncGetAttributes(&attributes, kernel_));
      return static_cast<unsigned>(attributes.ptxVersion);
    });
  }

 private:
  static constexpr int most_devices = 64;  // whose facts are remembered
  using facts = std::atomic<unsigned>[most_devices];

  static cuda_error no_room(const char* call) {
    return {call, cudaErrorInvalidConfiguration, "the kernel does not fit this device"};
  }

  template <class Ask>
  static unsigned remember(const char* call, facts& known, Ask ask) {
    const int device = current_device(call);
    if (device >= most_devices) return ask();
    unsigned fact = known[device].load(std::memory_order_relaxed);
    if (fact == 0) known[device].store(fact = ask(), std::memory_order_relaxed);
    return fact;
  }

  const void* kernel_;
  int threads_;
  std::size_t shared_;
  facts blocks_ = {}, architecture_ = {}, allowed_ = {};
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

// ---- dependent launch (Hopper and later): a kernel starts while the one before it in the stream ends ----------------

// Every kernel launched so calls this: what stands above overlaps with the kernel before. It stands before any access to
// global memory; and the wait before the trigger, so that the next kernel cannot overtake the one before this.
__device__ inline void join_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Kernels that take other places than that, so that several at once are under way, are told so when they are launched: they
// call join_as first and leave_as last, all threads both. Whatever their order, all before have ended when the last one has.
enum class joining {
  in_turn,  // as join_previous_kernel
  pushing,  // lets the next one begin first: for such as wait, too, or need nothing that is not there when this one begins
  beside_it  // runs beside the one before; for such as need only what is there when that one begins. It ends behind it.
};
__device__ inline void join_as(joining how) {
#if __CUDA_ARCH__ >= 900
  if (how == joining::in_turn) return join_previous_kernel();
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (how == joining::pushing) asm volatile("griddepcontrol.wait;" ::: "memory");
  else __threadfence();  // takes nothing from this multiprocessor's cache that has been there for long
#else
  (void)how;
#endif
}
__device__ inline void leave_as(joining how) {
#if __CUDA_ARCH__ >= 900
  if (how == joining::beside_it && blockIdx.x == gridDim.x - 1) asm volatile("griddepcontrol.wait;" ::: "memory");
#else
  (void)how;
#endif
}

template <class... Params, class... Args>
void launch_dependent(const char* call, resident_blocks& resident, void (*kernel)(Params...), dim3 grid, int threads,
                      std::size_t shared, cudaStream_t stream, Args&&... args) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = resident.architecture(call) >= 90 ? 1 : 0;
  check_cuda(call, cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
}

}  // namespace onepass::detail
