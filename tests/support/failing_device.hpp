// SPDX-License-Identifier: Apache-2.0
// The calls of the CUDA runtime that onepass makes, each of which can be made to fail once. To be included before onepass's
// headers, which then call these; and after all else that is to call CUDA itself. Macros, as the library names the calls.
#pragma once

#include "support/backend.hpp"

#if ONEPASS_HAS_CUDA
#include <cuda_runtime.h>

#include <utility>

namespace test {

enum class failing { nothing, allocations, any_call };

// The k-th call of a kind from its start on fails, once.
class failing_device {
 public:
  failing_device(failing kind, long k) { kind_ = kind, left_ = k; }
  ~failing_device() { kind_ = failing::nothing; }
  failing_device(const failing_device&) = delete;
  failing_device& operator=(const failing_device&) = delete;
  bool has_failed() const { return left_ == 0; }

  static inline long alive = 0;  // pieces of memory that are not given back

  template <class Call>
  static cudaError_t call(cudaError_t error, Call call) {
    return kind_ == failing::any_call && left_ > 0 && --left_ == 0 ? error : call();
  }
  template <class Call>
  static cudaError_t allocation(Call call) {
    if (kind_ != failing::nothing && left_ > 0 && --left_ == 0) return cudaErrorMemoryAllocation;
    const cudaError_t status = call();
    alive += status == cudaSuccess;
    return status;
  }

 private:
  static inline failing kind_ = failing::nothing;
  static inline long left_ = 0;
};

}  // namespace test

inline cudaError_t failing_malloc(void** p, std::size_t bytes) {
  return test::failing_device::allocation([&] { return cudaMalloc(p, bytes); });
}
inline cudaError_t failing_malloc_from_pool(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return test::failing_device::allocation([&] { return cudaMallocFromPoolAsync(p, bytes, pool, stream); });
}
inline cudaError_t counted_free(void* p) {
  test::failing_device::alive -= p != nullptr;
  return cudaFree(p);
}
inline cudaError_t counted_free_async(void* p, cudaStream_t stream) {
  test::failing_device::alive -= p != nullptr;
  return cudaFreeAsync(p, stream);
}
inline cudaError_t failing_memset(void* p, int byte, std::size_t bytes, cudaStream_t stream) {
  return test::failing_device::call(cudaErrorUnknown, [&] { return cudaMemsetAsync(p, byte, bytes, stream); });
}
inline cudaError_t failing_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                cudaStream_t stream) {
  return test::failing_device::call(cudaErrorUnknown, [&] { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}
inline cudaError_t failing_is_capturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return test::failing_device::call(cudaErrorUnknown, [&] { return cudaStreamIsCapturing(stream, status); });
}
template <class... Params, class... Args>
cudaError_t failing_launch(const cudaLaunchConfig_t* config, void (*kernel)(Params...), Args&&... args) {
  return test::failing_device::call(cudaErrorLaunchOutOfResources,
                                    [&] { return cudaLaunchKernelEx(config, kernel, std::forward<Args>(args)...); });
}

#define cudaMalloc failing_malloc
#define cudaMallocFromPoolAsync failing_malloc_from_pool
#define cudaFree counted_free
#define cudaFreeAsync counted_free_async
#define cudaMemsetAsync failing_memset
#define cudaMemcpyAsync failing_copy
#define cudaStreamIsCapturing failing_is_capturing
#define cudaLaunchKernelEx failing_launch
#endif
