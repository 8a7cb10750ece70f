// SPDX-License-Identifier: Apache-2.0
// A block counts the items of one task after another, each a part of a row. Lanes that add to one counter wait for each other.
// Where that may happen, a warp looks for frequent bins, and its threads count the items of two of them in registers.
#pragma once

#include "../../../core/cuda/io/grid_vectors.cuh"
#include "../../../core/cuda/runtime/launch.cuh"
#include "../../../core/execution/resolve_policy.hpp"
#include "../../../core/support/none.hpp"
#include "../bin_finder.hpp"
#include "bin_counters.cuh"

namespace onepass::detail {

struct one_each {
  __device__ unsigned operator()(int) const { return 1; }
};

// Adds items to counters. All lanes of a warp call its functions together.
template <class Finder, class Counters, class Sum>
class item_counter {
 public:
  __device__ item_counter(const Finder& finder, Counters& counters) : finder_(finder), counters_(counters) {}

  // Item j counts if bit j of `present` is set. amount(j): what it adds.
  template <class T, int N, class Amount>
  __device__ void operator()(const T (&items)[N], unsigned present, Amount amount) {
    unsigned bin[N];
#pragma unroll
    for (int j = 0; j < N; ++j) bin[j] = present >> j & 1 ? finder_(items[j]) : no_bin;
    constexpr bool may_conflict = Counters::ones_conflict || !std::is_same_v<Amount, one_each>;
    if (may_conflict && counters_.has_conflicts()) {
      look_for_frequent(bin[0]);
      if (bin_[0] != no_frequent) {
#pragma unroll
        for (int j = 0; j < N; ++j) {
          if (bin[j] == bin_[0]) sum_[0] += static_cast<Sum>(amount(j));
          else if (bin[j] == bin_[1]) sum_[1] += static_cast<Sum>(amount(j));
          else if (bin[j] != no_bin) add(bin[j], static_cast<Sum>(amount(j)), std::is_same<Amount, one_each>());
        }
        return;
      }
    }
    add_all(bin, amount);
  }
  // One item a lane.
  template <class T>
  __device__ void one(const T* item, bool is_there) {
    const T items[1] = {is_there ? *item : T()};
    (*this)(items, is_there, one_each());
  }

  __device__ void between_rounds() { counters_.between_rounds(); }
  // When all items are counted.
  __device__ void finish() {
    if (bin_[0] == no_frequent) return;
    flush(0);
    flush(1);
  }

 private:
  static constexpr int least_frequent = 12;  // lanes of a warp
  static constexpr unsigned no_frequent = no_bin - 1;

  __device__ void add(unsigned bin, Sum, std::true_type) {
    if (counters_.add_one(bin) != 0) counters_.carry(bin);
  }
  __device__ void add(unsigned bin, Sum amount, std::false_type) { counters_.add(bin, amount); }

  template <int N, class Amount>
  __device__ void add_all(const unsigned (&bin)[N], Amount amount) {
    if constexpr (std::is_same_v<Amount, one_each>) {
      unsigned carries[N], any = 0;
#pragma unroll
      for (int j = 0; j < N; ++j) carries[j] = counters_.add_one(bin[j]);
#pragma unroll
      for (int j = 0; j < N; ++j) any |= carries[j];
      if (any == 0) return;
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (carries[j] != 0) counters_.carry(bin[j]);
      }
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        if (bin[j] != no_bin) counters_.add(bin[j], static_cast<Sum>(amount(j)));
      }
    }
  }

  // A bin is frequent if many lanes have it at once. Asked of one item in a row of them, and of the first lane's bin. The
  // bin that was frequent before the last one makes room.
  __device__ void look_for_frequent(unsigned bin) {
    const unsigned first = __shfl_sync(all_lanes, bin, 0);
    if (first == bin_[0] || first == bin_[1] || first == no_bin) return;
    if (__popc(__ballot_sync(all_lanes, bin == first)) < least_frequent) return;
    flush(1);
    bin_[1] = bin_[0], sum_[1] = sum_[0];
    bin_[0] = first, sum_[0] = 0;
  }
  __device__ void flush(int i) {
    const Sum all = sum_of(sum_[i]);
    if (lane_id() == 0 && all != 0) counters_.add_many(bin_[i], all);
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
  unsigned bin_[2] = {no_frequent, no_frequent};  // frequent bins, the same for all lanes
  Sum sum_[2] = {};                               // of this thread's items in them
};

// Calls take(items, present, amount) for the items of one of `parts` parts of an array, by all threads of a block, some
// vectors a thread at a time. What is less than a vector is taken one by one.
//
// Over 40 lines because two loops have one body: all rounds but the last are full, and need not ask. 65,536 bins, counted
// in pairs, take 15 % less time by one loop, and 256 bins of bytes 15 % more; why is not known.
template <bool by_one_loop, class T, class Take>
__device__ void for_each_vector_of_part(const T* items, index_t n, unsigned part, unsigned parts, Take& take) {
  constexpr int per_vector = items_per_vector<T>;
  const vector_part<T> aligned(items, n);
  const index_t threads = blockDim.x, step = parts * threads;
  index_t block = part * threads, mine = block + threadIdx.x;
  const auto round = [&](auto is_full) {
    constexpr bool full = decltype(is_full)::value;
    uint4 vector[vectors_a_round];
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      if (full || mine + j * step < aligned.vectors) vector[j] = aligned.first[mine + j * step];
    }
    take.between_rounds();
#pragma unroll
    for (int j = 0; j < vectors_a_round; ++j) {
      const index_t at = mine + j * step, of_warp = at - lane_id();
      if (full || of_warp + warp_size <= aligned.vectors) {
        alignas(16) T row[per_vector];
        memcpy(static_cast<void*>(row), &vector[j], sizeof vector[j]);
        take(row, ~0u, one_each());
      } else if (of_warp < aligned.vectors) {
#pragma unroll 1
        for (int i = 0; i < per_vector; ++i) take.one(items + aligned.head + at * per_vector + i, at < aligned.vectors);
      }
    }
    block += vectors_a_round * step;
    mine += vectors_a_round * step;
  };
  if constexpr (!by_one_loop) {
    while (block + (vectors_a_round - 1) * step + threads <= aligned.vectors) round(std::true_type());
  }
  while (block < aligned.vectors) round(std::false_type());
  take.between_rounds();
  if (part == 0 && warp_id() == 0) {  // what is before the vectors, and behind them: no more than a warp has lanes
    take.one(items + lane_id(), lane_id() < aligned.head);
    take.one(items + aligned.tail + lane_id(), aligned.tail + lane_id() < n);
  }
}

// The same for any iterator, some items a thread at a time. `weights`: what items add, or none.
constexpr int items_a_round = 4;
template <class In, class Weights, class Take>
__device__ void for_each_item_of_part(const In& items, const Weights& weights, index_t n, unsigned part, unsigned parts,
                                      Take& take) {
  using T = value_of<In>;
  const index_t step = index_t{parts} * blockDim.x;
  for (index_t block = index_t{part} * blockDim.x; block < n; block += items_a_round * step) {
    T row[items_a_round];
    unsigned present = 0;
#pragma unroll
    for (int j = 0; j < items_a_round; ++j) {
      const index_t i = block + threadIdx.x + j * step;
      row[j] = i < n ? static_cast<T>(items[i]) : T();
      present |= unsigned{i < n} << j;
    }
    if constexpr (std::is_same_v<Weights, none>) {
      take.between_rounds();
      take(row, present, one_each());
    } else {
      value_of<Weights> weight[items_a_round];
#pragma unroll
      for (int j = 0; j < items_a_round; ++j) {
        const index_t i = block + threadIdx.x + j * step;
        weight[j] = i < n ? static_cast<value_of<Weights>>(weights[i]) : value_of<Weights>();
      }
      take.between_rounds();
      take(row, present, [&](int j) { return weight[j]; });
    }
  }
}

// ---- the kernels ----------------------------------------------------------------------------------------------------
template <class In, class Weights, class Finder, class Counters, class Sum, class Count>
struct histogram_job {
  using counters = Counters;
  using sum = Sum;
  static constexpr bool in_vectors =
      std::is_same_v<Weights, none> && std::is_pointer_v<In> && fills_vectors<value_of<In>>;
  In items;
  Weights weights;
  Finder finder;
  typename Counters::shape shape;
  histogram_result<Sum, Count> result;
  index_t rows, length;  // of a row

  __device__ void count(index_t begin, index_t n, unsigned part, Counters& of) const {
    item_counter<Finder, Counters, Sum> take(finder, of);
    if constexpr (in_vectors)
      for_each_vector_of_part<Counters::by_one_loop>(items + begin, n, part, result.parts, take);
    else if constexpr (std::is_same_v<Weights, none>)
      for_each_item_of_part(items + begin, weights, n, part, result.parts, take);
    else for_each_item_of_part(items + begin, weights + begin, n, part, result.parts, take);
    take.finish();
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
  using total = std::conditional_t<(sizeof(Count) > sizeof(Sum)), Count, Sum>;  // of all parts
  __shared__ total shared_sums[sums][warps][warp_size];
  wait_for_previous_kernel();
  const index_t words = are_pairs ? divide_up(result.bins, 2u) : result.bins;
  const index_t mine = index_t{blockIdx.x} * warp_size + lane_id(), row = mine / words, word = mine % words;
  total sum[2] = {};
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
  total all = 0;
  for (int w = 0; w < warps; ++w) all += shared_sums[warp_id()][w][lane_id()];
  const index_t bin = word * sums + warp_id();
  if (bin >= result.bins) return;
  Count& count = result.counts[row * result.bins + bin];
  if constexpr (are_pairs) count += static_cast<Count>(all);
  else count = static_cast<Count>(all);
}

}  // namespace onepass::detail
