// SPDX-License-Identifier: Apache-2.0
// Copies from any iterator to any other.
#pragma once

#include "launch.cuh"
#include "../../execution/resolve_policy.hpp"

namespace onepass::detail {

// By a block: out[i] = in[i] for i from begin to end.
template <class In, class Out>
__device__ void copy_range(In in, Out out, index_t begin, index_t end) {
  constexpr int in_flight = 8;
  const int threads = static_cast<int>(blockDim.x);
  using item = value_of<In>;
  index_t i = begin + threadIdx.x;
  for (; i + (in_flight - 1) * threads < end; i += in_flight * threads) {
    item items[in_flight];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) items[j] = in[i + j * threads];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) out[i + j * threads] = items[j];
  }
  for (; i < end; i += threads) out[i] = in[i];
}

constexpr int copy_threads = 256;

// to[i] = from[i] for all i, if `wanted` is null or points to true.
template <class To, class From>
__global__ void __launch_bounds__(copy_threads) copy_kernel(To to, From from, item_count size, const bool* wanted) {
  if (wanted != nullptr && !*wanted) return;
  const index_t n = size.get(), step = static_cast<index_t>(gridDim.x) * copy_threads;
  for (index_t i = static_cast<index_t>(blockIdx.x) * copy_threads + threadIdx.x; i < n; i += step) to[i] = from[i];
}
template <class To, class From>
void launch_copy(const char* call, To to, From from, item_count size, const bool* wanted, cudaStream_t stream) {
  // No more blocks than can be resident: mostly there is nothing to do, and even blocks that return at once cost time.
  const resident_blocks resident(copy_kernel<To, From>, copy_threads, 0);
  const auto grid = static_cast<unsigned>(
      std::min<index_t>(divide_up(size.most, index_t{copy_threads} * 4), resident.on_this_device(call)));
  kernel_launch::in_order(call, copy_kernel<To, From>, dim3(grid), copy_threads, 0, stream, to, from, size, wanted);
}

}  // namespace onepass::detail
