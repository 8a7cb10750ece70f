// SPDX-License-Identifier: Apache-2.0
// A block counts the items of one task after another, each a part of a row. All lanes of a warp find the bins of their items
// together; where a vote shows that many of them have one bin, it is added to once.
#pragma once

#include "../../../core/cuda/io/grid_vectors.cuh"
#include "../../../core/cuda/runtime/launch.cuh"
#include "../../../core/execution/resolve_policy.hpp"
#include "../../../core/support/none.hpp"
#include "../bin_finder.hpp"
#include "bin_counters.cuh"

namespace onepass::detail {

// Adds items to counters.
template <class Finder, class Counters, class Sum>
class item_counter {
 public:
  __device__ item_counter(const Finder& finder, Counters& counters)
      : finder_(finder), counters_(counters), votes_(counters.wants_votes()) {}

  // Item j counts if bit j of `present` is set. amount(j): what it adds. All lanes of a warp call this.
  template <class T, int N, class Amount>
  __device__ void operator()(const T (&items)[N], unsigned present, Amount amount) {
    unsigned bin[N];
#pragma unroll
    for (int j = 0; j < N; ++j) bin[j] = present >> j & 1 ? finder_(items[j]) : no_bin;
    if (votes_ && is_skewed(bin[0])) {
#pragma unroll
      for (int j = 0; j < N; ++j) add_by_vote(bin[j], static_cast<Sum>(amount(j)));
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (bin[j] != no_bin) counters_.add(bin[j], static_cast<Sum>(amount(j)));
      }
    }
  }

  __device__ void between_rounds() { counters_.between_rounds(); }

 private:
  static constexpr int least_frequent = 6;  // lanes of a warp; not measured
  static constexpr int most_votes = 4;

  // Whether many lanes have the first lane's bin, or the last one that was found frequent. Asked of one item in a row of
  // them, as a vote for each costs as much as counting it.
  __device__ bool is_skewed(unsigned bin) {
    const unsigned first = __shfl_sync(all_lanes, bin, 0);
    if (first != no_bin && __popc(__ballot_sync(all_lanes, bin == first)) >= least_frequent) {
      frequent_ = first;
      return true;
    }
    return frequent_ != no_bin && __popc(__ballot_sync(all_lanes, bin == frequent_)) >= least_frequent;
  }

  __device__ void add_by_vote(unsigned bin, Sum amount) {
    unsigned left = __ballot_sync(all_lanes, bin != no_bin);
    for (int vote = 0; vote < most_votes && left != 0; ++vote) {
      const int leader = __ffs(left) - 1;
      const unsigned voted = __shfl_sync(all_lanes, bin, leader);
      const bool is_voted = bin == voted;
      const unsigned voters = __ballot_sync(all_lanes, is_voted);
      const Sum all = sum_of(is_voted ? amount : Sum{0});
      if (lane_id() == leader) {
        if (__popc(voters) >= least_frequent) counters_.add_frequent(bin, all);
        else counters_.add(bin, all);
      }
      if (is_voted) bin = no_bin;
      left &= ~voters;
    }
    if (bin != no_bin) counters_.add(bin, amount);
  }
  __device__ static Sum sum_of(Sum amount) {
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(Sum) == 4) return __reduce_add_sync(all_lanes, amount);
    else return fold(amount);
#else
    return fold(amount);
#endif
  }
  __device__ static Sum fold(Sum amount) {
#pragma unroll
    for (int delta = 1; delta < warp_size; delta *= 2) amount += shuffle_xor(amount, delta);
    return amount;
  }

  const Finder& finder_;
  Counters& counters_;
  bool votes_;
  unsigned frequent_ = no_bin;
};

struct amount_of_one {
  __device__ unsigned operator()(int) const { return 1; }
};

// Calls take(items, present, amount) for the items of one of `parts` parts of an array, a vector a thread at a time, by all
// threads of a block.
template <class T, class Take>
__device__ void for_each_vector_of_part(const T* items, index_t n, unsigned part, unsigned parts, Take& take) {
  constexpr int per_vector = items_per_vector<T>;
  constexpr unsigned all_present = per_vector == 32 ? ~0u : (1u << per_vector) - 1;
  const vector_part<T> aligned(items, n);
  const auto take_some = [&](index_t first, index_t end) {  // no more than a warp has lanes
    const bool is_there = first + lane_id() < end;
    const T item[1] = {is_there ? items[first + lane_id()] : T()};
    take(item, is_there, amount_of_one());
  };
  if (part == 0 && warp_id() == 0) {
    take_some(0, aligned.head);
    take_some(aligned.tail, n);
  }
  const index_t threads = blockDim.x, step = parts * threads;
  for (index_t block = part * threads; block < aligned.vectors; block += vectors_a_round * step) {
    const index_t mine = block + threadIdx.x;
    const bool is_full = block + (vectors_a_round - 1) * step + threads <= aligned.vectors;  // the same for all threads
    alignas(16) T row[vectors_a_round][per_vector];
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      uint4 vector{};
      if (is_full || mine + j * step < aligned.vectors) vector = aligned.first[mine + j * step];
      memcpy(static_cast<void*>(row[j]), &vector, sizeof vector);
    }
    take.between_rounds();
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      if (is_full) take(row[j], all_present, amount_of_one());
      else take(row[j], mine + j * step < aligned.vectors ? all_present : 0, amount_of_one());
    }
  }
}

// The same for any iterator, some items a thread at a time. `weights`: what items add, or none.
constexpr int items_a_round = 8;
template <class In, class Weights, class Take>
__device__ void for_each_item_of_part(const In& items, const Weights& weights, index_t n, unsigned part, unsigned parts,
                                      Take& take) {
  constexpr bool weighs = !std::is_same_v<Weights, none>;
  using T = value_of<In>;
  const index_t threads = blockDim.x, step = parts * threads;
  for (index_t block = part * threads; block < n; block += items_a_round * step) {
    const index_t mine = block + threadIdx.x;
    T row[items_a_round];
    unsigned present = 0;
    if constexpr (weighs) {
      value_of<Weights> weight[items_a_round];
#pragma unroll
      for (int j = 0; j < items_a_round; ++j) {
        const index_t i = mine + j * step;
        const bool is_there = i < n;
        row[j] = is_there ? static_cast<T>(items[i]) : T();
        weight[j] = is_there ? static_cast<value_of<Weights>>(weights[i]) : value_of<Weights>();
        present |= unsigned{is_there} << j;
      }
      take.between_rounds();
      take(row, present, [&](int j) { return weight[j]; });
    } else {
#pragma unroll
      for (int j = 0; j < items_a_round; ++j) {
        const index_t i = mine + j * step;
        row[j] = i < n ? static_cast<T>(items[i]) : T();
        present |= unsigned{i < n} << j;
      }
      take.between_rounds();
      take(row, present, amount_of_one());
    }
  }
}

// ---- the kernels ----------------------------------------------------------------------------------------------------
template <class In, class Weights, class Finder, class Counters, class Sum, class Count>
struct histogram_job {
  using counters = Counters;
  using sum = Sum;
  static constexpr bool in_vectors = std::is_same_v<Weights, none> && std::is_pointer_v<In> &&
                                     is_vectorizable<value_of<In>, items_per_vector<value_of<In>>>;
  In items;
  Weights weights;
  Finder finder;
  typename Counters::shape shape;
  histogram_result<Sum, Count> result;
  index_t rows, length;  // of a row

  __device__ void count(index_t begin, index_t n, unsigned part, Counters& of) const {
    item_counter<Finder, Counters, Sum> take(finder, of);
    if constexpr (in_vectors) for_each_vector_of_part(items + begin, n, part, result.parts, take);
    else if constexpr (std::is_same_v<Weights, none>)
      for_each_item_of_part(items + begin, weights, n, part, result.parts, take);
    else for_each_item_of_part(items + begin, weights + begin, n, part, result.parts, take);
  }
};

constexpr int most_histogram_threads = 1024;
template <class Job>
__global__ void __launch_bounds__(most_histogram_threads, 1)
    histogram_of_bins_kernel(const __grid_constant__ Job job, item_count size) {
  extern __shared__ __align__(16) unsigned bin_words[];
  wait_for_previous_kernel();
  const index_t n = size.get();
  typename Job::counters counters(bin_words, job.result, job.shape);
  const unsigned parts = job.result.parts;
  for (index_t task = blockIdx.x; task < job.rows * parts; task += gridDim.x) {
    const index_t row = task / parts, begin = row * job.length;
    counters.prepare(row);
    __syncthreads();  // all counters are zero
    job.count(begin, max(index_t{0}, min(job.length, n - begin)), static_cast<unsigned>(task % parts), counters);
    __syncthreads();  // all items are counted
    counters.finish(row, static_cast<unsigned>(task));
    __syncthreads();  // and stored
  }
}

// Adds up the tables of each row's parts. A lane has a word of the tables, a warp some of the parts. Where words are pairs of
// counters, the counts already have what no longer fitted those.
constexpr int sum_threads = 1024;
template <bool are_pairs, class Sum, class Count>
__global__ void __launch_bounds__(sum_threads) sum_tables_kernel(histogram_result<Sum, Count> result, index_t rows) {
  constexpr int warps = sum_threads / warp_size, sums = are_pairs ? 2 : 1;
  __shared__ Sum shared_sums[sums][warps][warp_size];
  wait_for_previous_kernel();
  const index_t words = are_pairs ? divide_up(result.bins, 2u) : result.bins;
  const index_t mine = index_t{blockIdx.x} * warp_size + lane_id(), row = mine / words, word = mine % words;
  Sum sum[2] = {};
  if (row < rows) {
#pragma unroll 8
    for (unsigned p = warp_id(); p < result.parts; p += warps) {
      const Sum pair = __ldcg(result.tables + (row * result.parts + p) * words + word);
      sum[0] += are_pairs ? pair & 0xFFFF : pair;
      if constexpr (are_pairs) sum[1] += pair >> 16;
    }
  }
  for (int s = 0; s < sums; ++s) shared_sums[s][warp_id()][lane_id()] = sum[s];
  __syncthreads();  // all sums are there
  if (warp_id() >= sums || row >= rows) return;
  Sum all = 0;
  for (int w = 0; w < warps; ++w) all += shared_sums[warp_id()][w][lane_id()];
  const index_t bin = word * sums + warp_id();
  if (bin >= result.bins) return;
  Count& count = result.counts[row * result.bins + bin];
  if constexpr (are_pairs) count += static_cast<Count>(all);
  else count = static_cast<Count>(all);
}

}  // namespace onepass::detail
