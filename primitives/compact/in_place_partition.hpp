// SPDX-License-Identifier: Apache-2.0
// Partition in place: the kept items go to the front of a buffer and the others to its back, in reverse; then all is copied
// to where it belongs. The input is not touched before every predicate has been asked, so a predicate that throws loses
// nothing. Bytes moved: every item is read twice and written twice.
#pragma once

#include <thrust/iterator/reverse_iterator.h>

#include "run.hpp"

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
constexpr int put_back_threads = 256;

template <class It, class T>
__global__ void __launch_bounds__(put_back_threads)
    put_back_kernel(It out, const T* buffer, const index_t* count, index_t n) {
  const index_t kept = *count, step = static_cast<index_t>(gridDim.x) * put_back_threads;
  for (index_t i = static_cast<index_t>(blockIdx.x) * put_back_threads + threadIdx.x; i < n; i += step) {
    out[i] = buffer[i < kept ? i : n - 1 - (i - kept)];
  }
}
#endif

// A pointer to raw memory through which an assignment makes a new T. Trivial types are just assigned.
template <class T>
class constructing_iterator {
 public:
  struct reference {
    T* at;
    template <class U>
    void operator=(U&& value) const {
      new (static_cast<void*>(at)) T(std::forward<U>(value));
    }
  };
  constructing_iterator(T* base, index_t step) : base_(base), step_(step) {}
  reference operator[](index_t i) const { return {base_ + i * step_}; }

 private:
  T* base_;
  index_t step_;
};

template <class Policy, class It, class T>
void put_back(const char* call, const Policy& policy, It out, T* buffer, const index_t* count, index_t n) {
  if constexpr (!on_cuda<Policy>) {
    (void)call, (void)policy;
    const index_t kept = *count;
    for (index_t i = 0; i < kept; ++i) out[i] = std::move(buffer[i]);
    for (index_t i = kept; i < n; ++i) out[i] = std::move(buffer[n - 1 - (i - kept)]);
    for (index_t i = 0; i < n; ++i) buffer[i].~T();
  } else {
#if ONEPASS_HAS_CUDA
    const auto grid = static_cast<unsigned>(std::min<index_t>(divide_up(n, index_t{put_back_threads} * 8), 1 << 20));
    launch_kernel(call, put_back_kernel<It, T>, grid, put_back_threads, 0, policy.stream(), out,
                  static_cast<const T*>(buffer), count, n);
#endif
  }
}

template <class Policy, class It, class Rule>
index_t partition_in_place(const char* call, const Policy& any_policy, It first, It last, const Rule& rule,
                           index_t* count) {
  using item = value_of<It>;
  const auto policy = as_policy(any_policy);
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  layout scratch;
  const std::size_t buffer = scratch.add<item>(n);
  const auto make_sink = [&](void* memory) {
    item* front = section<item>(memory, buffer);
    if constexpr (on_cuda<std::decay_t<decltype(policy)>>) {
      using backward = thrust::reverse_iterator<item*>;
      return sink<item*, backward>{front, backward(front + n), false};
    } else {
      using making = constructing_iterator<item>;
      return sink<making, making>{making(front, 1), making(front + (n > 0 ? n - 1 : 0), -1), false};
    }
  };
  return run_compact(call, policy, rule, n, count, scratch, make_sink, [&](void* memory, index_t* kept) {
    put_back(call, policy, unwrap(first), section<item>(memory, buffer), kept, n);
  });
}

}  // namespace onepass::detail
