// SPDX-License-Identifier: Apache-2.0
// A stable sort of up to some hundred thousand items by merging. Each block sorts a tile (merge_sort.cuh). Then
// neighbouring sorted runs are merged, in a launch for each round, until there is one run. All blocks work in each
// round: each makes 1,024 consecutive items of a merged run, and searches for where these begin and end in both runs.
// So a sort of eight digits, too, waits for only a few kernels, and nothing depends on how the keys are distributed.
// Bytes moved: n items read and written by the tiles, and n in each round.
//
// Source: O. Green, R. McColl and D. Bader, "GPU Merge Path" (2012).
#pragma once

#include "../onesweep/index_output.cuh"
#include "merge_sort.cuh"

namespace onepass::detail {

// The first of count numbers from `low` on for which is_behind() is true, or low + count. If it is true for a number, it
// is true for all behind that one. All lanes of a warp call this, and get the same.
template <class Test>
__device__ int warp_lower_bound(int low, int count, Test is_behind) {
  while (count > 0) {
    const int step = divide_up(count, warp_size), mine = lane_id() * step;
    const unsigned behind = __ballot_sync(all_lanes, mine >= count || is_behind(low + mine));
    const int first = behind == 0 ? warp_size : __ffs(static_cast<int>(behind)) - 1;
    if (first == 0) break;
    const int from = (first - 1) * step + 1;  // not behind: the number before this one
    count = min(first * step, count) - from;
    low += from;
  }
  return low;
}

template <class Digits, class V>
struct merge_round_job {
  Digits digits;
  block_sort_items<typename Digits::key, V> items;
  item_count size;
  int run;  // how many items are sorted already, from each multiple of it on
};

constexpr int merge_round_threads = 256, merge_round_items = 4 * merge_round_threads;

template <class Digits, class V>
class run_merger {
  using K = typename Digits::key;
  using ordered = sort_word<typename Digits::ordered>;
  using job = merge_round_job<Digits, V>;
  static constexpr int per_thread = merge_round_items / merge_round_threads;

 public:
  struct shared {
    ordered word[merge_round_items];           // ordered bits: the items of the first run, then of the second
    unsigned short source[merge_round_items];  // which of these each item of the output is
    int taken_before[2];                       // of the first run: before this block's items, and with them
  };

  __device__ run_merger(const job& j, shared& s, int begin, int n)
      : job_(j),
        s_(s),
        begin_(begin),
        first_(begin & -2 * j.run),
        second_(min(first_ + j.run, n)),
        end_(min(first_ + 2 * j.run, n)),
        count_(min(merge_round_items, n - begin)) {}

  __device__ void run() {
    if (warp_id() < 2) {
      const int at = begin_ - first_ + (warp_id() == 0 ? 0 : count_);
      const K* const keys = job_.items.keys_in;
      const int taken = taken_of_first(
          at, second_ - first_, end_ - second_, [&](int i) { return order(keys[first_ + i]); },
          [&](int i) { return order(keys[second_ + i]); },
          [](int low, int count, auto test) { return warp_lower_bound(low, count, test); });
      if (lane_id() == 0) s_.taken_before[warp_id()] = taken;
    }
    __syncthreads();  // both ends are known
    of_first_ = s_.taken_before[1] - s_.taken_before[0];
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < merge_round_items; i += merge_round_threads) {
      if (i < count_) s_.word[i] = order(job_.items.keys_in[index_of(i)]);
    }
    __syncthreads();  // all words are there
    merge();
    __syncthreads();  // all sources are known
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < merge_round_items; i += merge_round_threads) {
      if (i >= count_) break;
      const int from = index_of(s_.source[i]);
      job_.items.keys[begin_ + i] = job_.items.keys_in[from];
      if constexpr (stored_size<V> != 0) job_.items.store_value(begin_ + i, job_.items.values_in[from]);
    }
  }

 private:
  // How many of the first `at` items of both runs, merged, are of the first run.
  template <class First, class Second, class Search>
  static __device__ int taken_of_first(int at, int count, int count_of_second, First first, Second second,
                                       Search search) {
    const int low = max(0, at - count_of_second);
    return search(low, min(at, count) - low, [&](int i) { return second(at - 1 - i) < first(i); });
  }

  // This thread's items, one after another from the run whose next item is lower.
  __device__ void merge() {
    const int at = static_cast<int>(threadIdx.x) * per_thread;
    if (at >= count_) return;
    const auto* const first = s_.word;
    const auto* const second = s_.word + of_first_;
    const auto by_halves = [](int low, int count, auto test) {
      while (count > 0) {
        const int half = count / 2;
        if (test(low + half)) count = half;
        else low += half + 1, count -= half + 1;
      }
      return low;
    };
    int a = taken_of_first(
        at, of_first_, count_ - of_first_, [&](int i) { return first[i]; }, [&](int i) { return second[i]; },
        by_halves);
    int b = of_first_ + at - a;
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (at + i >= count_) return;
      const bool is_first = b >= count_ || (a < of_first_ && !(s_.word[b] < s_.word[a]));
      s_.source[at + i] = static_cast<unsigned short>(is_first ? a++ : b++);
    }
  }

  // Where one of this block's items stands in the input.
  __device__ int index_of(int i) const {
    const int taken = s_.taken_before[0];
    return i < of_first_ ? first_ + taken + i : second_ + (begin_ - first_ - taken) + (i - of_first_);
  }
  __device__ auto order(const K& key) const { return static_cast<ordered>(job_.digits.order(to_key_bits(key))); }

  const job& job_;
  shared& s_;
  int begin_;                 // of this block's items in the output
  int first_, second_, end_;  // where both runs begin, and where the second one ends
  int count_, of_first_ = 0;  // this block's items, and how many of them are of the first run
};

template <class Digits, class V>
__global__ void __launch_bounds__(merge_round_threads)
    merge_round_kernel(const __grid_constant__ merge_round_job<Digits, V> job) {
  __shared__ typename run_merger<Digits, V>::shared s;
  wait_for_previous_kernel();
  const auto n = static_cast<int>(job.size.get()), begin = static_cast<int>(blockIdx.x) * merge_round_items;
  if (begin < n) run_merger<Digits, V>(job, s, begin, n).run();
}

// Launches the sort of the tiles and all rounds. These go back and forth between the routes' buffers, so that the last
// one ends in the primary buffers, or with the values where `output` says.
template <class Digits, class V, class Values>
void sort_by_merging(const char* call, const Digits& digits, const buffer_route<typename Digits::key>& keys,
                     const Values& values, item_count size, const index_output& output, cudaStream_t stream) {
  constexpr int tile = merge_sort<Digits, V>::tile;
  int rounds = 0;
  while (index_t{tile} << rounds < size.most) ++rounds;
  const auto target = [&](const auto& route, int left) { return left % 2 == 0 ? route.primary : route.alternate; };
  block_sort_items<typename Digits::key, V> items{keys.input, target(keys, rounds), values.input,
                                                  target(values, rounds), rounds == 0 ? output.widened : nullptr};
  merge_sort<Digits, V>::launch(call, digits, items, size, stream);
  const auto kernel = merge_round_kernel<Digits, V>;
  const resident_blocks resident(kernel, merge_round_threads, 0);
  const auto grid = static_cast<unsigned>(divide_up(size.most, index_t{merge_round_items}));
  for (int round = 0; round < rounds; ++round) {
    const int left = rounds - 1 - round;
    items = {items.keys, target(keys, left), items.values, target(values, left), left == 0 ? output.widened : nullptr};
    kernel_launch::dependent(call, resident, kernel, dim3(grid), merge_round_threads, 0, stream,
                             merge_round_job<Digits, V>{digits, items, size, tile << round});
  }
}

}  // namespace onepass::detail
