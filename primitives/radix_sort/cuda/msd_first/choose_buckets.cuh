// SPDX-License-Identifier: Apache-2.0
// Whether a sort of 4-byte keys goes by their upper two digits alone, and ends in buckets (sort_buckets.cuh).
#pragma once

#include "sample.cuh"

namespace onepass::detail {

// Sorted by their upper two digits, keys of 4 bytes lie in 2^16 buckets. Of fewer keys, several of these make one: a bucket
// has the keys with the same highest bits, so few that the mean bucket nearly fills a small block. There is room for more than
// the mean: a bucket of 4,096 random keys hardly ever has more than 4,500.
constexpr int most_bucket_bits = 2 * digit_bits;
constexpr index_t most_in_small_bucket = 2100, most_in_medium_bucket = 4150, most_in_large_bucket = 8650;  // on average
constexpr index_t most_in_buckets = most_in_large_bucket << most_bucket_bits;
inline bucket_shape buckets_of(index_t n, int least_bits, int least_room) {
  int bits = least_bits;
  while (bits < most_bucket_bits && n > most_in_small_bucket << bits) ++bits;
  const int room = n <= most_in_small_bucket << bits    ? small_bucket
                   : n <= most_in_medium_bucket << bits ? medium_bucket
                                                        : large_bucket;
  return {bits, std::max(room, least_room)};
}

// By a block. A sort may stop at its upper two positions if all four have something to move, and the bucket
// of a key has room on average.
template <class Upper>
class choose_buckets {
  static constexpr double most_share_of_room = 0.95;

 public:
  // table: a word for two buckets.
  __device__ choose_buckets(index_t n, bucket_shape buckets, unsigned* table, bool has_negative_zero, Upper upper)
      : n_(n), buckets_(buckets), table_(table), has_negative_zero_(has_negative_zero), upper_(upper) {}

  __device__ int lowest(const planned_pass* position, int positions) {
    constexpr int all = 4;
    bool moves_all = positions == all && !has_negative_zero_;
    for (int p = 0; p < positions; ++p) moves_all &= position[p].plan.action != pass_action::skip;
    return moves_all && have_room() ? all / 2 : 0;
  }

 private:
  // Counts the sample's keys by bucket, with two counters to a word, and from that how many ordered pairs of them share
  // a bucket.
  __device__ bool have_room() {
    __shared__ unsigned long long pairs;
    const unsigned sampled = sample_size(n_, buckets_.bits);
    if (threadIdx.x == 0) pairs = 0;
    for (unsigned w = threadIdx.x; w < buckets_.count() / 2; w += histogram_threads) table_[w] = 0;
    __syncthreads();  // all counters are zero
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < sampled; s += histogram_threads) {
      const unsigned upper = static_cast<unsigned>(upper_(s, 2)) & ((1u << most_bucket_bits) - 1);
      const unsigned bucket = upper >> (most_bucket_bits - buckets_.bits);
      atomicAdd(table_ + bucket / 2, 1u << 16 * (bucket % 2));
    }
    __syncthreads();  // all keys are counted
    unsigned long long mine = 0;
    for (unsigned w = threadIdx.x; w < buckets_.count() / 2; w += histogram_threads) {
      const unsigned long long low = table_[w] & 0xFFFFu, high = table_[w] >> 16;
      mine += low * low + high * high - low - high;
    }
    sum add;
    mine = warp_fold(mine, warp_size, add);
    if (lane_id() == 0 && mine != 0) atomicAdd(&pairs, mine);
    __syncthreads();                                                      // all pairs are added up
    const double share = static_cast<double>(pairs) / sampled / sampled;  // of the keys, in the bucket of a key
    __syncthreads();                                                      // all threads have read the sum
    return share * static_cast<double>(n_) <= most_share_of_room * buckets_.room;
  }

  index_t n_;
  bucket_shape buckets_;
  unsigned* table_;
  bool has_negative_zero_;
  Upper upper_;
};

}  // namespace onepass::detail
