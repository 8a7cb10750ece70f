// SPDX-License-Identifier: Apache-2.0
// What a block does with ranked keys: a loop over a row, a search among numbers in registers, a search by digits over a row.
#pragma once

#include "../../../core/cuda/io/grid_vectors.cuh"
#include "../ranked_key.hpp"

namespace onepass::detail {

// Ranked keys that stand in an array: `of_row` for each row, made of the items of a row of `length` from `origin` on. Zero
// is none. Blocks hold items as ranked keys; no two are equal.
template <class R, int bits_of_order>
struct ranked_items {
  using ranked = R;
  using register_key = R;
  static constexpr int order_bits = bits_of_order, register_bits = bits_of_order + index_bits<R>, per_vector = 1;
  static constexpr bool has_ties = false;
  const R* items;
  index_t origin, of_row, length;
  __device__ R at(index_t begin, index_t i) const { return items[begin + i]; }
  __device__ register_key register_key_at(index_t begin, index_t i) const { return at(begin, i); }
  __device__ index_t item(index_t begin, R r) const { return origin + begin / of_row * length + index_of(r); }
};
// Those that are made of keys, with what the device needs beside. Blocks hold items as their order.
template <class Keys>
struct device_keyed_items : keyed_items<Keys> {
  using key = typename keyed_items<Keys>::key;
  using ranked = typename keyed_items<Keys>::ranked;
  using register_key = std::conditional_t<sizeof(key) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr int register_bits = keyed_items<Keys>::order_bits;
  static constexpr int per_vector = std::is_pointer_v<Keys> ? items_per_vector<key> : 1;
  static constexpr bool has_ties = true;
  __device__ register_key register_key_of(const key& item) const {
    return static_cast<register_key>(static_cast<key_bits_t<key>>(ordered_bits(item) ^ this->flip));
  }
  __device__ register_key register_key_at(index_t begin, index_t i) const {
    return register_key_of(static_cast<key>(this->keys[begin + i]));
  }
  __device__ index_t item(index_t begin, ranked r) const { return begin + index_of(r); }
};

constexpr int ranked_at_once = 4;  // loads that a thread has on their way
// Calls f(ranked key) for those of the `size` items from `begin` on that reach `least`. This thread is number
// first + threadIdx.x of `threads`, and `first` is the same for all of a block. In each round all threads of a block call
// between(), before they call f.
template <class Source, class F, class Between>
__device__ void for_each_ranked(const Source& source, index_t begin, index_t size, index_t first, index_t threads,
                                typename Source::ranked least, F f, Between between) {
  using ranked = typename Source::ranked;
  for (index_t i = first; i < size; i += ranked_at_once * threads) {
    const index_t mine = i + threadIdx.x;
    ranked r[ranked_at_once] = {};
#pragma unroll
    for (int j = 0; j < ranked_at_once; ++j) {
      if (mine + j * threads < size) r[j] = source.at(begin, mine + j * threads);
    }
    between();
#pragma unroll
    for (int j = 0; j < ranked_at_once; ++j) {
      if (mine + j * threads < size && r[j] >= least) f(r[j]);
    }
  }
}
template <class K, class F, class Between, std::enable_if_t<(items_per_vector<K> > 1), int> = 0>
__device__ void for_each_ranked(const device_keyed_items<K*>& source, index_t begin, index_t size, index_t first,
                                index_t threads, typename device_keyed_items<K*>::ranked least, F f, Between between) {
  using key = std::remove_const_t<K>;
  const auto bound = static_cast<typename device_keyed_items<K*>::register_key>(least >> index_bits<decltype(least)>);
  const auto last_tie = static_cast<std::uint64_t>(index_of(least));  // all bits where `least` has none of an index
  const auto take = [&](const key& item, index_t i) {
    const auto order = source.register_key_of(item);
    if (order > bound || (order == bound && static_cast<std::uint64_t>(i) <= last_tie)) f(source.of(item, i));
  };
  const key* const items = source.keys + begin;
  const vector_part<key> part(items, size);
  const index_t mine = first + threadIdx.x;
  if (mine < part.head) take(items[mine], mine);
  if (mine < size - part.tail) take(items[part.tail + mine], part.tail + mine);
  for (index_t i = first; i < part.vectors; i += ranked_at_once * threads) {
    uint4 vector[ranked_at_once] = {};
#pragma unroll
    for (int j = 0; j < ranked_at_once; ++j) {
      const index_t v = i + threadIdx.x + j * threads;
      if (v < part.vectors) vector[j] = part.first[v];
    }
    between();
#pragma unroll
    for (int j = 0; j < ranked_at_once; ++j) {
      const index_t v = i + threadIdx.x + j * threads;
      index_t at = part.head + v * part.per_vector;
      auto each = [&](const key& item) { take(item, at++); };
      if (v < part.vectors) for_each_in_vector<key>(vector[j], each);
    }
  }
}

__device__ inline unsigned warp_total(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, value);
#else
  sum add;
  return warp_fold(value, warp_size, add);
#endif
}

// Sums of a number of each thread. One barrier each: two sets of totals take turns, and a thread comes to the barrier of the
// next sum when it has read the totals of this one.
template <int threads>
class block_sum {
 public:
  struct shared {
    unsigned totals[2][warp_size];
  };
  __device__ explicit block_sum(shared& s) : s_(s) {}
  __device__ unsigned operator()(unsigned value) {
    value = warp_total(value);
    if constexpr (threads > warp_size) {
      if (lane_id() == 0) s_.totals[turn_][warp_id()] = value;
      __syncthreads();  // totals are written
      value = warp_total(lane_id() < threads / warp_size ? s_.totals[turn_][lane_id()] : 0);
      turn_ ^= 1;
    }
    return value;
  }

 private:
  shared& s_;
  int turn_ = 0;
};

// The largest number that at least `least` of a block's numbers reach; or an earlier one that between `least` and `most` of
// them reach. It is found bit by bit, in the lowest `bits`; those above are known. All threads call it.
template <class R, int N, int threads>
__device__ R find_by_bits(const R (&x)[N], R known, int bits, unsigned least, unsigned most, block_sum<threads>& sum) {
#pragma unroll 1
  while (--bits >= 0) {
    const R next = known | R{1} << bits;
    unsigned mine = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) mine += x[j] >= next;
    const unsigned reached = sum(mine);
    if (reached < least) continue;
    known = next;
    if (reached <= most) break;
  }
  return known;
}

// The same for one number of each thread, by votes, which need no sums.
template <int threads, class R>
__device__ R find_by_votes(R mine, int bits, unsigned least, unsigned most) {
  R found = 0;
#if __CUDA_ARCH__ >= 800
  if constexpr (threads == warp_size && sizeof(R) == 4) {  // the first bits that all have in common are known
    const R all = __reduce_and_sync(all_lanes, mine);
    bits = 32 - __clz(static_cast<int>(all ^ __reduce_or_sync(all_lanes, mine)));
    if (bits < 32) found = all >> bits << bits;
  }
#endif
#pragma unroll 1
  while (--bits >= 0) {
    const R next = found | R{1} << bits;
    unsigned reached = 0;
    if constexpr (threads == warp_size) reached = __popc(__ballot_sync(all_lanes, mine >= next));
    else reached = __syncthreads_count(mine >= next);
    if (reached < least) continue;
    found = next;
    if (reached <= most) break;
  }
  return found;
}

// How many of the lowest bits are not common to `known` and all larger ones of a block's numbers, of which each thread has one.
// All threads call it.
template <int threads, class R>
__device__ int bits_above(R known, R mine) {
  const R apart = mine > known ? mine ^ known : R{0};
  const auto is_set_from = [&](int bit) {
    const bool here = apart >> bit != 0;
    if constexpr (threads == warp_size) return __any_sync(all_lanes, here) != 0;
    else return __syncthreads_or(here) != 0;
  };
  int highest = 0;
#pragma unroll 1
  for (int bits = 4 * sizeof(R); bits > 0; bits /= 2) {
    if (is_set_from(highest + bits)) highest += bits;
  }
  return highest + is_set_from(highest);
}

// ---- a row's k-th ranked key, by a read of the row for each digit --------------------------------------------------------
template <class R>
struct digit_search_shared {
  // Rows of ranked keys of 8 bytes have fewer than 2^32 items.
  using count = std::conditional_t<sizeof(R) == 8, unsigned, unsigned long long>;
  count bins[256];
  R known;
  index_t k;
  bool ends;
};
// Returns that of rank k or, unless `exact`, a smaller number that as many items reach. All threads of the block call it.
template <class Source>
__device__ typename Source::ranked find_by_digits(const Source& source, index_t begin, index_t size, index_t k,
                                                  bool exact, digit_search_shared<typename Source::ranked>& s) {
  using ranked = typename Source::ranked;
  using count = typename digit_search_shared<ranked>::count;
  ranked known = 0, mask = 0;
#pragma unroll 1
  for (int shift = index_bits<ranked> + Source::order_bits - 8; shift >= 0; shift -= 8) {
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) s.bins[bin] = 0;
    __syncthreads();  // bins are zero
    for_each_ranked(
        source, begin, size, 0, blockDim.x, ranked{0},
        [&](ranked r) {
          if ((r & mask) == known) atomicAdd(&s.bins[static_cast<int>(r >> shift & 255)], count{1});
        },
        [] {});
    __syncthreads();  // all items are counted
    if (threadIdx.x == 0) {
      int digit = 255;
      for (; digit > 0 && static_cast<index_t>(s.bins[digit]) < k; --digit) k -= static_cast<index_t>(s.bins[digit]);
      s.known = known | static_cast<ranked>(digit) << shift;
      s.k = k;
      s.ends = !exact && static_cast<index_t>(s.bins[digit]) == k;
    }
    __syncthreads();  // the digit is chosen
    known = s.known;
    k = s.k;
    mask |= static_cast<ranked>(255) << shift;
    if (s.ends) break;
  }
  return known;
}

}  // namespace onepass::detail
