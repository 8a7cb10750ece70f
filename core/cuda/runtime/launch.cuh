// SPDX-License-Identifier: Apache-2.0
// Launches kernels, and turns the CUDA runtime's errors into exceptions that name the call.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include <onepass/errors.hpp>

// Each shared library has its own CUDA runtime (libcudart_static hides its names), and that runtime knows the kernels
// of its own library only. Each source file has its own copy of a kernel template, as nvcc makes kernels local to their
// file. But a function in a header exists once in the whole process, and so do its static variables. Therefore all
// functions of this file, and all functions that take a kernel, are hidden: each library has its own. And the facts
// about a kernel are found by the kernel's address.
namespace onepass::detail {

// may_have_written: the call may have, so an error is no bad_alloc, which says that all is as it was before.
ONEPASS_HIDDEN inline void check_cuda(const char* call, cudaError_t status, bool may_have_written = false) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // clears the error, so that no later call reports it again
  if (status == cudaErrorMemoryAllocation && !may_have_written) throw bad_alloc(call);
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
// The most bytes of shared memory that a block may have on this device: 99 to 227 KB from sm_80 on. A test of what smaller
// devices do defines ONEPASS_MOST_SHARED_MEMORY.
ONEPASS_HIDDEN inline std::size_t most_shared_memory(const char* call) {
  const auto bytes = static_cast<std::size_t>(device_fact(call, cudaDevAttrMaxSharedMemoryPerBlockOptin));
#if defined(ONEPASS_MOST_SHARED_MEMORY)
  return std::min(bytes, std::size_t{ONEPASS_MOST_SHARED_MEMORY});
#else
  return bytes;
#endif
}

// How many blocks of a multiprocessor a kernel's bounds ask for: `wanted`, or those for which the architecture has threads.
constexpr int blocks_within(int threads, int wanted) {
#if __CUDA_ARCH__ == 750
  constexpr int all = 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1100
  constexpr int all = 1536;
#else
  constexpr int all = 2048;
#endif
  return wanted * threads <= all ? wanted : all / threads;
}

ONEPASS_HIDDEN inline int multiprocessors(const char* call) {
  return device_fact(call, cudaDevAttrMultiProcessorCount);
}

// The facts about a kernel that is launched in blocks of up to `threads` threads with up to `shared` bytes of shared
// memory. A fact that is 0 has not been asked for yet.
struct kernel_facts {
  static constexpr int most_devices = 64;  // for further devices facts are asked for at each call
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

// The facts about all kernels of this library. They are never destroyed, as a destructor of another static object may
// still make calls.
class ONEPASS_HIDDEN known_kernels {
 public:
  // Takes a few nanoseconds, except for a kernel's first call.
  static kernel_facts& find(const void* kernel, int threads, std::size_t shared) {
    std::atomic<kernel_facts*>& list = lists_[(reinterpret_cast<std::uintptr_t>(kernel) >> 4) % most_lists];
    const auto known = [&] {
      kernel_facts* facts = list.load(std::memory_order_acquire);
      while (facts != nullptr && !facts->are_of(kernel, threads, shared)) facts = facts->next;
      return facts;
    };
    if (kernel_facts* facts = known()) return *facts;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kernel_facts* facts = known()) return *facts;  // another thread has added them meanwhile
    auto* facts = new kernel_facts{kernel, threads, shared, list.load(std::memory_order_relaxed)};
    list.store(facts, std::memory_order_release);
    return *facts;
  }

  // Allows launches of the kernel to have `shared` bytes of shared memory. The limit never falls: a kernel may have
  // facts for several sizes.
  static void allow(const char* call, const void* kernel, unsigned shared) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cudaFuncAttributes attributes = {};
    check_cuda(call, cudaFuncGetAttributes(&attributes, kernel));
    // What a kernel declares itself counts, too.
    const auto most = static_cast<int>(most_shared_memory(call) - attributes.sharedSizeBytes);
    const int bytes = std::min(static_cast<int>(shared), most);
    if (attributes.maxDynamicSharedSizeBytes >= bytes) return;
    check_cuda(call, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  }

 private:
  static constexpr std::size_t most_lists = 256;  // enough that most lists have one kernel; not measured
  static inline std::atomic<kernel_facts*> lists_[most_lists] = {};
  static inline std::mutex mutex_;
};

// Facts about a kernel on the current device, each asked for once: how many of its blocks are resident at once, and
// which architecture its code was compiled for (90 for sm_90). It also allows the kernel more than 48 KB of shared
// memory, up to `shared`, the most that a launch asks for. Each call makes an object of its own: a static one would
// know the kernel's copy in one source file only.
class ONEPASS_HIDDEN resident_blocks {
 public:
  template <class Kernel>
  resident_blocks(Kernel* kernel, int threads, std::size_t shared)
      : facts_(known_kernels::find(reinterpret_cast<const void*>(kernel), threads, shared)) {}

  // Allows launches `shared` bytes of shared memory, or what the device has if that is less. Returns that number.
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

// A class because of its attribute: compilers warn of a hidden function with an argument whose type is local to a file.
class ONEPASS_HIDDEN kernel_launch {
 public:
  template <class... Params, class... Args>
  static void in_order(const char* call, void (*kernel)(Params...), dim3 grid, int threads, std::size_t shared,
                       cudaStream_t stream, Args&&... args) {
    const cudaLaunchConfig_t config = config_of(grid, threads, shared, stream);
    check_cuda(call, cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...), may_have_written);
  }

  // Launches a kernel by programmatic dependent launch: it may start while the kernel before it in the stream still
  // runs, and has to wait for that one itself (see below).
  template <class... Params, class... Args>
  static void dependent(const char* call, const resident_blocks& resident, void (*kernel)(Params...), dim3 grid,
                        int threads, std::size_t shared, cudaStream_t stream, Args&&... args) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = config_of(grid, threads, shared, stream);
    config.attrs = &attribute;
    config.numAttrs = resident.architecture(call) >= 90 ? 1 : 0;
    check_cuda(call, cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...), may_have_written);
  }

 private:
  static constexpr bool may_have_written = true;  // a launch before this one
  static cudaLaunchConfig_t config_of(dim3 grid, int threads, std::size_t shared, cudaStream_t stream) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return config;
  }
};

// ---- programmatic dependent launch (Hopper and later) ---------------------------------------------------------------
// A kernel that was launched with kernel_launch::dependent may start before its predecessor in the stream has ended.
// Two instructions order them:
//   griddepcontrol.wait               waits until all predecessors have ended and their writes are visible
//   griddepcontrol.launch_dependents  lets the next kernel start when all blocks have executed this or have ended
// On older architectures kernels of a stream run one after another, and all of this is empty.

// The usual order: wait, then let the next kernel start. Every kernel that is launched so calls this before its first
// access to global memory; what it does before that overlaps with its predecessor. As the wait comes first, the next
// kernel cannot start before the predecessor of this one has ended.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The same for a kernel that waits for another device (core/exchange/peer_mailboxes.cuh). The next kernel starts when this
// one has ended: one that stood by would hold room that the other device may be waiting for, through further kernels.
__device__ inline void wait_for_previous_kernel_alone() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The order of the two instructions in a kernel of which several are to run at once. The host passes it with the
// launch. All threads of the kernel call begin_dependent first and end_dependent last. Whatever the order of each
// kernel, when the last kernel of the stream has ended, all before it have ended, too.
enum class dependency {
  // As wait_for_previous_kernel.
  wait_then_trigger,
  // Lets the next kernel start first, and then waits. The next kernel may begin before the predecessors of this one
  // have ended. So the next kernel must either wait itself, or read only what was complete before this kernel began.
  trigger_then_wait,
  // Lets the next kernel start, and runs beside its own predecessor. It may read only what was complete before that
  // predecessor began. It waits at its end, in its last block: so it does not end before its predecessor.
  trigger_only
};
__device__ inline void begin_dependent(dependency how) {
#if __CUDA_ARCH__ >= 900
  if (how == dependency::wait_then_trigger) return wait_for_previous_kernel();
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (how == dependency::trigger_then_wait) asm volatile("griddepcontrol.wait;" ::: "memory");
  else __threadfence();  // so that no read is served from stale lines in this multiprocessor's first-level cache
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
