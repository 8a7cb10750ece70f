// SPDX-License-Identifier: Apache-2.0
// A GPU as the frame pipeline sees it, with Thrust's algorithms as the peers. Only in sources that nvcc compiles.
#pragma once

#include <onepass/scan.hpp>

#if ONEPASS_HAS_CUDA
#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/for_each.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace particle_culling {

class cuda_backend {
 public:
  template <class T>
  using vector = thrust::device_vector<T>;

  using thrust_policy = decltype(thrust::cuda::par_nosync.on(cudaStream_t{}));

  static constexpr bool draws_by_pixel = true;
  static constexpr const char* copy_if_name = "thrust::copy_if";
  static constexpr const char* sort_name = "thrust::stable_sort_by_key";
  static constexpr const char* scan_name = "thrust::inclusive_scan";
  static constexpr const char* count_name = "thrust::inclusive_scan_by_key";

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

  auto policy() const { return onepass::cuda(stream_); }
  thrust_policy peer_policy() const { return thrust::cuda::par_nosync.on(stream_); }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  // function(i) for every i from 0 to before count, without waiting.
  template <class Function>
  void for_each(std::int64_t count, Function function) const {
    const thrust::counting_iterator<std::int64_t> first(0);
    thrust::for_each(peer_policy(), first, first + count, function);
  }

  template <class In1, class In2>
  bool equal(In1 first, In1 last, In2 other) const {
    return thrust::equal(peer_policy(), first, last, other);
  }

  template <class In, class Out, class Predicate>
  Out peer_copy_if(In first, In last, Out out, Predicate predicate) const {
    return thrust::copy_if(peer_policy(), first, last, out, predicate);
  }
  template <class In, class Out>
  void peer_inclusive_scan(In first, In last, Out out) const {
    thrust::inclusive_scan(peer_policy(), first, last, out);
  }
  template <class Keys, class Out>
  void peer_running_count(Keys first, Keys last, Out out) const {
    thrust::inclusive_scan_by_key(peer_policy(), first, last, thrust::constant_iterator<std::uint32_t>(1), out);
  }

  template <class Key, class Order>
  class peer_sort {
   public:
    peer_sort(const cuda_backend& backend, const vector<Key>& keys, const vector<std::uint32_t>& values,
              std::size_t count)
        : backend_(backend),
          keys_(keys.begin(), keys.begin() + count),
          values_(values.begin(), values.begin() + count) {}
    void run() {
      thrust::stable_sort_by_key(backend_.peer_policy(), keys_.begin(), keys_.end(), values_.begin(), Order());
    }
    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      return backend_.equal(keys_.begin(), keys_.end(), keys.begin()) &&
             backend_.equal(values_.begin(), values_.end(), values.begin());
    }

   private:
    const cuda_backend& backend_;
    vector<Key> keys_;
    vector<std::uint32_t> values_;
  };

 private:
  static void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
  }

  cudaStream_t stream_ = nullptr;
};

// Why no GPU can be used; empty where one can.
inline std::string why_no_gpu() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    cudaGetLastError();  // it would come up again in the next call
    return cudaGetErrorString(status);
  }
  return devices > 0 ? "" : "no CUDA device was found";
}

}  // namespace particle_culling
#endif
