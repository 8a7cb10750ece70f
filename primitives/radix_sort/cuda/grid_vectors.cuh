// SPDX-License-Identifier: Apache-2.0
// An array as 16-byte vectors, with a few items before the first aligned vector and behind the last one; and a loop of
// a whole grid over all items, at the speed of memory.
#pragma once

#include "../../../core/cuda/io/vector_access.cuh"

namespace onepass::detail {

template <class T>
struct vector_part {
  static constexpr int per_vector = items_per_vector<T>;
  index_t head, vectors, tail;  // items before the vectors; vectors; where the items behind them start
  uint4* first;

  __device__ vector_part(const T* items, index_t n) {
    const auto behind = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(items) % 16 / sizeof(T));
    head = min(behind == 0 ? 0 : per_vector - behind, n);
    vectors = (n - head) / per_vector;
    tail = head + vectors * per_vector;
    first = reinterpret_cast<uint4*>(const_cast<T*>(items) + head);
  }
};

template <class T, class F>
__device__ void for_each_in_vector(const uint4& vector, F& f) {
  alignas(16) T items[items_per_vector<T>];
  memcpy(static_cast<void*>(items), &vector, sizeof vector);
#pragma unroll
  for (int j = 0; j < items_per_vector<T>; ++j) f(items[j]);
}

// Calls f(item) for all items, in any order, by all threads of a one-dimensional grid. In a round, a thread takes at
// most `vectors_a_round` vectors. In each round, all threads of a block call between() before they call f.
constexpr int vectors_a_round = 4;  // in flight at once: one load at a time does not fill memory
template <class T, class F, class Between>
__device__ void for_each_of_grid(const T* items, index_t n, F f, Between between) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  const index_t mine = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const vector_part<T> part(items, n);
  if (mine < part.head) f(items[mine]);
  if (mine < n - part.tail) f(items[part.tail + mine]);
  for (index_t i = mine; i - threadIdx.x < part.vectors; i += vectors_a_round * step) {
    uint4 vector[vectors_a_round];
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      if (i + j * step < part.vectors) vector[j] = part.first[i + j * step];
    }
    between();
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      if (i + j * step < part.vectors) for_each_in_vector<T>(vector[j], f);
    }
  }
}

}  // namespace onepass::detail
