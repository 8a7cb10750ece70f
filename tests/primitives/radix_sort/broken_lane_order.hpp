// SPDX-License-Identifier: Apache-2.0
// A lane order that does not hold, for tests of what a sort does about that.
#pragma once

#include <onepass/radix_sort.hpp>

#if ONEPASS_HAS_CUDA
namespace test {

// Here, the order of the lanes is turned round now and then.
class broken_lane_order : public onepass::detail::by_lane_order {
 public:
  __device__ broken_lane_order(unsigned* counters, onepass::detail::rank_context context)
      : by_lane_order(counters, context), counters_(counters) {}

  template <int n>
  __device__ void rank(const unsigned (&digit)[n], const bool (&there)[n], unsigned (&rank)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const bool turned = i == n / 2;
#pragma unroll 1
      for (int turn = 0; turn < onepass::detail::warp_size; ++turn) {
        const int lane = turned ? onepass::detail::warp_size - 1 - turn : turn;
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
