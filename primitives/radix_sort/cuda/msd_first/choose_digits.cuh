// SPDX-License-Identifier: Apache-2.0
// Which digit positions a sort needs. Of many random keys hardly any two are equal in the upper half of 8 bytes, and few
// in the upper three of 4. Sorted by those bits alone, items stand where they belong, or a few items away: one read, or
// one read and write, fixes these ties (fix_ties.cuh, fix_many_ties.cuh).
//
// This file guesses how many ties there will be, of 8 bytes only those of keys that differ below. For digits that do not
// depend on one another that follows from their counts; a sample of the keys shows whether they do depend on one another. A
// sample may miss something. So this is a guess, on which the time depends but no result.
#pragma once

#include <cuda_pipeline.h>

#include "sample.cuh"

namespace onepass::detail {

// Whether a sort may leave out its lowest positions, which the usual blocks of the histogram choose.
template <class Digits>
bool may_leave_positions(const char* call, const Digits& digits) {
  const bool is_possible = may_be_msd_first<Digits> && (!finishes_in_buckets<Digits> || digits.is_whole_key());
  return is_possible && fits_usual_blocks<Digits>(call);
}

// The ties of a sample of up to most_sampled keys. upper(s, position): a number for the bits of key s of the sample from that
// position up.
template <class Upper>
class sampled_ties {
 public:
  // table: `slots` words, a power of two, at least twice as many as there are keys.
  __device__ sampled_ties(unsigned sampled, unsigned* table, unsigned slots, Upper upper)
      : sampled_(sampled), table_(table), slots_(slots), upper_(upper) {}

  // How many pairs of keys are tied in the bits from a position up. equal_count: pairs of equal keys count, too. By a block;
  // what is in the table may be overwritten behind the first barrier.
  __device__ unsigned pairs(int position, bool equal_count) const {
    __shared__ unsigned pairs;
    if (threadIdx.x == 0) pairs = 0;
    __syncthreads();
    // Each key leaves its number in the slot of its hash. Of tied keys, all but one find another one's number there. Up
    // to a fifth of them find the number of a key that they are not tied with; these are not counted.
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled_; s += histogram_threads) {
      const unsigned hash = hash_of(s, position);
      atomicExch(table_ + hash % slots_, (hash & ~(most_sampled - 1)) | s);
    }
    __syncthreads();  // all numbers are there
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled_; s += histogram_threads) {
      const unsigned hash = hash_of(s, position), there = table_[hash % slots_];
      const bool tied = (there ^ hash) < most_sampled && there % most_sampled != s;
      if (tied && (equal_count || upper_(there % most_sampled, 0) != upper_(s, 0))) atomicAdd(&pairs, 1u);
    }
    __syncthreads();  // all pairs are counted
    const unsigned counted = pairs;
    __syncthreads();  // all threads have read the count
    return counted;
  }

 private:
  __device__ unsigned hash_of(unsigned s, int position) const {
    return static_cast<unsigned>(upper_(s, position) * 0x9E3779B97F4A7C15u >> 32);
  }

  unsigned sampled_;
  unsigned* table_;
  unsigned slots_;
  Upper upper_;
};

// Whether of n keys each is supposedly tied with up to `most` others on average: of samples of `sampled` keys each has both of
// two keys with probability (sampled / n)^2.
__device__ inline bool ties_are_few(unsigned pairs, index_t n, unsigned samples, unsigned sampled, double most) {
  return pairs <= 2 + 0.5 * most * samples * sampled / static_cast<double>(n) * sampled;
}

// By a block: for keys that hardly have ties in the positions that are sorted by.
template <class Upper>
class choose_lowest_position {
  static constexpr double most_tied = 0.25;  // how many other keys a key may be tied with, on average
  static constexpr int most_looks = 2;       // at the sample: each takes 10 us

 public:
  __device__ choose_lowest_position(index_t n, unsigned sampled, const sampled_ties<Upper>& sample)
      : n_(n), sampled_(sampled), sample_(sample) {}

  // Returns the lowest position to sort by; 0 if all are needed. All threads.
  __device__ int lowest(const planned_pass* position, int positions) const {
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
      if (ties_are_few(sample_.pairs(p, false), n_, 1, sampled_, 1)) return p;
      ++looks;
    }
    return 0;
  }

 private:
  index_t n_;
  unsigned sampled_;
  sampled_ties<Upper> sample_;
};

// ---- all but the lowest position ------------------------------------------------------------------------------------
// A small sample for each block of the histogram, which arrives in shared memory while the block counts. Its functions are
// not inlined: beside them the loop that counts would get fewer registers, and take 8 % longer.
template <class K>
struct block_sample {
  static constexpr unsigned size = 256;
  K keys[size];

  // All threads.
  __device__ __noinline__ void begin(const K* from, index_t n) {
    if (threadIdx.x < size && n > 0) {
      const unsigned i = number_below(static_cast<unsigned>(n), blockIdx.x * size + threadIdx.x);
      __pipeline_memcpy_async(keys + threadIdx.x, from + i, sizeof(K));
    }
    __pipeline_commit();
  }
  // Adds the pairs of keys that are tied in all positions but the lowest to the plan. All threads; `words`, the block's
  // columns of counters, are not needed any more.
  template <class Digits>
  __device__ __noinline__ void add_ties_to(split_plan* plan, const position_digits<Digits>& digits, int positions,
                                           unsigned* words) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the keys of all threads are there, and words have been read
    const auto upper = [&](unsigned s, int position) { return digits.upper(keys[s], position, positions); };
    const unsigned pairs = sampled_ties(size, words, 4 * size, upper).pairs(1, true);
    if (threadIdx.x == 0 && pairs != 0) atomicAdd(&plan->tied_pairs, pairs);
  }
};

// Whether a sort may leave out its lowest position alone: all have something to move, and ties are short on average, though
// most keys may be tied.
struct choose_all_but_lowest {
  static constexpr double most_tied = 16;  // how many other keys a key may be tied with, on average
  index_t n;
  unsigned tied_pairs, samples, sampled;  // of `samples` samples of `sampled` keys each
  bool has_negative_zero;

  __device__ int lowest(const planned_pass* position, int positions) const {
    double tied = static_cast<double>(n);
    bool moves_all = !has_negative_zero;
    for (int p = 0; p < positions; ++p) {
      moves_all &= position[p].plan.action != pass_action::skip;
      if (p > 0) tied *= position[p].same_digit;
    }
    const bool are_few = tied <= most_tied && ties_are_few(tied_pairs, n, samples, sampled, most_tied);
    return moves_all && are_few ? 1 : 0;
  }
};

}  // namespace onepass::detail
