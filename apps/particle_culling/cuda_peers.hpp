// SPDX-License-Identifier: Apache-2.0
// A GPU as the frame pipeline sees it, with Thrust's algorithms as the peers. Only in sources that nvcc compiles.
#pragma once

#include "../common/cuda_peers.hpp"

#if ONEPASS_HAS_CUDA
#include <thrust/iterator/constant_iterator.h>
#include <thrust/scan.h>

#include <cstdint>

namespace particle_culling {

class cuda_backend : public apps::cuda_with_peers {
 public:
  static constexpr bool draws_by_pixel = true;
  static constexpr const char* count_name = "thrust::inclusive_scan_by_key";

  template <class Keys, class Out>
  void peer_running_count(Keys first, Keys last, Out out) const {
    thrust::inclusive_scan_by_key(peer_policy(), first, last, thrust::constant_iterator<std::uint32_t>(1), out);
  }
};

}  // namespace particle_culling
#endif
