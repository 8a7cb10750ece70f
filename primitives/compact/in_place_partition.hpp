// SPDX-License-Identifier: Apache-2.0
// Partition in place: the kept items go to the front of a buffer and the others to its back, in reverse; then all is copied
// to where it belongs. The input is not touched before every predicate has been asked, so a predicate that throws loses
// nothing. Bytes moved: every item is read twice and written twice.
#pragma once

#include <thrust/iterator/reverse_iterator.h>

#include <vector>

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

template <class Policy, class It, class T>
void put_back(const char* call, const Policy& policy, It out, T* buffer, const index_t* count, index_t n) {
  if constexpr (!on_cuda<Policy>) {
    (void)call, (void)policy;
    const index_t kept = *count;
    for (index_t i = 0; i < kept; ++i) out[i] = std::move(buffer[i]);
    for (index_t i = kept; i < n; ++i) out[i] = std::move(buffer[n - 1 - (i - kept)]);
  } else {
#if ONEPASS_HAS_CUDA
    const auto grid = static_cast<unsigned>(std::min<index_t>(divide_up(n, index_t{put_back_threads} * 8), 1 << 20));
    launch_kernel(call, put_back_kernel<It, T>, grid, put_back_threads, 0, policy.stream(), out,
                  static_cast<const T*>(buffer), count, n);
#endif
  }
}

// The buffer is scratch. On the CPU, items that have more to them than their bytes need objects to be assigned to: then it
// is a vector, which starts as a copy of the input.
template <class Policy, class It, class Rule>
index_t partition_in_place(const char* call, const Policy& any_policy, It first, It last, const Rule& rule,
                           index_t* count) {
  using item = value_of<It>;
  using backward = thrust::reverse_iterator<item*>;
  const auto policy = as_policy(any_policy);
  constexpr bool needs_objects = !on_cuda<std::decay_t<decltype(policy)>> && !std::is_trivially_copyable_v<item>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_rule(call, rule, n);
  layout scratch;
  std::vector<std::conditional_t<needs_objects, item, char>> objects;
  std::size_t offset = 0;
  if constexpr (needs_objects) objects.assign(first, last);
  else offset = scratch.add<item>(n);
  const auto buffer = [&](void* memory) {
    if constexpr (needs_objects) return objects.data();
    else return section<item>(memory, offset);
  };
  return run_compact(
      call, policy, rule, n, count, scratch,
      [&](void* memory) {
        return sink<item*, backward>{buffer(memory), backward(buffer(memory) + n), false};
      },
      [&](void* memory, index_t* kept) { put_back(call, policy, unwrap(first), buffer(memory), kept, n); });
}

}  // namespace onepass::detail
