// SPDX-License-Identifier: Apache-2.0
// A GPU as a program sees it. Only in sources that nvcc compiles.
#pragma once

#include <onepass/scan.hpp>

#if ONEPASS_HAS_CUDA
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace apps {

class cuda_backend {
 public:
  template <class T>
  using vector = thrust::device_vector<T>;

  static constexpr bool on_host = false;

  using thrust_policy = decltype(thrust::cuda::par_nosync.on(cudaStream_t{}));

  // A stream that keeps its order with the default stream, on which device_vector fills and copies.
  cuda_backend() { check(cudaStreamCreate(&stream_), "cudaStreamCreate"); }
  ~cuda_backend() { cudaStreamDestroy(stream_); }
  cuda_backend(const cuda_backend&) = delete;
  cuda_backend& operator=(const cuda_backend&) = delete;

  std::string name() const {
    int device = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    return std::string("cuda, ") + properties.name;
  }

  std::size_t free_memory() const {  // in bytes
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }
  auto policy() const { return onepass::cuda(stream_); }
  thrust_policy peer_policy() const { return thrust::cuda::par_nosync.on(stream_); }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  // Over how many items for_each has to go where their number, at most `most`, stands in the backend's memory.
  std::int64_t bound(const onepass::index_t*, std::int64_t most) const { return most; }

  // function(i) for every i from 0 to before count, without waiting.
  template <class Function>
  void for_each(std::int64_t count, Function function) const {
    const thrust::counting_iterator<std::int64_t> first(0);
    thrust::for_each(peer_policy(), first, first + count, function);
  }

 protected:
  cudaStream_t stream() const { return stream_; }
  static void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace apps
#endif
