// SPDX-License-Identifier: Apache-2.0
// Which digit positions a sort needs. Of many random keys hardly any two are equal in the upper half of their bits.
// Sorted by those bits alone, nearly all items stand where they belong, and the others a few items away: one read finds
// and fixes these ties (fix_ties.cuh).
//
// This file guesses how many ties there will be. For digits that do not depend on one another that follows from their
// counts; a sample of the keys shows whether they do depend on one another. A sample may miss something. So this is a
// guess, on which the time depends but no result.
#pragma once

#include "../onesweep/digit_counts.cuh"

namespace onepass::detail {

// ---- the sample -----------------------------------------------------------------------------------------------------
constexpr unsigned most_sampled = 1 << 14;  // of up to 2^30 keys; counters have 16 bits
__device__ inline unsigned sample_size(index_t n) { return static_cast<unsigned>(min(n, index_t{most_sampled})); }

// By all blocks, as one block would wait long for so many loads.
template <class K>
__device__ void take_sample(const K* keys, index_t n, K* sample) {
  const unsigned sampled = sample_size(n), step = n == 0 ? 0 : static_cast<unsigned>(n) / sampled;
  for (unsigned s = blockIdx.x * histogram_threads + threadIdx.x; s < sampled; s += gridDim.x * histogram_threads) {
    const unsigned within = (s * 0x9E3779B9u >> 16) * step >> 16;  // not at equal distances: keys may repeat at those
    sample[s] = keys[s * step + within];
  }
}

// ---- the choice -----------------------------------------------------------------------------------------------------
// By a block. upper(s, position): a number for the bits of key s of the sample from that position up.
template <class Upper>
class choose_lowest_position {
  static constexpr double most_tied = 0.25;  // how many other keys a key may be tied with, on average
  static constexpr int most_looks = 2;       // at the sample: each takes 10 us

 public:
  // table: `slots` words, a power of two, at least twice most_sampled.
  __device__ choose_lowest_position(index_t n, unsigned* table, unsigned slots, Upper upper)
      : n_(n), table_(table), slots_(slots), upper_(upper) {}

  // Returns the lowest position to sort by; 0 if all are needed. same_digit: how likely two keys are to have the same
  // digit at each position. All threads.
  __device__ int lowest(const pass_plan* position, const float* same_digit, int positions) {
    double tied = static_cast<double>(n_);
    int sorted = 0, looks = 0;
    for (int p = positions - 1; p > 0 && looks < most_looks; --p) {
      if (position[p].action == pass_action::skip) continue;
      tied *= same_digit[p];
      const bool ends_where_it_began = ++sorted % 2 == 0;
      if (!ends_where_it_began || tied > most_tied) continue;
      bool saves = false;
      for (int below = 0; below < p; ++below) saves |= position[below].action != pass_action::skip;
      if (!saves) return 0;
      if (ties_are_few(p)) return p;
      ++looks;
    }
    return 0;
  }

 private:
  // Whether so few keys of the sample are tied in the bits from this position up that most ties are short: the sample
  // has both of two keys with probability (sampled / n)^2.
  __device__ bool ties_are_few(int position) {
    __shared__ unsigned pairs;
    const unsigned sampled = sample_size(n_);
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
      if ((there ^ hash) < most_sampled && there % most_sampled != s) atomicAdd(&pairs, 1u);
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

// ---- buckets --------------------------------------------------------------------------------------------------------
// Sorted by their upper two digits, keys of 4 bytes lie in 2^16 buckets. What a block sorts is a bucket's worth, with
// room for more than the mean: a bucket of 4,096 random keys hardly ever has more than 4,500.
constexpr unsigned bucket_count = 1u << 2 * digit_bits;
constexpr int small_bucket = 256 * 18, large_bucket = 512 * 18;
constexpr index_t most_in_small_buckets = index_t{bucket_count} * 4150;
constexpr index_t most_in_buckets = index_t{bucket_count} * 8650;
ONEPASS_HOST_DEVICE constexpr int bucket_room(index_t n) {
  return n <= most_in_small_buckets ? small_bucket : large_bucket;
}

// By a block, as above. A sort may stop at its upper two positions if all four have something to move, and the bucket
// of a key has room on average.
template <class Upper>
class choose_buckets {
  static constexpr double most_share_of_room = 0.95;

 public:
  // table: a word for two buckets.
  __device__ choose_buckets(index_t n, unsigned* table, bool has_negative_zero, Upper upper)
      : n_(n), table_(table), has_negative_zero_(has_negative_zero), upper_(upper) {}

  __device__ int lowest(const pass_plan* position, const float*, int positions) {
    constexpr int all = 4;
    bool moves_all = positions == all && !has_negative_zero_;
    for (int p = 0; p < positions; ++p) moves_all &= position[p].action != pass_action::skip;
    return moves_all && have_room() ? all / 2 : 0;
  }

 private:
  // Counts the sample's keys by bucket, with two counters to a word, and from that how many ordered pairs of them share
  // a bucket.
  __device__ bool have_room() {
    __shared__ unsigned long long pairs;
    const unsigned sampled = sample_size(n_);
    if (threadIdx.x == 0) pairs = 0;
    for (unsigned w = threadIdx.x; w < bucket_count / 2; w += histogram_threads) table_[w] = 0;
    __syncthreads();  // all counters are zero
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled; s += histogram_threads) {
      const auto bucket = static_cast<unsigned>(upper_(s, 2)) % bucket_count;
      atomicAdd(table_ + bucket / 2, 1u << 16 * (bucket % 2));
    }
    __syncthreads();  // all keys are counted
    unsigned long long mine = 0;
    for (unsigned w = threadIdx.x; w < bucket_count / 2; w += histogram_threads) {
      const unsigned long long low = table_[w] & 0xFFFFu, high = table_[w] >> 16;
      mine += low * low + high * high - low - high;
    }
    sum add;
    mine = warp_fold(mine, warp_size, add);
    if (lane_id() == 0 && mine != 0) atomicAdd(&pairs, mine);
    __syncthreads();                                                      // all pairs are added up
    const double share = static_cast<double>(pairs) / sampled / sampled;  // of the keys, in the bucket of a key
    __syncthreads();                                                      // all threads have read the sum
    return share * static_cast<double>(n_) <= most_share_of_room * bucket_room(n_);
  }

  index_t n_;
  unsigned* table_;
  bool has_negative_zero_;
  Upper upper_;
};

}  // namespace onepass::detail
