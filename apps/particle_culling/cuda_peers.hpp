// SPDX-License-Identifier: Apache-2.0
// A GPU as the frame pipeline sees it, with Thrust's algorithms as the peers. Only in sources that nvcc compiles.
#pragma once

#include "../common/cuda_peers.hpp"

#if ONEPASS_HAS_CUDA
#include <thrust/iterator/constant_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <cstddef>
#include <cstdint>

namespace particle_culling {

class cuda_backend : public apps::cuda_with_peers {
 public:
  static constexpr bool draws_by_pixel = true;
  static constexpr const char* sort_name = "thrust::stable_sort_by_key";
  static constexpr const char* count_name = "thrust::inclusive_scan_by_key";

  template <class Keys, class Out>
  void peer_running_count(Keys first, Keys last, Out out) const {
    thrust::inclusive_scan_by_key(peer_policy(), first, last, thrust::constant_iterator<std::uint32_t>(1), out);
  }

  template <class Key, class Order>
  class peer_sort {
   public:
    peer_sort(const cuda_backend& backend, const vector<Key>& keys, const vector<std::uint32_t>& values,
              std::size_t count)
        : backend_(backend),
          keys_(keys.begin(), keys.begin() + count),
          values_(values.begin(), values.begin() + count) {}
    void run() {
      thrust::stable_sort_by_key(backend_.peer_policy(), keys_.begin(), keys_.end(), values_.begin(), Order());
    }
    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      return backend_.equal(keys_.begin(), keys_.end(), keys.begin()) &&
             backend_.equal(values_.begin(), values_.end(), values.begin());
    }

   private:
    const cuda_backend& backend_;
    vector<Key> keys_;
    vector<std::uint32_t> values_;
  };
};

}  // namespace particle_culling
#endif
