// SPDX-License-Identifier: Apache-2.0
// Sorting in the registers of a group of lanes: what a segment of up to some hundred items is sorted by. Each lane sorts its
// own items; then runs of 1, 2, 4, ... lanes are merged, bitonically.
//
// What is sorted stands for a key: its bits in the order of the sort and, where equal keys could be told apart, its place in
// the segment behind them. Then no two are equal, and the network, which is not stable, makes a stable sort. Places take the
// lowest bits of a word; what was in them is mostly needed by no comparison, and who sorts so looks at the result.
//
// Source: K. E. Batcher, "Sorting Networks and Their Applications" (1968).
#pragma once

#include "../../core/cuda/warp.cuh"
#include "digits.hpp"

namespace onepass::detail {

// ---- what stands for a key ----------------------------------------------------------------------------------------------
template <class Bits>
using sort_word = std::conditional_t<sizeof(Bits) <= 4, unsigned, Bits>;

// A place and all of the bits.
template <class Bits>
struct indexed_bits {
  Bits bits;
  unsigned index;
  friend __device__ bool operator<(const indexed_bits& a, const indexed_bits& b) {
    return a.bits != b.bits ? a.bits < b.bits : a.index < b.index;
  }
};

template <class Word>
__device__ int leading_zeros(Word word) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
  if constexpr (sizeof(Word) == 4) return __clz(static_cast<int>(word));
  else return __clzll(static_cast<long long>(word));
}

// ---- the network --------------------------------------------------------------------------------------------------------
template <class T>
__device__ void put_in_order(T& a, T& b) {
  const T low = b < a ? b : a;
  b = b < a ? a : b;
  a = low;
}
// Which of two stays, at the lower or the higher end.
template <class T>
__device__ T lower_or_higher(const T& mine, const T& other, bool is_lower) {
  if constexpr (std::is_same_v<T, unsigned>) return is_lower ? min(mine, other) : max(mine, other);
  else return (other < mine) == is_lower ? other : mine;
}

template <int per_lane, class T>
class lane_sorter {
 public:
  // Sorts what each group of so many lanes, a power of two, has: item i stands at place i % per_lane of lane i / per_lane.
  // All lanes of the warp. Inlined, for all steps to be known where `lanes` is.
  static __device__ __forceinline__ void sort(T (&item)[per_lane], int lanes) {
    sort_in_lane(item);
#pragma unroll
    for (int run = 2; run <= lanes; run *= 2) {
      mirror(item, run);
#pragma unroll
      for (int distance = run / 4; distance > 0; distance /= 2) exchange(item, distance);
      merge_in_lane(item);
    }
  }

 private:
  // By merges of odd and even places, which take the fewest steps.
  static __device__ void sort_in_lane(T (&item)[per_lane]) {
#pragma unroll
    for (int run = 1; run < per_lane; run *= 2) {
#pragma unroll
      for (int distance = run; distance > 0; distance /= 2) {
#pragma unroll
        for (int i = distance % run; i + distance < per_lane; ++i) {
          const bool is_first = (i - distance % run) / distance % 2 == 0;
          if (is_first && i / (2 * run) == (i + distance) / (2 * run)) put_in_order(item[i], item[i + distance]);
        }
      }
    }
  }
  // What falls and then rises, or the other way round.
  static __device__ void merge_in_lane(T (&item)[per_lane]) {
#pragma unroll
    for (int distance = per_lane / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (int i = 0; i < per_lane; ++i) {
        if ((i & distance) == 0) put_in_order(item[i], item[i | distance]);
      }
    }
  }
  // Two runs that ascend: each item of the first with the one as far from the other's end.
  static __device__ void mirror(T (&item)[per_lane], int run) {
    const bool is_lower = (lane_id() & run / 2) == 0;
    T other[per_lane];
#pragma unroll
    for (int i = 0; i < per_lane; ++i) other[i] = shuffle_xor(item[per_lane - 1 - i], run - 1);
#pragma unroll
    for (int i = 0; i < per_lane; ++i) item[i] = lower_or_higher(item[i], other[i], is_lower);
  }
  static __device__ void exchange(T (&item)[per_lane], int distance) {
    const bool is_lower = (lane_id() & distance) == 0;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      item[i] = lower_or_higher(item[i], shuffle_xor(item[i], distance), is_lower);
    }
  }
};

// ---- by words first -----------------------------------------------------------------------------------------------------
// Where the items of a lane's places come from: a byte each.
constexpr int items_a_lane = 8;
using lane_sources = unsigned long long;

// What a group makes of sources in the order of words that do not tell all keys apart: the same if the keys ascend there,
// else it sorts by all bits. Not inlined: it is seldom called, and what is called has to fit the instruction cache.
template <class K>
__device__ __noinline__ lane_sources settle_ties(const held_digits<K, true>& digits, const K* keys, int n, int lanes,
                                                 lane_sources sources) {
  using word = sort_word<held_bits<K>>;
  using item = std::conditional_t<sizeof(word) == 4, unsigned long long, indexed_bits<word>>;
  const int lane = lane_id() & (lanes - 1), first = lane * items_a_lane;
  const auto order = [&](int i) -> word { return digits.order(hold_key<K>(keys[i])); };
  word last = 0;
  bool ascends = true;
#pragma unroll 1
  for (int i = 0; i < items_a_lane && first + i < n; ++i) {
    const word now = order(static_cast<int>(sources >> 8 * i & 255));
    ascends &= i == 0 || last <= now;
    last = now;
  }
  const word before = shuffle_up(last, 1);
  if (lane > 0 && first < n) ascends &= before <= order(static_cast<int>(sources & 255));
  if (__all_sync(all_lanes, ascends)) return sources;
  item items[items_a_lane];
#pragma unroll
  for (int i = 0; i < items_a_lane; ++i) {
    const int at = i * lanes + lane;
    const word bits = at < n ? order(at) : static_cast<word>(~word{0});
    if constexpr (sizeof(word) == 4) items[i] = static_cast<item>(bits) << 32 | static_cast<unsigned>(at);
    else items[i] = {bits, static_cast<unsigned>(at)};
  }
  lane_sorter<items_a_lane, item>::sort(items, lanes);
  sources = 0;
#pragma unroll
  for (int i = 0; i < items_a_lane; ++i) {
    unsigned place;
    if constexpr (sizeof(word) == 4) place = static_cast<unsigned>(items[i]);
    else place = items[i].index;
    sources |= static_cast<lane_sources>(place & 255) << 8 * i;
  }
  return sources;
}

}  // namespace onepass::detail
