// SPDX-License-Identifier: Apache-2.0
// An atomic ranking that is not stable, for tests of what a sort does about that.
#pragma once

#include <onepass/radix_sort.hpp>

#if ONEPASS_HAS_CUDA
namespace test {

// Now and then, the lanes add in reverse order.
class broken_atomic_ranking : public onepass::detail::atomic_ranking {
 public:
  __device__ broken_atomic_ranking(unsigned* counters, unsigned minus_one)
      : atomic_ranking(counters, minus_one), counters_(counters) {}

  template <int n>
  __device__ void rank(const unsigned (&digit)[n], const bool (&there)[n], unsigned (&rank)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const bool is_reversed = i == n / 2;
#pragma unroll 1
      for (int step = 0; step < onepass::detail::warp_size; ++step) {
        const int lane = is_reversed ? onepass::detail::warp_size - 1 - step : step;
        if (onepass::detail::lane_id() == lane && there[i]) rank[i] = atomicAdd(counters_ + digit[i], 1u);
        __syncwarp();  // lane by lane
      }
    }
  }

 private:
  unsigned* counters_;
};

}  // namespace test
#endif
