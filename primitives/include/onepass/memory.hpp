// SPDX-License-Identifier: Apache-2.0
// onepass/memory.hpp: the memory that the library keeps on CUDA devices for calls without a workspace.
#pragma once

#include "config.hpp"

#if ONEPASS_HAS_CUDA
#include "../../../core/cuda/runtime/device_memory.cuh"

namespace onepass {

// Gives memory back to the driver: what the library keeps for scratch on the current device, and no call uses now.
// Shared libraries of one process share that memory; those whose names are hidden (-fvisibility=hidden) have their own.
//   Errors     onepass::cuda_error.
//
//   thrust::device_vector<int> x = {3, 1, 2};
//   onepass::radix_sort(onepass::cuda(), x.begin(), x.end());  // x = 1 2 3
//   onepass::release_memory();
inline void release_memory() {
  detail::check_cuda("release_memory", cudaMemPoolTrimTo(detail::memory_pool("release_memory"), 0));
}

}  // namespace onepass
#endif
