// SPDX-License-Identifier: Apache-2.0
// Relaxed accesses to words of 4, 8 and 16 bytes in global memory that other blocks of the device access meanwhile.
// cuda::atomic_ref has none of 16 bytes. Where NDEBUG is defined, that of CCCL 3.5 asks at each access whether the word is
// in a thread's own memory, and a pass of a sort takes up to a tenth longer.
#pragma once

#include <cstdint>

#include <onepass/config.hpp>

namespace onepass::detail {

// 16 bytes that are read and written at once.
struct alignas(16) wide_word {
  std::uint64_t low, high;
};

#if ONEPASS_HAS_CUDA
template <class Word>
__device__ Word load_relaxed(const Word* p) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
  Word w;
  if constexpr (sizeof(Word) == 4) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(w) : "l"(p) : "memory");
  else asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
  return w;
}
template <class Word>
__device__ void store_relaxed(Word* p, Word w) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
  if constexpr (sizeof(Word) == 4) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(w) : "memory");
  else asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
}
inline __device__ wide_word load_relaxed(const wide_word* p) {
  wide_word w;
  asm volatile("{.reg .b128 t; ld.relaxed.gpu.global.b128 t,[%2]; mov.b128 {%0,%1},t;}"
               : "=l"(w.low), "=l"(w.high)
               : "l"(p)
               : "memory");
  return w;
}
inline __device__ void store_relaxed(wide_word* p, wide_word w) {
  asm volatile("{.reg .b128 t; mov.b128 t,{%1,%2}; st.relaxed.gpu.global.b128 [%0],t;}" ::"l"(p), "l"(w.low),
               "l"(w.high)
               : "memory");
}
#endif

}  // namespace onepass::detail
