// SPDX-License-Identifier: Apache-2.0
// A stable sort of up to eight items a thread by one block. Each warp sorts 256 of them in registers (cuda_lane_sort.cuh);
// then runs of 1, 2, 4, ... warps are merged in shared memory, of which each thread makes eight items in a row: it finds where
// these begin in either run by a search, and needs to know nothing of other threads. Bytes moved: n items read and written
// once.
//
// Merged are the ordered bits of the keys and, unless equal keys cannot be told apart, where they stood.
//
// Source: O. Green, R. McColl and D. Bader, "GPU Merge Path" (2012).
#pragma once

#include "../../core/cuda/launch.cuh"
#include "cuda_lane_sort.cuh"
#include "cuda_tuning.cuh"

namespace onepass::detail {

template <class K, class V>
constexpr bool may_be_free_of_ties = stored_size<V> == 0 && is_integer_key<K>;

ONEPASS_HOST_DEVICE constexpr int merge_sort_items(int threads) { return threads * items_a_lane; }
// Of shared memory: two arrays of ordered bits and of places.
template <class K>
constexpr std::size_t merge_sort_bytes(int threads) {
  return 2 * merge_sort_items(threads) * (sizeof(sort_word<held_bits<K>>) + sizeof(unsigned short));
}

// ties_are_free: keys alone that are sorted by all of their bits, integers.
template <bool ties_are_free, class K, class V>
class merge_sorter {
  using group = group_sorter<ties_are_free, K>;
  using word = typename group::word;
  static constexpr int mine = items_a_lane, run_of_warp = mine * warp_size;
  template <class T>
  struct alignas(16) stretch {  // what a thread stores at once
    T of[mine];
  };

 public:
  __device__ merge_sorter(const held_digits<K, true>& digits, K* keys, V* values, int n)
      : group_(digits),
        keys_(keys),
        values_(values),
        n_(n),
        room_(merge_sort_items(static_cast<int>(blockDim.x))),
        words_(&shared_of_block<word>()),
        source_(reinterpret_cast<unsigned short*>(words_ + 2 * room_)) {}

  __device__ void run() {
    sort_run();
    __syncthreads();  // each warp has sorted its run
    for (int run = run_of_warp; run < n_; run *= 2) {
      merge(run);
      now_ ^= 1;
      __syncthreads();  // all runs are merged
    }
    store();
  }

 private:
  __device__ void sort_run() {
    const int begin = warp_id() * run_of_warp, n = min(n_ - begin, run_of_warp);
    if (n <= 0) return;
    stretch<word> words;
    if constexpr (ties_are_free) {
      group_.template sort<warp_size>(keys_ + begin, n, lane_id(), words.of);
    } else {
      unsigned sources[mine];
      group_.template sort_sources<warp_size>(keys_ + begin, n, lane_id(), sources);
      stretch<unsigned short> places;
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        const int from = begin + static_cast<int>(sources[i]);
        places.of[i] = static_cast<unsigned short>(from);
        if (lane_id() * mine + i < n) words.of[i] = group_.order(keys_[from]);
      }
      put(places, source_of(0));
    }
    put(words, words_of(0));
  }

  // Neighbouring runs of so many items. Of equal ones the first run's come first.
  __device__ void merge(int run) {
    const int place = static_cast<int>(threadIdx.x) * mine;
    if (place >= n_) return;
    const int base = place / (2 * run) * (2 * run), middle = min(base + run, n_), end = min(base + 2 * run, n_);
    const word* const from = words_of(now_);
    int a = first_of(from + base, middle - base, from + middle, end - middle, place - base) + base;
    int b = middle + place - a;
    word next_a{}, next_b{};
    if (a < middle) next_a = from[a];
    if (b < end) next_b = from[b];
    stretch<word> merged;
    int taken[mine];
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      const bool is_a = b >= end || (a < middle && !(next_b < next_a));
      merged.of[i] = is_a ? next_a : next_b;
      taken[i] = is_a ? a : b;
      if (is_a) {
        if (++a < middle) next_a = from[a];
      } else {
        if (++b < end) next_b = from[b];
      }
    }
    put(merged, words_of(now_ ^ 1));
    if constexpr (!ties_are_free) {
      stretch<unsigned short> places;
#pragma unroll
      for (int i = 0; i < mine; ++i) places.of[i] = place + i < n_ ? source_of(now_)[taken[i]] : 0;
      put(places, source_of(now_ ^ 1));
    }
  }
  // How many of the first `place` items of both runs, merged, are of the first run.
  static __device__ int first_of(const word* first, int count, const word* second, int count_of_second, int place) {
    int low = max(0, place - count_of_second), high = min(place, count);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (second[place - 1 - middle] < first[middle]) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  __device__ void store() const {
    const int threads = static_cast<int>(blockDim.x);
    if constexpr (ties_are_free) {
#pragma unroll 4
      for (int i = threadIdx.x; i < n_; i += threads) keys_[i] = group_.key_of(words_of(now_)[i]);
    } else {
      K keys[mine];
      V values[stored_size<V> == 0 ? 1 : mine];
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        const int place = static_cast<int>(threadIdx.x) + i * threads;
        if (place >= n_) continue;
        const int from = source_of(now_)[place];
        keys[i] = keys_[from];
        if constexpr (stored_size<V> != 0) values[i] = values_[from];
      }
      __syncthreads();  // all items have been read
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        const int place = static_cast<int>(threadIdx.x) + i * threads;
        if (place >= n_) continue;
        keys_[place] = keys[i];
        if constexpr (stored_size<V> != 0) values_[place] = values[i];
      }
    }
  }

  // This thread's stretch. There is room for it, and what is behind the last item is never looked at.
  template <class T>
  static __device__ void put(const stretch<T>& all, T* to) {
    reinterpret_cast<stretch<T>*>(to)[threadIdx.x] = all;
  }
  __device__ word* words_of(int which) const { return words_ + which * room_; }
  __device__ unsigned short* source_of(int which) const { return source_ + which * room_; }

  group group_;
  K* keys_;
  V* values_;
  int n_, room_;
  word* words_;
  unsigned short* source_;
  int now_ = 0;  // which arrays hold the items
};

template <class K, class V>
__device__ __noinline__ void merge_sort_with_places(const held_digits<K, true>& digits, K* keys, V* values, int n) {
  merge_sorter<false, K, V>(digits, keys, values, n).run();
}

// n > 0 items, no more than merge_sort_items.
template <class K, class V>
__device__ __forceinline__ void sort_by_merging(const held_digits<K, true>& digits, K* keys, V* values, int n) {
  if constexpr (may_be_free_of_ties<K, V>) {
    if (!digits.is_whole_key()) return merge_sort_with_places(digits, keys, values, n);
    merge_sorter<true, K, V>(digits, keys, values, n).run();
  } else {
    merge_sorter<false, K, V>(digits, keys, values, n).run();
  }
}

}  // namespace onepass::detail
