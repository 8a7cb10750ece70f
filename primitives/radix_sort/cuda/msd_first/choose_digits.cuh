// SPDX-License-Identifier: Apache-2.0
// Which places a sort needs. Of many random keys hardly any two are alike in half of their bits: sorted by those, nearly all
// stand where they belong, and the others a few places away, where they are found by one read (fix_ties.cuh).
//
// How many neighbours an item will have that are alike is asked before: from the counts of digits it is known for digits that
// do not depend on one another, and a sample of the keys says whether they do. What a sample does not see may still be there:
// so this is a guess, on which no result depends.
#pragma once

#include "../onesweep/digit_counts.cuh"

namespace onepass::detail {

// ---- the sample -----------------------------------------------------------------------------------------------------------
constexpr unsigned most_sampled = 1 << 14;  // of up to 2^30 keys
__device__ inline unsigned sample_size(index_t n) { return static_cast<unsigned>(min(n, index_t{most_sampled})); }

// By all blocks, as one would wait long for so many loads.
template <class K>
__device__ void take_sample(const K* keys, index_t n, K* sample) {
  const unsigned sampled = sample_size(n), step = n == 0 ? 0 : static_cast<unsigned>(n) / sampled;
  for (unsigned s = blockIdx.x * histogram_threads + threadIdx.x; s < sampled; s += gridDim.x * histogram_threads) {
    const unsigned within = (s * 0x9E3779B9u >> 16) * step >> 16;  // not at equal distances, which keys may have, too
    sample[s] = keys[s * step + within];
  }
}

// ---- the choice -----------------------------------------------------------------------------------------------------------
// By a block. `upper(s, place)`: a number for the bits of key s of the sample from that place up.
template <class Upper>
class choose_first_position {
  static constexpr double most_neighbours = 0.25;  // that an item may have in its group, on the average
  static constexpr int most_looks = 2;             // at the sample: one takes 10 us

 public:
  // table: as many words as `slots`, a power of two, at least twice most_sampled.
  __device__ choose_first_position(index_t n, unsigned* table, unsigned slots, Upper upper)
      : n_(n), table_(table), slots_(slots), upper_(upper) {}

  // The lowest place to sort by; 0 for all. `alike`: of each place, how likely it is that two keys have the same digit. All
  // threads.
  __device__ int first(const pass_plan* position, const float* alike, int positions) {
    double neighbours = static_cast<double>(n_);
    int sorted = 0, looks = 0;
    for (int p = positions - 1; p > 0 && looks < most_looks; --p) {
      if (position[p].way == pass_action::skip) continue;
      neighbours *= alike[p];
      const bool ends_where_it_began = ++sorted % 2 == 0;
      if (!ends_where_it_began || neighbours > most_neighbours) continue;
      bool saves = false;
      for (int below = 0; below < p; ++below) saves |= position[below].way != pass_action::skip;
      if (!saves) return 0;
      if (are_few(p)) return p;
      ++looks;
    }
    return 0;
  }

 private:
  // Whether so few keys of the sample are alike from this place up that most groups are small: each pair of n keys is seen
  // with probability (sampled / n)^2.
  __device__ bool are_few(int position) {
    __shared__ unsigned pairs;
    const unsigned sampled = sample_size(n_);
    if (threadIdx.x == 0) pairs = 0;
    __syncthreads();  // what was in the table may be overwritten
    // Each leaves its number in a slot for its hash: of those that are alike, all but one find another's there. Some find that
    // of a key which is not like them, a fifth at the most, and are not counted.
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled; s += histogram_threads) {
      const unsigned hash = hash_of(s, position);
      atomicExch(table_ + hash % slots_, (hash & ~(most_sampled - 1)) | s);
    }
    __syncthreads();  // all numbers are there
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled; s += histogram_threads) {
      const unsigned hash = hash_of(s, position), there = table_[hash % slots_];
      if ((there ^ hash) < most_sampled && there % most_sampled != s) atomicAdd(&pairs, 1u);
    }
    __syncthreads();  // all have looked
    const bool are_few = pairs <= 2 + 0.5 * sampled / static_cast<double>(n_) * sampled;
    __syncthreads();  // all have seen it
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
