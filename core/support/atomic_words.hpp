// SPDX-License-Identifier: Apache-2.0
// Accesses to words that other threads access meanwhile: other blocks of the device, or other threads of the CPU. On the
// device they are single instructions on global memory. cuda::atomic_ref has no right ones of 16 bytes before CCCL 3.5,
// takes half a second to compile, and that of CCCL 3.5 asks at each access, where NDEBUG is defined, whether the word is in a thread's own memory:
// a pass of a sort takes up to a tenth longer.
#pragma once

#include <cstdint>

#include <onepass/config.hpp>

namespace onepass::detail {

// 16 bytes that are read and written at once.
struct alignas(16) wide_word {
  std::uint64_t low, high;
};

template <class Word>
ONEPASS_HOST_DEVICE Word load_relaxed(const Word* p) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
#if defined(__CUDA_ARCH__)
  Word w;
  if constexpr (sizeof(Word) == 4) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(w) : "l"(p) : "memory");
  else asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
  return w;
#else
  return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}
template <class Word>
ONEPASS_HOST_DEVICE void store_relaxed(Word* p, Word w) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 4) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(w) : "memory");
  else asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
#else
  __atomic_store_n(p, w, __ATOMIC_RELAXED);
#endif
}
template <class Word>
ONEPASS_HOST_DEVICE Word load_acquire(const Word* p) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
#if defined(__CUDA_ARCH__)
  Word w;
  if constexpr (sizeof(Word) == 4) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(w) : "l"(p) : "memory");
  else asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
  return w;
#else
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}
template <class Word>
ONEPASS_HOST_DEVICE void store_release(Word* p, Word w) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 4) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(w) : "memory");
  else asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
#else
  __atomic_store_n(p, w, __ATOMIC_RELEASE);
#endif
}

#if ONEPASS_HAS_CUDA
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
inline __device__ void add_release(std::uint32_t* p, std::uint32_t more) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(more) : "memory");
}
// A release of what this thread wrote before and an acquire of what it reads after, for relaxed accesses beside it.
inline __device__ void fence_acquire_release() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
#endif

}  // namespace onepass::detail
