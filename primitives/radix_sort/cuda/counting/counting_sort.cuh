// SPDX-License-Identifier: Apache-2.0
// Sorting integers of 8 or 16 bits without values. Equal keys cannot be told apart, so the output follows from how
// often each key occurs. Bytes moved: n keys read once and written once.
//
// The steps: count the keys (8 bits: by the histogram of a radix sort; 16 bits: by count_keys_kernel), turn the counts
// into where each key's run starts, fill the output.
#pragma once

#include "../../../../core/execution/scratch_layout.hpp"
#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/cuda/io/warp.cuh"
#include "../../../../core/cuda/io/grid_vectors.cuh"
#include "../../keys/digits.hpp"

namespace onepass::detail {

// ---- keys of 16 bits ------------------------------------------------------------------------------------------------
constexpr int wide_bins = 1 << 16;
constexpr int count_threads = 1024;
constexpr std::size_t count_shared_bytes = wide_bins / 2 * sizeof(unsigned);
// A counter has 16 bits, two to a word, so that all counters of a block fit its shared memory. The thread that brings
// one to half of its range moves that half to global memory before the round ends, and a round adds no more than the
// other half. So no counter overflows.
constexpr unsigned half_counter = 1u << 15;
static_assert(count_threads * vectors_a_round * items_per_vector<std::uint16_t> <= half_counter);

struct wide_counts {
  unsigned long long of[wide_bins];  // later, where the runs start
  unsigned blocks_done;
};

template <class K>
class wide_counter {
 public:
  __device__ wide_counter(unsigned* pairs, wide_counts* all, unsigned flip) : pairs_(pairs), all_(all), flip_(flip) {}

  __device__ void operator()(const K& key) {
    const unsigned bin = to_key_bits(key) ^ flip_, shift = bin % 2 * 16;
    const unsigned before = atomicAdd(pairs_ + bin / 2, 1u << shift);
    if ((before >> shift & (2 * half_counter - 1)) == half_counter - 1) {
      atomicSub(pairs_ + bin / 2, half_counter << shift);
      atomicAdd(&all_->of[bin], static_cast<unsigned long long>(half_counter));
    }
  }

 private:
  unsigned* pairs_;
  wide_counts* all_;
  unsigned flip_;
};

// Turns counts into starts, by one block. A thread adds up consecutive counts.
__device__ inline void wide_counts_to_starts(wide_counts* all) {
  __shared__ unsigned long long total[count_threads / warp_size];
  constexpr int per_thread = wide_bins / count_threads;
  unsigned long long* counts = all->of + threadIdx.x * per_thread;
  unsigned long long mine = 0;
  for (int i = 0; i < per_thread; ++i) mine += __ldcg(counts + i);
  sum add;
  const unsigned long long inclusive = warp_inclusive_scan(mine, add);
  if (lane_id() == warp_size - 1) total[warp_id()] = inclusive;
  __syncthreads();  // totals are written
  unsigned long long before = inclusive - mine;
  for (int w = 0; w < warp_id(); ++w) before += total[w];
  for (int i = 0; i < per_thread; ++i) {
    const unsigned long long count = __ldcg(counts + i);
    counts[i] = before;
    before += count;
  }
}

// Counts all keys, and turns the counts into starts. `all` is zero before.
template <class K>
__global__ void __launch_bounds__(count_threads, 1)
    count_keys_kernel(const K* in, item_count size, unsigned flip, wide_counts* all) {
  extern __shared__ unsigned pairs[];
  for (int i = threadIdx.x; i < wide_bins / 2; i += count_threads) pairs[i] = 0;
  __syncthreads();  // the counters are zero
  for_each_of_grid(in, size.get(), wide_counter<K>(pairs, all, flip), [] {
    __syncthreads(); /* all threads have counted the round before */
  });
  __syncthreads();  // all keys of the block are counted
  for (int i = threadIdx.x; i < wide_bins; i += count_threads) {
    const unsigned count = pairs[i / 2] >> i % 2 * 16 & (2 * half_counter - 1);
    if (count > 0) atomicAdd(&all->of[i], static_cast<unsigned long long>(count));
  }
  if (is_last_block(all->blocks_done, 1, gridDim.x)) wide_counts_to_starts(all);
}

// ---- filling --------------------------------------------------------------------------------------------------------
constexpr int fill_threads = 256;
constexpr int fill_vectors = 4;  // a thread; but one where there are few, so that many blocks share them
constexpr index_t few_fill_vectors = 1 << 18;

// Returns the last of `bins` bins that starts at or before i. It is not below `low`.
__device__ inline int bin_of(const unsigned long long* starts, int low, int bins, unsigned long long i) {
  int high = bins;  // this bin starts behind i, or does not exist
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (starts[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

// Copies the starts to shared memory, if they are few: from global memory, each step of a search would wait for L2.
template <int bins>
__device__ const unsigned long long* near_starts(const unsigned long long* starts) {
  if constexpr (bins <= fill_threads) {
    __shared__ unsigned long long shared_starts[bins];
    if (threadIdx.x < bins) shared_starts[threadIdx.x] = starts[threadIdx.x];
    __syncthreads();  // all starts are there
    return shared_starts;
  } else {
    return starts;
  }
}

// out[i] = the key whose run has index i. A block fills `block_vectors` consecutive vectors of 16 bytes, and searches
// only once for the bins that lie in them.
template <class K>
__global__ void __launch_bounds__(fill_threads)
    fill_runs_kernel(K* out, item_count size, const unsigned long long* starts, unsigned flip, int block_vectors) {
  constexpr int bins = 1 << 8 * sizeof(K), per_vector = items_per_vector<K>;
  starts = near_starts<bins>(starts);
  const index_t n = size.get();
  const vector_part<K> part(out, n);
  const auto key_of = [&](int bin) { return from_key_bits<K>(static_cast<key_bits_t<K>>(bin ^ flip)); };
  const auto fill_one = [&](index_t i) { out[i] = key_of(bin_of(starts, 0, bins, i)); };
  if (blockIdx.x == 0 && threadIdx.x < part.head) fill_one(threadIdx.x);
  if (blockIdx.x == 0 && threadIdx.x < n - part.tail) fill_one(part.tail + threadIdx.x);
  const index_t first_vector = static_cast<index_t>(blockIdx.x) * block_vectors;
  const index_t end_vector = min(first_vector + block_vectors, part.vectors);
  if (first_vector >= end_vector) return;
  const auto index_of = [&](index_t vector) { return part.head + vector * per_vector; };
  const auto end_of = [&](int bin) { return bin + 1 < bins ? starts[bin + 1] : static_cast<unsigned long long>(n); };
  const int low = bin_of(starts, 0, bins, index_of(first_vector));
  const int high = bin_of(starts, low, bins, index_of(end_vector) - 1) + 1;
  for (index_t v = first_vector + threadIdx.x; v < end_vector; v += fill_threads) {
    auto i = static_cast<unsigned long long>(index_of(v));
    int bin = bin_of(starts, low, high, i);
    unsigned long long end = end_of(bin);
    alignas(16) K items[per_vector];
#pragma unroll
    for (int j = 0; j < per_vector; ++j, ++i) {
      if (i >= end) {
        bin = bin_of(starts, bin, high, i);
        end = end_of(bin);
      }
      items[j] = key_of(bin);
    }
    uint4 vector;
    memcpy(&vector, static_cast<const void*>(items), sizeof vector);
    part.first[v] = vector;
  }
}

template <class K>
void launch_count_keys(const char* call, const K* in, item_count size, unsigned flip, wide_counts* all,
                       cudaStream_t stream) {
  const auto kernel = count_keys_kernel<K>;
  const resident_blocks resident(kernel, count_threads, count_shared_bytes);
  check_cuda(call, cudaMemsetAsync(all, 0, sizeof *all, stream));
  kernel_launch::in_order(call, kernel, dim3(resident.on_this_device(call)), count_threads, count_shared_bytes, stream,
                          in, size, flip, all);
}
template <class K>
void launch_fill_runs(const char* call, K* out, item_count size, const unsigned long long* starts, unsigned flip,
                      cudaStream_t stream) {
  const index_t vectors = divide_up(size.most, index_t{items_per_vector<K>});
  const int block_vectors = fill_threads * (vectors <= few_fill_vectors ? 1 : fill_vectors);
  const auto blocks = static_cast<unsigned>(divide_up(vectors, index_t{block_vectors}));
  kernel_launch::in_order(call, fill_runs_kernel<K>, dim3(blocks), fill_threads, 0, stream, out, size, starts, flip,
                          block_vectors);
}

}  // namespace onepass::detail
