// SPDX-License-Identifier: Apache-2.0
// What the library needs beside the headers' calls: scratch, and loops over items.
#pragma once

#include <algorithm>

#include "../../core/cpu/driver/cpu_call_memory.hpp"
#include "../../core/cpu/driver/thread_team.hpp"
#include "library_dispatch.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/runtime/cuda_call_memory.cuh"
#endif

namespace onepass::library::detail {

// Calls f(memory) with `bytes` bytes of scratch. On CUDA it may be used by what f puts into the stream.
template <class F>
void with_scratch(const char* call, const execution& where, std::size_t bytes, F f) {
  with_plain_policy(call, where, [&](const auto& policy) {
    if constexpr (!onepass::detail::on_cuda<std::decay_t<decltype(policy)>>) {
      const onepass::detail::cpu_call_memory memory(call, policy, bytes);
      f(memory.scratch());
    } else {
#if ONEPASS_HAS_CUDA
      const onepass::detail::cuda_call_memory memory(call, policy, {0, bytes});
      f(memory.scratch());
#endif
    }
  });
}

#if ONEPASS_HAS_CUDA
constexpr index_t most_blocks = index_t{1} << 20;  // more indices than these have threads are taken in turn
template <class F>
__global__ void for_each_index_kernel(index_t n, F f) {
  const index_t step = index_t{gridDim.x} * blockDim.x;
  for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) f(i);
}
#endif

// Calls f(i) for each i of [0, n), in any order.
template <class F>
void for_each_index(const char* call, const execution& where, index_t n, F f) {
  with_plain_policy(call, where, [&](const auto& policy) {
    if constexpr (!onepass::detail::on_cuda<std::decay_t<decltype(policy)>>) {
      // Large enough that to draw a part costs nothing beside it.
      constexpr index_t part = index_t{1} << 15;
      const index_t parts = onepass::detail::divide_up(n, part);
      const int threads = policy.threads() > 0 ? policy.threads() : onepass::detail::available_threads();
      const auto run = [&](index_t p, int) {
        for (index_t i = p * part, end = std::min(n, i + part); i < end; ++i) f(i);
      };
      onepass::detail::share_out(static_cast<int>(std::min<index_t>(threads, parts)), parts, run);
    } else {
#if ONEPASS_HAS_CUDA
      if (n == 0) return;
      constexpr int threads = 256;
      const auto grid = static_cast<unsigned>(std::min(onepass::detail::divide_up(n, index_t{threads}), most_blocks));
      onepass::detail::kernel_launch::in_order(call, for_each_index_kernel<F>, dim3(grid), threads, 0, policy.stream(),
                                               n, f);
#endif
    }
  });
}

}  // namespace onepass::library::detail
