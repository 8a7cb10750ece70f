// SPDX-License-Identifier: Apache-2.0
// Launching kernels, and turning what the CUDA runtime reports into exceptions that name the call.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include <onepass/errors.hpp>

// Each shared library has its own CUDA runtime (libcudart_static hides its names), which knows the kernels of that library
// alone; and each source file has its own copy of a kernel template, as nvcc makes kernels local to their file. Functions in
// headers, though, and what they hold in static variables, are one for the whole process. So what stands here, and whatever
// is given a kernel, is hidden, that is, each library has its own; and what is known of a kernel is found by its address.
namespace onepass::detail {

ONEPASS_HIDDEN inline void check_cuda(const char* call, cudaError_t status) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // so that the error does not come up again in somebody else's call
  if (status == cudaErrorMemoryAllocation) throw bad_alloc(call);
  throw cuda_error(call, static_cast<int>(status), cudaGetErrorString(status));
}

ONEPASS_HIDDEN inline int current_device(const char* call) {
  int device = 0;
  check_cuda(call, cudaGetDevice(&device));
  return device;
}

ONEPASS_HIDDEN inline int device_fact(const char* call, cudaDeviceAttr which) {
  int fact = 0;
  check_cuda(call, cudaDeviceGetAttribute(&fact, which, current_device(call)));
  return fact;
}
// The most bytes of shared memory that a block may have on this device: 99 to 227 KB from sm_80 on.
ONEPASS_HIDDEN inline std::size_t most_shared_memory(const char* call) {
  return static_cast<std::size_t>(device_fact(call, cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

ONEPASS_HIDDEN inline int multiprocessors(const char* call) {
  return device_fact(call, cudaDevAttrMultiProcessorCount);
}

// What is known of a kernel that is launched in blocks of up to `threads` threads and `shared` bytes; 0: not asked yet.
struct kernel_facts {
  static constexpr int most_devices = 64;  // whose facts are remembered
  using of_devices = std::atomic<unsigned>[most_devices];

  const void* kernel;
  int threads;
  std::size_t shared;
  kernel_facts* next;
  of_devices blocks = {}, architecture = {}, allowed = {};

  bool are_of(const void* other, int other_threads, std::size_t other_shared) const {
    return kernel == other && threads == other_threads && shared == other_shared;
  }
};

// The facts of all kernels of this library. They are never destroyed: a call may come from another object's destructor.
class ONEPASS_HIDDEN known_kernels {
 public:
  // A few nanoseconds, but for a kernel's first call.
  static kernel_facts& find(const void* kernel, int threads, std::size_t shared) {
    std::atomic<kernel_facts*>& list = lists_[(reinterpret_cast<std::uintptr_t>(kernel) >> 4) % most_lists];
    const auto known = [&] {
      kernel_facts* facts = list.load(std::memory_order_acquire);
      while (facts != nullptr && !facts->are_of(kernel, threads, shared)) facts = facts->next;
      return facts;
    };
    if (kernel_facts* facts = known()) return *facts;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kernel_facts* facts = known()) return *facts;  // another thread's
    auto* facts = new kernel_facts{kernel, threads, shared, list.load(std::memory_order_relaxed)};
    list.store(facts, std::memory_order_release);
    return *facts;
  }

  // Lets launches have that much shared memory. Never less than before: a kernel may have facts for several sizes.
  static void allow(const char* call, const void* kernel, unsigned shared) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cudaFuncAttributes attributes = {};
    check_cuda(call, cudaFuncGetAttributes(&attributes, kernel));
    const auto bytes = static_cast<int>(shared);
    if (attributes.maxDynamicSharedSizeBytes >= bytes) return;
    check_cuda(call, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  }

 private:
  static constexpr std::size_t most_lists = 256;
  static inline std::atomic<kernel_facts*> lists_[most_lists] = {};
  static inline std::mutex mutex_;
};

// What a kernel is on a device, asked for once each: how many of its blocks the device holds at once, and the architecture
// that its code was compiled for, as 90 for sm_90. Also lets the kernel use more than 48 KB of shared memory: `shared`, the
// most that a launch asks for. Each call makes one: a static one would be for the copy of the kernel in one file alone.
class ONEPASS_HIDDEN resident_blocks {
 public:
  template <class Kernel>
  resident_blocks(Kernel* kernel, int threads, std::size_t shared)
      : facts_(known_kernels::find(reinterpret_cast<const void*>(kernel), threads, shared)) {}

  // Lets launches have as much shared memory as they may want, if the device has it, else as much as it has.
  std::size_t allow_shared_memory(const char* call) const {
    return remember(call, facts_.allowed, [&] {
      const auto allowed = static_cast<unsigned>(std::min(facts_.shared, most_shared_memory(call)));
      known_kernels::allow(call, facts_.kernel, allowed);
      return allowed;
    });
  }
  bool fits_this_device(const char* call) const { return allow_shared_memory(call) >= facts_.shared; }

  unsigned on_this_device(const char* call) const {
    return remember(call, facts_.blocks, [&] {
      if (!fits_this_device(call)) throw no_room(call);
      int a_multiprocessor = 0;
      check_cuda(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, facts_.kernel, facts_.threads,
                                                                     facts_.shared));
      const auto blocks = static_cast<unsigned>(a_multiprocessor * multiprocessors(call));
      if (blocks == 0) throw no_room(call);
      return blocks;
    });
  }

  unsigned architecture(const char* call) const {
    return remember(call, facts_.architecture, [&] {
      cudaFuncAttributes attributes = {};
      check_cuda(call, cudaFuncGetAttributes(&attributes, facts_.kernel));
      return static_cast<unsigned>(attributes.ptxVersion);
    });
  }

 private:
  static cuda_error no_room(const char* call) {
    return {call, cudaErrorInvalidConfiguration, "the kernel does not fit this device"};
  }

  template <class Ask>
  static unsigned remember(const char* call, kernel_facts::of_devices& known, Ask ask) {
    const int device = current_device(call);
    if (device >= kernel_facts::most_devices) return ask();
    unsigned fact = known[device].load(std::memory_order_relaxed);
    if (fact == 0) known[device].store(fact = ask(), std::memory_order_relaxed);
    return fact;
  }

  kernel_facts& facts_;
};

// A class, as the attribute on the functions themselves is warned of where an argument's type is local to its file.
class ONEPASS_HIDDEN kernel_launch {
 public:
  template <class... Params, class... Args>
  static void in_order(const char* call, void (*kernel)(Params...), dim3 grid, int threads, std::size_t shared,
                       cudaStream_t stream, Args&&... args) {
    const cudaLaunchConfig_t config = config_of(grid, threads, shared, stream);
    check_cuda(call, cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
  }

  // A kernel that may start while the one before it in the stream ends; it waits for that one itself (below).
  template <class... Params, class... Args>
  static void dependent(const char* call, const resident_blocks& resident, void (*kernel)(Params...), dim3 grid,
                        int threads, std::size_t shared, cudaStream_t stream, Args&&... args) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = config_of(grid, threads, shared, stream);
    config.attrs = &attribute;
    config.numAttrs = resident.architecture(call) >= 90 ? 1 : 0;
    check_cuda(call, cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
  }

 private:
  static cudaLaunchConfig_t config_of(dim3 grid, int threads, std::size_t shared, cudaStream_t stream) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return config;
  }
};

// ---- dependent launch (Hopper and later): a kernel starts while the one before it in the stream ends ----------------

// Every kernel launched so calls this: what stands above overlaps with the kernel before. It stands before any access to
// global memory; and the wait before the trigger, so that the next kernel cannot overtake the one before this.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Kernels that take other places than that, so that several at once are under way, are told so when they are launched: they
// call begin_dependent first and end_dependent last, all threads both. Whatever their order, all before have ended when the last one has.
enum class dependency {
  wait_then_trigger,  // as wait_for_previous_kernel
  trigger_then_wait,  // lets the next one begin first: for such as wait, too, or need nothing that is not there when this one begins
  trigger_only  // runs beside the one before; for such as need only what is there when that one begins. It ends behind it.
};
__device__ inline void begin_dependent(dependency how) {
#if __CUDA_ARCH__ >= 900
  if (how == dependency::wait_then_trigger) return wait_for_previous_kernel();
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (how == dependency::trigger_then_wait) asm volatile("griddepcontrol.wait;" ::: "memory");
  else __threadfence();  // takes nothing from this multiprocessor's cache that has been there for long
#else
  (void)how;
#endif
}
__device__ inline void end_dependent(dependency how) {
#if __CUDA_ARCH__ >= 900
  if (how == dependency::trigger_only && blockIdx.x == gridDim.x - 1) asm volatile("griddepcontrol.wait;" ::: "memory");
#else
  (void)how;
#endif
}

}  // namespace onepass::detail
