// SPDX-License-Identifier: Apache-2.0
// Loads, copies and stores that say how long L2 should keep their lines.
#pragma once

#include <cuda_pipeline.h>

#include "cache_hint.cuh"
#include "vector_access.cuh"
#include "../../support/construct.hpp"
#include "../../support/iterator.hpp"

namespace onepass::detail {

// Whether one instruction can load or store a T through a pointer.
template <class T>
constexpr bool is_one_access = std::is_trivially_copyable_v<T> && sizeof(T) == alignof(T) && sizeof(T) <= 16;

// The base of iterators that load an item by a function of their own, load_with(i, hint), or store one by store_with(i,
// item, hint). There are no overloads for them, for the reason that vector_access.cuh gives.
struct takes_hints {};

template <class It>
__device__ value_of<It> load_with(const It& in, index_t i, [[maybe_unused]] cache_hint hint) {
  using T [[maybe_unused]] = value_of<It>;
  if constexpr (std::is_base_of_v<takes_hints, It>) {
    return in.load_with(i, hint);
#if ONEPASS_HAS_CACHE_HINTS
  } else if constexpr (std::is_pointer_v<It> && is_one_access<T>) {
    alignas(T) unsigned char bytes[sizeof(T)];
    const T* p = in + i;
    unsigned word;
    if constexpr (sizeof(T) == 16) {
      unsigned long long wide[2];
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.u64 {%0, %1}, [%2], %3;"
                   : "=l"(wide[0]), "=l"(wide[1])
                   : "l"(p), "l"(hint));
      memcpy(bytes, wide, sizeof(T));
    } else if constexpr (sizeof(T) == 8) {
      unsigned long long wide;
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u64 %0, [%1], %2;" : "=l"(wide) : "l"(p), "l"(hint));
      memcpy(bytes, &wide, sizeof(T));
    } else {
      if constexpr (sizeof(T) == 4)
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(word) : "l"(p), "l"(hint));
      else if constexpr (sizeof(T) == 2)
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u16 %0, [%1], %2;" : "=r"(word) : "l"(p), "l"(hint));
      else asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u8 %0, [%1], %2;" : "=r"(word) : "l"(p), "l"(hint));
      memcpy(bytes, &word, sizeof(T));
    }
    return *reinterpret_cast<const T*>(bytes);
#endif
  } else {
    return in[i];
  }
}

// Loads a row (vector_access.cuh).
template <class It, class T, int V>
__device__ void load_row_with(const It& it, index_t i, T (&items)[V], cache_hint hint) {
  if constexpr (std::is_pointer_v<It> && is_vectorizable<T, V>) {
    if (detail::is_aligned_to_vector(it + i)) {
      constexpr int per = items_per_vector<T>;
#pragma unroll
      for (int j = 0; j < V; j += per) {
        const uint4 bits = detail::load_with(reinterpret_cast<const uint4*>(it + i), j / per, hint);
        memcpy(static_cast<void*>(items + j), &bits, 16);
      }
      return;
    }
  }
  detail::load_row(it, i, items);
}

template <class It, class T>
__device__ void store_with(const It& out, index_t i, const T& item, [[maybe_unused]] cache_hint hint) {
  if constexpr (std::is_base_of_v<takes_hints, It>) {
    out.store_with(i, item, hint);
#if ONEPASS_HAS_CACHE_HINTS
  } else if constexpr (std::is_same_v<It, T*> && is_one_access<T>) {
    T* p = out + i;
    if constexpr (sizeof(T) == 16) {
      unsigned long long wide[2];
      memcpy(wide, static_cast<const void*>(object_address(item)), sizeof(T));
      asm volatile("st.global.L2::cache_hint.v2.u64 [%0], {%1, %2}, %3;"
                   :
                   : "l"(p), "l"(wide[0]), "l"(wide[1]), "l"(hint)
                   : "memory");
    } else if constexpr (sizeof(T) == 8) {
      unsigned long long wide;
      memcpy(&wide, static_cast<const void*>(object_address(item)), sizeof(T));
      asm volatile("st.global.L2::cache_hint.u64 [%0], %1, %2;" : : "l"(p), "l"(wide), "l"(hint) : "memory");
    } else {
      unsigned word = 0;
      memcpy(&word, static_cast<const void*>(object_address(item)), sizeof(T));
      if constexpr (sizeof(T) == 4)
        asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" : : "l"(p), "r"(word), "l"(hint) : "memory");
      else if constexpr (sizeof(T) == 2)
        asm volatile("st.global.L2::cache_hint.u16 [%0], %1, %2;" : : "l"(p), "r"(word), "l"(hint) : "memory");
      else asm volatile("st.global.L2::cache_hint.u8 [%0], %1, %2;" : : "l"(p), "r"(word), "l"(hint) : "memory");
    }
#endif
  } else {
    out[i] = item;
  }
}

// Copies an item to shared memory. Where the hardware can, that only begins here: __pipeline_commit() and
// __pipeline_wait_prior() wait for it.
template <class T, class It>
__device__ void copy_async_with(T* to, const It& from, [[maybe_unused]] cache_hint hint) {
  if constexpr (std::is_pointer_v<It> && std::is_trivially_copyable_v<T> && alignof(T) >= 4) {
    constexpr int step = alignof(T) < 16 ? alignof(T) : 16;
#pragma unroll
    for (int b = 0; b < static_cast<int>(sizeof(T)); b += step) {
      void* const shared = reinterpret_cast<unsigned char*>(to) + b;
      const void* const global = reinterpret_cast<const unsigned char*>(from) + b;
#if ONEPASS_HAS_CACHE_HINTS
      asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;"
                   :
                   : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "l"(global), "n"(step), "l"(hint)
                   : "memory");
#else
      __pipeline_memcpy_async(shared, global, step);
#endif
    }
  } else {
    detail::construct(to, detail::load_with(from, 0, hint));
  }
}

}  // namespace onepass::detail
