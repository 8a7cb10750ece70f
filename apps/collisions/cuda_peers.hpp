// SPDX-License-Identifier: Apache-2.0
// A GPU as the steps see it, with Thrust's algorithms as the peers. Only in sources that nvcc compiles.
#pragma once

#include "../common/cuda_peers.hpp"

#if ONEPASS_HAS_CUDA
#include <thrust/functional.h>
#include <thrust/reduce.h>

namespace collisions {

class cuda_backend : public apps::cuda_with_peers {
 public:
  static constexpr const char* reduce_name = "thrust::reduce_by_key";

  template <class Keys, class Values, class KeysOut, class Out, class Op>
  KeysOut peer_reduce_by_key(Keys first, Keys last, Values values, KeysOut keys, Out out, Op op) const {
    return thrust::reduce_by_key(peer_policy(), first, last, values, keys, out, thrust::equal_to<>(), op).first;
  }
};

}  // namespace collisions
#endif
