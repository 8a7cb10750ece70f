// SPDX-License-Identifier: Apache-2.0
// The backends that a test body runs on: where the memory comes from, which policy the calls get, how to wait. A body
// sees nothing but this interface, so that one body serves all of them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <onepass/config.hpp>
#include "../../core/cpu/driver/cpu_caches.hpp"
#include "../../core/execution/resolve_policy.hpp"

#if ONEPASS_HAS_CUDA
#include <cuda_runtime_api.h>
#include <thrust/device_ptr.h>
#endif

namespace test {

// How buffers allocate and reach the memory of a backend.
struct memory_system {
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* memory);
  void (*copy)(void* to, const void* from, std::size_t bytes);  // waits for all work that was started before
  void (*fill)(void* memory, int byte, std::size_t bytes);
};

inline void* host_allocate(std::size_t bytes) {
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Outputs of 4 MB and more are stored past the caches, whatever the machine, so that moderate sizes test that, too.
inline const bool streams_early = (onepass::detail::streaming_setting() = std::size_t{1} << 22, true);

struct cpu_backend {
  static constexpr bool on_device = false;
  int threads = 0;  // 0: all cores

  auto policy() const { return onepass::cpu(threads); }
  static void synchronize() {}
  static const memory_system& memory() {
    static const memory_system system{
        host_allocate, std::free, [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); },
        [](void* memory, int byte, std::size_t bytes) { std::memset(memory, byte, bytes); }};
    return system;
  }
  // The pointer as an iterator that tells its system: what calls without a policy are given.
  template <class T>
  static T* tagged(T* pointer) {
    return pointer;
  }
  static std::string missing() { return {}; }  // why this machine cannot run it; empty where it can
};

#if ONEPASS_HAS_CUDA
inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct cuda_backend {
  static constexpr bool on_device = true;
  cudaStream_t stream = nullptr;

  auto policy() const { return onepass::cuda(stream); }
  static void synchronize() { check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
  static const memory_system& memory() {
    static const memory_system system{
        [](std::size_t bytes) {
          void* memory = nullptr;
          check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
          return memory;
        },
        [](void* memory) { cudaFree(memory); },
        [](void* to, const void* from, std::size_t bytes) {
          synchronize();
          check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
          synchronize();  // a copy from pageable memory may return before it is done, and other streams do not wait
        },
        [](void* memory, int byte, std::size_t bytes) {
          check_cuda(cudaMemset(memory, byte, bytes), "cudaMemset");
          synchronize();
        }};
    return system;
  }
  template <class T>
  static thrust::device_ptr<T> tagged(T* pointer) {
    return thrust::device_pointer_cast(pointer);
  }
  static std::string missing() {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess) {
      cudaGetLastError();
      return std::string("no CUDA device: ") + cudaGetErrorString(status);
    }
    return devices > 0 ? "" : "no CUDA device";
  }
};

// A stream of a test's own, which does not wait for the default stream.
class stream {
 public:
  stream() { check_cuda(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~stream() { cudaStreamDestroy(handle_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  cudaStream_t get() const { return handle_; }
  void wait() const { check_cuda(cudaStreamSynchronize(handle_), "cudaStreamSynchronize"); }
  bool idle() const { return cudaStreamQuery(handle_) == cudaSuccess; }

 private:
  cudaStream_t handle_ = nullptr;
};
#endif

}  // namespace test
