// SPDX-License-Identifier: Apache-2.0
// An array as 16-byte vectors, with a few items before the first aligned vector and behind the last one; and a loop of
// a whole grid over all items, at the speed of memory.
#pragma once

#include "vector_access.cuh"
#include "warp.cuh"

namespace onepass::detail {

// Whether an array of such items has whole vectors, wherever it begins: items are aligned to their size.
template <class T>
constexpr bool fills_vectors = is_vectorizable<T, items_per_vector<T>> && alignof(T) == sizeof(T);

// Of an array that is aligned to its items' size.
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

// For for_each_of_grid, where neighbours are not looked at.
struct no_neighbours {
  static constexpr bool are_wanted() { return false; }
};

// Calls of_pair(item, next) for the items of a vector. All lanes of a warp call this, with consecutive vectors, and
// `are_wanted` is the same for all of them.
template <class T, class Pair>
__device__ void for_each_pair(const vector_part<T>& part, const T* items, index_t n, index_t v, const uint4& vector,
                              Pair& of_pair) {
  if (!of_pair.are_wanted()) return;
  constexpr int per_vector = items_per_vector<T>;
  alignas(16) T own[per_vector];
  memcpy(static_cast<void*>(own), &vector, sizeof vector);
  T next = detail::shuffle_down(own[0], 1);
  if (v < part.vectors) {
    const index_t behind = part.head + (v + 1) * per_vector;
    if ((lane_id() == warp_size - 1 || v + 1 == part.vectors) && behind < n) next = items[behind];
#pragma unroll
    for (int j = 0; j + 1 < per_vector; ++j) of_pair(own[j], own[j + 1]);
    if (behind < n) of_pair(own[per_vector - 1], next);
  }
  of_pair.agree();
}

// Calls f(item) for all items, in any order, by all threads of a one-dimensional grid; and of_pair(item, next) for
// neighbours while a warp wants more. In a round, a thread takes at most `vectors_a_round` vectors. In each round, all
// threads of a block call between() before they call f.
constexpr int vectors_a_round = 4;  // in flight at once: one load at a time does not fill memory
template <class T, class F, class Between, class Pair = no_neighbours>
__device__ void for_each_of_grid(const T* items, index_t n, F f, Between between, Pair of_pair = {}) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  const index_t mine = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const vector_part<T> part(items, n);
  if (mine < part.head) f(items[mine]);
  if (mine < n - part.tail) f(items[part.tail + mine]);
  if constexpr (!std::is_same_v<Pair, no_neighbours>) {
    if (mine < part.head && mine + 1 < n) of_pair(items[mine], items[mine + 1]);
    if (part.tail + mine + 1 < n) of_pair(items[part.tail + mine], items[part.tail + mine + 1]);
    of_pair.agree();
  }
  for (index_t i = mine; i - threadIdx.x < part.vectors; i += vectors_a_round * step) {
    uint4 vector[vectors_a_round] = {};
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      if (i + j * step < part.vectors) vector[j] = part.first[i + j * step];
    }
    between();
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      if (i + j * step < part.vectors) for_each_in_vector<T>(vector[j], f);
      if constexpr (!std::is_same_v<Pair, no_neighbours>)
        detail::for_each_pair(part, items, n, i + j * step, vector[j], of_pair);
    }
  }
}

}  // namespace onepass::detail
