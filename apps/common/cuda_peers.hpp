// SPDX-License-Identifier: Apache-2.0
// A GPU with Thrust's algorithms, which a program's stages are compared with. Only in sources that nvcc compiles.
#pragma once

#include "cuda_backend.hpp"

#if ONEPASS_HAS_CUDA
#include <thrust/copy.h>
#include <thrust/equal.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <type_traits>

namespace apps {

class cuda_with_peers : public cuda_backend {
 public:
  static constexpr const char* copy_if_name = "thrust::copy_if";
  static constexpr const char* scan_name = "thrust::inclusive_scan";
  static constexpr const char* sort_keys_name = "thrust::sort";
  static constexpr const char* run_lengths_name = "thrust::reduce_by_key";

  template <class In1, class In2>
  bool equal(In1 first, In1 last, In2 other) const {
    return thrust::equal(peer_policy(), first, last, other);
  }
  template <class In, class Out, class Predicate>
  Out peer_copy_if(In first, In last, Out out, Predicate predicate) const {
    return thrust::copy_if(peer_policy(), first, last, out, predicate);
  }
  template <class In, class Out, class Op = thrust::plus<>>
  void peer_inclusive_scan(In first, In last, Out out, Op op = {}) const {
    thrust::inclusive_scan(peer_policy(), first, last, out, op);
  }
  template <class Keys>
  void peer_sort_keys(Keys first, Keys last) const {
    thrust::sort(peer_policy(), first, last);
  }
  // The end of the keys that it writes, one for each run of equal ones.
  template <class In, class Out, class Lengths>
  Out peer_run_lengths(In first, In last, Out keys, Lengths lengths) const {
    const thrust::constant_iterator<typename thrust::iterator_value<Lengths>::type> one(1);
    return thrust::reduce_by_key(peer_policy(), first, last, one, keys, lengths).first;
  }
};

}  // namespace apps
#endif
