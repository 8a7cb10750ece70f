// SPDX-License-Identifier: Apache-2.0
// Which digit positions a sort needs. Of many random keys hardly any two are equal in the upper half of their bits.
// Sorted by those bits alone, nearly all items stand where they belong, and the others a few items away: one read finds
// and fixes these ties (fix_ties.cuh).
//
// This file guesses how many ties there will be of keys that differ below; equal keys may be tied. For digits that do
// not depend on one another that follows from their counts; a sample of the keys shows whether they do depend on one
// another. A sample may miss something. So this is a
// guess, on which the time depends but no result.
#pragma once

#include "sample.cuh"

namespace onepass::detail {

// By a block. upper(s, position): a number for the bits of key s of the sample from that position up.
template <class Upper>
class choose_lowest_position {
  static constexpr double most_tied = 0.25;  // how many other keys a key may be tied with, on average
  static constexpr int most_looks = 2;       // at the sample: each takes 10 us

 public:
  // table: `slots` words, a power of two, at least twice most_sampled.
  __device__ choose_lowest_position(index_t n, unsigned* table, unsigned slots, Upper upper)
      : n_(n), table_(table), slots_(slots), upper_(upper) {}

  // Returns the lowest position to sort by; 0 if all are needed. All threads.
  __device__ int lowest(const planned_pass* position, int positions) {
    double tied = static_cast<double>(n_);
    int sorted = 0, looks = 0;
    for (int p = positions - 1; p > 0 && looks < most_looks; --p) {
      if (position[p].plan.action == pass_action::skip) continue;
      tied *= position[p].same_digit;
      const bool ends_where_it_began = ++sorted % 2 == 0;
      if (!ends_where_it_began || tied > most_tied) continue;
      bool saves = false;
      for (int below = 0; below < p; ++below) saves |= position[below].plan.action != pass_action::skip;
      if (!saves) return 0;
      if (ties_are_few(p)) return p;
      ++looks;
    }
    return 0;
  }

 private:
  // Whether so few different keys of the sample are tied in the bits from this position up that most ties are short:
  // the sample has both of two keys with probability (sampled / n)^2.
  __device__ bool ties_are_few(int position) {
    __shared__ unsigned pairs;
    const unsigned sampled = sample_size(n_, 0);
    if (threadIdx.x == 0) pairs = 0;
    __syncthreads();  // what was in the table may be overwritten
    // Each key leaves its number in the slot of its hash. Of tied keys, all but one find another one's number there. Up
    // to a fifth of them find the number of a key that they are not tied with; these are not counted.
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled; s += histogram_threads) {
      const unsigned hash = hash_of(s, position);
      atomicExch(table_ + hash % slots_, (hash & ~(most_sampled - 1)) | s);
    }
    __syncthreads();  // all numbers are there
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled; s += histogram_threads) {
      const unsigned hash = hash_of(s, position), there = table_[hash % slots_];
      const bool tied = (there ^ hash) < most_sampled && there % most_sampled != s;
      if (tied && upper_(there % most_sampled, 0) != upper_(s, 0)) atomicAdd(&pairs, 1u);
    }
    __syncthreads();  // all pairs are counted
    const bool are_few = pairs <= 2 + 0.5 * sampled / static_cast<double>(n_) * sampled;
    __syncthreads();  // all threads have read the count
    return are_few;
  }
  __device__ unsigned hash_of(unsigned s, int position) const {
    return static_cast<unsigned>(upper_(s, position) * 0x9E3779B97F4A7C15u >> 32);
  }

  index_t n_;
  unsigned* table_;
  unsigned slots_;
  Upper upper_;
};

}  // namespace onepass::detail
