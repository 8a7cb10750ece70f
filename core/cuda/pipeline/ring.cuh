// SPDX-License-Identifier: Apache-2.0
// A ring of slots in shared memory, through which warps with different roles pass items on to one another. Each slot
// has a barrier for every step of an item. In a ring of N slots, item k is use number k / N of slot k % N. A warp that
// waits for the item waits for that use's phase of the barrier.
//
// The barriers are mbarriers in shared memory (Hopper and later), which a bulk copy can complete.
// Source: PTX ISA 8.x, "Asynchronous Barriers".
#pragma once

#include <cuda/ptx>

#include "../io/cache_hint.cuh"
#include "../io/warp.cuh"

namespace onepass::detail {

// Where an item is in the ring: its slot, and the parity of its phase.
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
  // Makes the barrier one for all lanes of `warps` warps. One thread calls this before any other uses the barrier, and
  // calls fence_initialised after the last barrier.
  __device__ void init(unsigned warps) { ::cuda::ptx::mbarrier_init(&word_, warps * warp_size); }

  // Arrives. What this thread wrote before is visible to every thread that has waited.
  __device__ void arrive() {
    (void)::cuda::ptx::mbarrier_arrive(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared,
                                       &word_);
  }
  // Arrives, and makes the phase wait for `bytes` more bytes that bulk copies deliver.
  __device__ void arrive_expecting(unsigned bytes) {
    (void)::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                                 ::cuda::ptx::space_shared, &word_, bytes);
  }
  // All lanes of a warp arrive, when all of them have done what they had to do with the slot. That includes their
  // waits: if a phase completed while a lane still waits for the phase before, that lane would wait for ever. To let
  // one lane arrive for all would not be faster, and racecheck would not see that the other lanes' accesses are
  // ordered, too.
  __device__ void arrive_warp() {
    __syncwarp();
    arrive();
  }
  __device__ void wait(unsigned parity) {
    for (spin_guard guard; !::cuda::ptx::mbarrier_try_wait_parity(&word_, parity); guard.check()) {
    }
  }

  // Starts a bulk copy of `bytes` from global to shared memory, which this barrier counts. One thread calls this. Both
  // addresses and the size are multiples of 16.
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

// After this the copy engine, too, sees the barriers initialised.
__device__ inline void fence_initialised() {
  ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
}
// Orders this thread's accesses to shared memory before the bulk copies that another thread starts after this one has
// arrived at a barrier.
__device__ inline void fence_before_copies() { ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared); }

}  // namespace onepass::detail
