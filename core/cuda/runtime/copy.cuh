// SPDX-License-Identifier: Apache-2.0
// Copies from any iterator to any other.
#pragma once

#include "launch.cuh"
#include "../../execution/resolve_policy.hpp"

namespace onepass::detail {

// By a thread: out[i] = in[i] for i from `first` on in steps, as long as it is below `end`.
template <bool with_several_in_flight, class In, class Out, class Step>
__device__ void copy_in_steps(In in, Out out, index_t first, index_t end, Step step) {
  index_t i = first;
  if constexpr (with_several_in_flight) {
    constexpr int in_flight = 8;
    for (; i + (in_flight - 1) * step < end; i += in_flight * step) {
      value_of<In> items[in_flight];
#pragma unroll
      for (int j = 0; j < in_flight; ++j) items[j] = in[i + j * step];
#pragma unroll
      for (int j = 0; j < in_flight; ++j) out[i + j * step] = items[j];
    }
  }
  for (; i < end; i += step) out[i] = in[i];
}
// By a block: out[i] = in[i] for i from begin to end.
template <class In, class Out>
__device__ void copy_range(In in, Out out, index_t begin, index_t end) {
  copy_in_steps<true>(in, out, begin + threadIdx.x, end, static_cast<int>(blockDim.x));
}

constexpr int copy_threads = 256;

// to[i] = from[i] for all i, if `wanted` is null or points to true.
template <class To, class From>
__global__ void __launch_bounds__(copy_threads) copy_kernel(To to, From from, item_count size, const bool* wanted) {
  if (wanted != nullptr && !*wanted) return;
  const index_t first = static_cast<index_t>(blockIdx.x) * copy_threads + threadIdx.x;
  constexpr bool are_numbers = std::is_pointer_v<From> && std::is_arithmetic_v<value_of<From>>;
  copy_in_steps<are_numbers>(from, to, first, size.get(), static_cast<index_t>(gridDim.x) * copy_threads);
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
