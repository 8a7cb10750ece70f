// SPDX-License-Identifier: Apache-2.0
// A block's sort of ranked keys in shared memory, of which no two are equal, the largest first. Each finds its bucket by the
// first bits in which keys differ, and its rank among the few of its bucket: eight barriers, whatever their number. If some
// bucket has many, as where keys crowd around a few values, a bitonic network sorts them all.
#pragma once

#include "block_search.cuh"

namespace onepass::detail {

constexpr int most_sort_buckets = 2048;
template <int room>
struct candidate_sort_shared {
  static constexpr int buckets = room < most_sort_buckets ? room : most_sort_buckets;
  unsigned begin[buckets + 1];  // at first, how many items a bucket has
  unsigned differing[4];        // bits in which some items differ
  unsigned totals[warp_size];
};

template <int threads, int room, class R>
class candidate_sorter {
  using shared = candidate_sort_shared<room>;
  static constexpr int in_thread = room / threads, buckets = shared::buckets, words = sizeof(R) / sizeof(unsigned);
  static constexpr unsigned many = 32;

 public:
  __device__ candidate_sorter(R* items, int count, shared& s) : items_(items), count_(count), s_(s) {}

  __device__ void sort() {
    for_each([&](int i, int at) { x_[i] = items_[at]; });
    find_shift();
    for_each([&](int i, int) {
      const auto bucket = static_cast<unsigned>(bucket_of(x_[i]));
      slot_[i] = bucket << 16 | atomicAdd(&s_.begin[bucket], 1u);
    });
    __syncthreads();  // buckets are counted, and all items are in registers
    if (counts_to_begins()) return sort_by_network();
    for_each([&](int i, int) { items_[s_.begin[slot_[i] >> 16] + (slot_[i] & 0xFFFF)] = x_[i]; });
    __syncthreads();  // buckets are together
    for_each([&](int i, int) {
      const unsigned begin = s_.begin[slot_[i] >> 16], end = s_.begin[(slot_[i] >> 16) + 1];
      slot_[i] = begin;
#pragma unroll 1
      for (unsigned j = begin; j < end; ++j) slot_[i] += items_[j] > x_[i];
    });
    __syncthreads();  // ranks are known
    for_each([&](int i, int) { items_[slot_[i]] = x_[i]; });
    __syncthreads();  // all items are sorted
  }

 private:
  // Calls f(i, at) for this thread's items, of which item i was number `at`.
  template <class F>
  __device__ __forceinline__ void for_each(F f) const {
#pragma unroll
    for (int i = 0; i < in_thread; ++i) {
      const int at = i * threads + static_cast<int>(threadIdx.x);
      if (at < count_) f(i, at);
    }
  }
  __device__ __forceinline__ int bucket_of(R x) const {
    constexpr int all_bits = 8 * sizeof(R);
    const auto first_bits = static_cast<unsigned>(static_cast<R>(x << shift_) >> (all_bits - 32));
    return buckets - 1 - static_cast<int>(__umulhi(first_bits, buckets));
  }
  // How many first bits are the same in all items. Ends with a barrier, behind which counters are zero.
  __device__ __forceinline__ void find_shift() {
    if (threadIdx.x < words) s_.differing[threadIdx.x] = 0;
    for (int bucket = static_cast<int>(threadIdx.x); bucket <= buckets; bucket += threads) s_.begin[bucket] = 0;
    const R one = items_[0];
    __syncthreads();  // these are zero
    R differing = 0;
    for_each([&](int i, int) { differing |= x_[i] ^ one; });
    bit_or any;
    differing = warp_fold(differing, warp_size, any);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      if (lane_id() == 0) atomicOr(&s_.differing[w], static_cast<unsigned>(differing >> (32 * w)));
    }
    __syncthreads();  // all bits are there
    shift_ = 0;
    for (int w = words - 1; w >= 0; --w) {
      const int zeros = __clz(static_cast<int>(s_.differing[w]));
      shift_ += zeros;
      if (zeros < 32) break;
    }
    if (shift_ == 8 * static_cast<int>(sizeof(R))) shift_ = 0;  // there is one item
  }
  // Turns counts into where buckets begin. Returns whether some bucket has many. Ends with a barrier.
  __device__ __forceinline__ bool counts_to_begins() {
    constexpr int mine = buckets / threads;
    static_assert(buckets % threads == 0);
    const int first = static_cast<int>(threadIdx.x) * mine;
    unsigned count[mine], all = 0;
    bool has_many = false;
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      count[i] = s_.begin[first + i];
      has_many |= count[i] > many;
      all += count[i];
    }
    sum add;
    const unsigned end = warp_inclusive_scan(all, add);
    if (lane_id() == warp_size - 1) s_.totals[warp_id()] = end;
    has_many = __syncthreads_or(has_many);  // behind this, warps' totals are there
    const unsigned before = warp_total(lane_id() < warp_id() ? s_.totals[lane_id()] : 0);
    unsigned begin = before + end - all;
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      s_.begin[first + i] = begin;
      begin += count[i];
    }
    if (first + mine == buckets) s_.begin[buckets] = begin;
    __syncthreads();  // begins are there
    return has_many;
  }

  // With zeros behind the items up to the next power of two.
  __device__ __forceinline__ void sort_by_network() {
    int size = 1;
    while (size < count_) size *= 2;
    for (int i = count_ + static_cast<int>(threadIdx.x); i < size; i += threads) items_[i] = 0;
    __syncthreads();  // all items are there
#pragma unroll 1
    for (int run = 2; run <= size; run *= 2) {
#pragma unroll 1
      for (int apart = run / 2; apart > 0; apart /= 2) {
        for (int pair = threadIdx.x; pair < size / 2; pair += threads) {
          const int a = 2 * pair - (pair & (apart - 1)), b = a + apart;
          const bool is_rising = (a & run) != 0;
          const R x = items_[a], y = items_[b];
          if ((x < y) != is_rising) {
            items_[a] = y;
            items_[b] = x;
          }
        }
        __syncthreads();  // the step is done
      }
    }
  }

  R* items_;
  int count_, shift_ = 0;
  shared& s_;
  R x_[in_thread];
  unsigned slot_[in_thread];  // the bucket, and a number in it; then the rank
};

// All threads of the block call it, after a barrier; it ends with one. Not inlined: its registers are its own.
template <int threads, int room, class R>
__device__ __noinline__ void sort_candidates_of_block(R* items, int count, candidate_sort_shared<room>& s) {
  candidate_sorter<threads, room, R>(items, count, s).sort();
}

}  // namespace onepass::detail
