// SPDX-License-Identifier: Apache-2.0
// Cuts sorted runs at borders of their merge: where a rank's share or a tile of it begins and ends. Runs may be in
// other GPUs' memory. A block samples the part of each run in which its cut may be, and so learns of each sample
// between which indices of the merge it is; most of them are surely below the border or surely not. A round reads up to
// 1,024 items and leaves about 4 * runs / 1,024 of what was open; the last one reads all of it. Equal items are cut by
// rank, then by position; so a cut is exact.
// Source     Varman, Scheufler, Iyer and Ricard, "Merging Multiple Lists on Hierarchical-Memory Multiprocessors" (1991),
//            for selection in sorted lists by samples.
#pragma once

#include "cut_tiles.cuh"

namespace onepass::detail {

constexpr int cut_threads = 1024;

// The search for one border, in shared memory. All threads call each function.
template <class K, class V, class Order>
class cut_search {
  using bits = key_bits_t<K>;

 public:
  // wanted: how many items are below the border.
  __device__ void begin(const sorted_run<K, V>* runs, int size, index_t wanted) {
    const int r = static_cast<int>(threadIdx.x);
    if (r == 0) wanted_ = wanted;
    if (r < size) low_[r] = 0, high_[r] = runs[r].size;
  }
  // By one thread: shares out the samples. Every run that is open has one at least.
  __device__ void plan(int size) {
    index_t open = 0;
    for (int r = 0; r < size; ++r) open += high_[r] - low_[r];
    is_open_ = open > 0;
    step_ = max(divide_up(open, index_t{cut_threads - size}), index_t{1});
    first_[0] = 0;
    for (int r = 0; r < size; ++r) first_[r + 1] = first_[r] + static_cast<int>(divide_up(high_[r] - low_[r], step_));
  }
  __device__ bool is_open() const { return is_open_; }
  // Each thread has a sample, or none. Samples of a run are `step_` items apart, and the first one is at low_.
  __device__ void load(const sorted_run<K, V>* runs, int size, const Order& order) {
    const int s = static_cast<int>(threadIdx.x);
    if (s >= first_[size]) return;
    const int r = run_of(size, s);
    sample_[s] = order.of(runs[r].keys[index_of(r, s)]);
  }
  // Returns what this thread's sample says: how far its run is surely below the border, or from where on surely not.
  // Of another run at least low_ items and at most high_ count as before the sample: the border does not change by that.
  struct finding {
    int run;  // -1: nothing
    bool is_below;
    index_t at;
  };
  __device__ finding judge(int size) const {
    const int s = static_cast<int>(threadIdx.x);
    if (s >= first_[size]) return {-1, false, 0};
    const int own = run_of(size, s);
    const index_t at = index_of(own, s);
    index_t least = at, most = at;  // items before it
    for (int r = 0; r < size; ++r) {
      if (r == own) continue;
      const int passed =
          first_not_before(
              first_[r], first_[r + 1],
              [&](int other) { return r < own ? !(sample_[s] < sample_[other]) : sample_[other] < sample_[s]; }) -
          first_[r];
      least += passed == 0 ? low_[r] : low_[r] + (passed - 1) * step_ + 1;
      most += passed == 0 ? low_[r] : min(high_[r], low_[r] + passed * step_);
    }
    if (most < wanted_) return {own, true, at + 1};
    if (least >= wanted_) return {own, false, at};
    return {-1, false, 0};
  }
  __device__ void apply(const finding& found) {
    if (found.run < 0) return;
    if (found.is_below) atomicMax(reinterpret_cast<long long*>(low_ + found.run), static_cast<long long>(found.at));
    else atomicMin(reinterpret_cast<long long*>(high_ + found.run), static_cast<long long>(found.at));
  }
  __device__ index_t cut(int r) const { return low_[r]; }

 private:
  __device__ int run_of(int size, int s) const {
    return first_not_before(0, size, [&](int r) { return first_[r + 1] <= s; });
  }
  __device__ index_t index_of(int r, int s) const { return low_[r] + (s - first_[r]) * step_; }

  static_assert(sizeof(index_t) == sizeof(long long));
  bits sample_[cut_threads];
  index_t low_[most_merged_runs], high_[most_merged_runs];  // a run's cut is one of these, or between them
  int first_[most_merged_runs + 1];                         // where the samples of a run begin
  index_t step_, wanted_;
  bool is_open_;
};

// cuts[b * size + r]: how many items of run r are below border b, which has begin + b * step items below it, or `end`
// if that is less. A block a border. In each round at least one sample says something, as fewer than 3 * size are at
// indices that leave the search open.
template <class K, class V, class Order>
__global__ void __launch_bounds__(cut_threads)
    find_cuts_kernel(const sorted_run<K, V>* runs, int size, const Order order, index_t begin, index_t end,
                     index_t step, index_t* cuts) {
  using search = cut_search<K, V, Order>;
  __shared__ search s;
  wait_for_previous_kernel();
  s.begin(runs, size, min(end, begin + blockIdx.x * step));
  __syncthreads();  // all runs are open
  for (;;) {
    if (threadIdx.x == 0) s.plan(size);
    __syncthreads();  // the samples are shared out
    if (!s.is_open()) break;
    s.load(runs, size, order);
    __syncthreads();  // the samples are there
    const typename search::finding found = s.judge(size);
    __syncthreads();  // all threads have read
    s.apply(found);
    __syncthreads();  // all findings are applied
  }
  const int r = static_cast<int>(threadIdx.x);
  if (r < size) cuts[index_t{blockIdx.x} * size + r] = s.cut(r);
}

// parts: what is between two borders, whose cuts these are, of each run. spacing: of its samples. By one thread.
template <class K, class V>
__global__ void cut_runs_kernel(const sorted_run<K, V>* runs, int size, const index_t* cuts, index_t spacing,
                                sorted_run<K, V>* parts) {
  wait_for_previous_kernel();
  index_t samples = 0;
  for (int r = 0; r < size; ++r) {
    const index_t first = cuts[r], items = cuts[size + r] - first;
    parts[r] = {runs[r].keys + first, runs[r].values == nullptr ? nullptr : runs[r].values + first, items, samples};
    samples += divide_up(items, spacing);
  }
  parts[size] = {nullptr, nullptr, 0, samples};
}

}  // namespace onepass::detail
