// SPDX-License-Identifier: Apache-2.0
// A sample of the keys, from which the plan guesses how they are spread. The time depends on it, and no result.
#pragma once

#include "../onesweep/digit_counts.cuh"

namespace onepass::detail {

constexpr unsigned least_sampled = 1 << 12;  // of 2^18 keys and fewer: a look at a large sample takes longer
constexpr unsigned most_sampled = 1 << 14;   // of up to 2^30 keys; counters have 16 bits
// bucket_bits: of a sort that may end in buckets; otherwise 0. Of random keys about 4,096 ordered pairs of the sample share a
// bucket, or half as many, however many buckets there are.
__device__ inline unsigned sample_size(index_t n, int bucket_bits) {
  const index_t by_ties = min(max(n / 64, index_t{least_sampled}), index_t{most_sampled});
  return static_cast<unsigned>(min(n, bucket_bits == 0 ? by_ties : index_t{64} << bucket_bits / 2));
}

// One of the numbers below n, as if at random. A multiplication mixes bits upwards, a shift downwards.
__device__ inline unsigned number_below(unsigned n, unsigned seed) {
  unsigned bits = seed * 0x9E3779B9u;
  bits = (bits ^ bits >> 15) * 0x85EBCA6Bu;
  return __umulhi((bits ^ bits >> 13) * 0xC2B2AE35u, n);
}

// By all blocks, as one block would wait long for so many loads. Keys are drawn at random: at more or less equal distances, a
// bucket of sorted keys would give fewer pairs than it has.
template <class K>
__device__ void take_sample(const K* keys, index_t n, int bucket_bits, K* sample) {
  const unsigned sampled = sample_size(n, bucket_bits);
  for (unsigned s = blockIdx.x * histogram_threads + threadIdx.x; s < sampled; s += gridDim.x * histogram_threads) {
    sample[s] = keys[number_below(static_cast<unsigned>(n), s)];
  }
}

}  // namespace onepass::detail
