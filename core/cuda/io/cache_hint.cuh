// SPDX-License-Identifier: Apache-2.0
// Hints that say how long L2 should keep a line. A thread makes a hint once, in a register, and passes it to loads,
// stores and bulk copies.
//
// Source: PTX ISA 8.x, "createpolicy", "applypriority".
#pragma once

namespace onepass::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ONEPASS_HAS_CACHE_HINTS 1
#else
#define ONEPASS_HAS_CACHE_HINTS 0
#endif

using cache_hint = unsigned long long;

#if ONEPASS_HAS_CACHE_HINTS
__device__ inline cache_hint evict_first() {
  cache_hint hint;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));
  return hint;
}
__device__ inline cache_hint evict_last() {
  cache_hint hint;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(hint));
  return hint;
}
__device__ inline cache_hint evict_normal() {
  cache_hint hint;
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(hint));
  return hint;
}
#else
__device__ inline cache_hint evict_first() { return 0; }
__device__ inline cache_hint evict_last() { return 0; }
__device__ inline cache_hint evict_normal() { return 0; }
#endif

// Resets the priority of a line that was loaded with evict_last: from now on L2 evicts it like any other.
constexpr unsigned l2_line = 128;
__device__ inline void reset_to_evict_normal([[maybe_unused]] const void* line) {
#if ONEPASS_HAS_CACHE_HINTS
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" : : "l"(line) : "memory");
#endif
}

}  // namespace onepass::detail
