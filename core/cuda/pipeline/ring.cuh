// SPDX-License-Identifier: Apache-2.0
// A ring of slots in shared memory that warps with different roles hand on to one another. Each slot has a barrier for
// every step of its life; item k of a ring of N slots is use k / N of slot k % N, and who waits for it waits for that
// use's phase.
//
// Hopper and later: shared-memory barriers (mbarrier) that a bulk copy can complete.
// Source: PTX ISA 8.x, "Asynchronous Barriers".
#pragma once

#include <cuda/ptx>

#include "../io/cache_hint.cuh"
#include "../io/warp.cuh"

namespace onepass::detail {

// An item's slot, and the parity of its phase.
template <int slots>
struct ring_position {
  int slot = 0;
  unsigned parity = 0;
  __device__ void advance() {
    if (++slot == slots) slot = 0, parity ^= 1;
  }
};

class phase_barrier {
 public:
  // For all lanes of so many warps. One thread, before all others use it; fence_initialised after the last one.
  __device__ void init(unsigned warps) { ::cuda::ptx::mbarrier_init(&word_, warps * warp_size); }

  // What this thread wrote before is seen by who has waited.
  __device__ void arrive() {
    (void)::cuda::ptx::mbarrier_arrive(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared,
                                       &word_);
  }
  // The phase then also needs `bytes` to be delivered by bulk copies.
  __device__ void arrive_expecting(unsigned bytes) {
    (void)::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                                 ::cuda::ptx::space_shared, &word_, bytes);
  }
  // All lanes arrive, when all are through with what they had to do with the slot, their waits included: a phase that
  // completed while a lane still waits for the one before would leave that lane waiting for ever. One lane's arrival for
  // all would be no faster, and racecheck would not see that the others' accesses are ordered, too.
  __device__ void arrive_warp() {
    __syncwarp();
    arrive();
  }
  __device__ void wait(unsigned parity) {
    for (spin_guard guard; !::cuda::ptx::mbarrier_try_wait_parity(&word_, parity); guard.check()) {
    }
  }

  // `bytes` from global to shared memory, counted by this barrier. One thread; both addresses and the size are multiples
  // of 16.
  __device__ void copy(void* to, const void* from, unsigned bytes, cache_hint hint) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
        :
        : "r"(in_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(in_shared(&word_)), "l"(hint)
        : "memory");
  }

 private:
  static __device__ unsigned in_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

  std::uint64_t word_;
};

// The copy engine, too, sees the barriers initialised.
__device__ inline void fence_initialised() {
  ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
}
// Orders this thread's accesses to shared memory before bulk copies that others start after hearing of it.
__device__ inline void fence_before_copies() { ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared); }

}  // namespace onepass::detail
