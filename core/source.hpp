// SPDX-License-Identifier: Apache-2.0
// Where a scan's items come from. A source has value_type and
//   at(i):         the i-th item, on host or device
//   row<V>(i, v):  the V items from i on (device); 16-byte loads where the memory allows
#pragma once

#include "iterator.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/vector_access.cuh"
#endif

namespace onepass::detail {

struct as_is {
  template <class T>
  constexpr ONEPASS_HOST_DEVICE const T& operator()(const T& x) const {
    return x;
  }
};

// unary(it[i]) as a T.
template <class T, class It, class Unary = as_is>
struct values_source {
  using value_type = T;
  using read_type = value_of<It>;
  It it;
  Unary unary;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE T at(index_t i) const { return static_cast<T>(unary(static_cast<read_type>(it[i]))); }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, T (&v)[V]) const {
    read_type items[V];
    load_row(it, i, items);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = static_cast<T>(unary(items[j]));
  }
#endif
};

}  // namespace onepass::detail
