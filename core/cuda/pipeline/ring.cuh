// SPDX-License-Identifier: Apache-2.0
// A ring of slots in shared memory, through which warps with different roles pass items on to one another. Each slot
// has a barrier for every step of an item. In a ring of N slots, item k is use number k / N of slot k % N. A warp that
// waits for the item waits for that use's phase of the barrier.
//
// The barriers are mbarriers in shared memory (Hopper and later), which a bulk copy can complete. Their instructions stand
// here and are not called by <cuda/ptx>, as that header alone would be a tenth of what a scan costs to compile.
// Source: PTX ISA 8.x, "Asynchronous Barriers".
#pragma once

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
  __device__ void init(unsigned warps) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(in_shared(&word_)), "r"(warps * warp_size) : "memory");
  }

  // Arrives. What this thread wrote before is visible to every thread that has waited.
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(in_shared(&word_)) : "memory");
  }
  // Arrives, and makes the phase wait for `bytes` more bytes that bulk copies deliver.
  __device__ void arrive_expecting(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(&word_)),
                 "r"(bytes)
                 : "memory");
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
    for (spin_guard guard; !has_ended(parity); guard.check()) {
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
  // Whether the phase of this parity has ended. The processor may wait some time before it says no.
  __device__ bool has_ended(unsigned parity) {
    unsigned ended;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                 : "=r"(ended)
                 : "r"(in_shared(&word_)), "r"(parity)
                 : "memory");
    return ended != 0;
  }
  static __device__ unsigned in_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

  std::uint64_t word_;
};

// After this the copy engine, too, sees the barriers initialised.
__device__ inline void fence_initialised() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
// Orders this thread's accesses to shared memory before the bulk copies that another thread starts after this one has
// arrived at a barrier.
__device__ inline void fence_before_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace onepass::detail
