// SPDX-License-Identifier: Apache-2.0
// Sorting integers of 8 bits without values in one launch, by one block that counts how often each key occurs. More keys
// are counted by many blocks (counting/counting_sort.cuh). Bytes moved: n keys read and written once.
//
// The steps: count; turn the counts into where each key's run starts; mark the first item of each run with its key;
// fill the runs. As keys ascend, each item gets the largest mark up to it: a scan with the maximum.
#pragma once

#include "../../../../core/cuda/io/grid_vectors.cuh"
#include "../../../../core/cuda/runtime/launch.cuh"
#include "../onesweep/plan.cuh"
#include "block_scan.cuh"

namespace onepass::detail {

constexpr int block_count_threads = 1024;
constexpr int most_counted_by_block = 1 << 14;
constexpr int marks_a_thread = 8;  // consecutive items that a thread fills in a round

// Shared memory: this, and behind it a mark for each key.
struct alignas(16) block_count_shared {
  unsigned count[digit_values];  // of the keys, in the order of the sort
  unsigned total[block_count_threads / warp_size];
};

template <class K>
class block_counting_sorter {
  static_assert(sizeof(K) == 1);
  struct alignas(marks_a_thread) marks {
    unsigned char of[marks_a_thread];
  };

 public:
  // Makes counts and marks zero.
  __device__ explicit block_counting_sorter(int room)
      : s_(shared_of_block<block_count_shared>()), marks_(reinterpret_cast<marks*>(&s_ + 1)) {
    for (int i = threadIdx.x; i < digit_values; i += blockDim.x) s_.count[i] = 0;
    for (int i = threadIdx.x; i < room / marks_a_thread; i += blockDim.x) marks_[i] = {};
    __syncthreads();  // all is zero
  }

  __device__ void run(const K* in, K* out, int n, unsigned flip) {
    for_each_of_grid(
        in, n, [&](const K& key) { atomicAdd(s_.count + (to_key_bits(key) ^ flip), 1u); }, [] {});
    __syncthreads();  // all keys are counted
    mark_runs();
    __syncthreads();  // all runs are marked
    fill_runs(n);
    __syncthreads();  // all runs are filled
    const auto bit = static_cast<unsigned char>(flip);
#pragma unroll 4
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      out[i] = from_key_bits<K>(static_cast<unsigned char>(mark(i) ^ bit));
  }

 private:
  __device__ void mark_runs() {
    const unsigned count = threadIdx.x < digit_values ? s_.count[threadIdx.x] : 0;
    const unsigned start = block_scan(count, sum(), s_.total).before;
    if (count > 0) mark(start) = static_cast<unsigned char>(threadIdx.x);
  }

  __device__ void fill_runs(int n) {
    const auto threads = static_cast<int>(blockDim.x);
    unsigned before_round = 0;
    for (int round = 0; round < n; round += threads * marks_a_thread) {
      const int first = round + static_cast<int>(threadIdx.x) * marks_a_thread;
      marks mine = {};
      if (first < n) mine = marks_[first / marks_a_thread];
      unsigned largest = 0;
#pragma unroll
      for (int i = 0; i < marks_a_thread; ++i) largest = max(largest, unsigned{mine.of[i]});
      const block_scan_result scanned = block_scan(largest, maximum(), s_.total);
      largest = max(before_round, scanned.before);
#pragma unroll
      for (int i = 0; i < marks_a_thread; ++i) {
        largest = max(largest, unsigned{mine.of[i]});
        mine.of[i] = static_cast<unsigned char>(largest);
      }
      if (first < n) marks_[first / marks_a_thread] = mine;
      before_round = max(before_round, scanned.total);
    }
  }

  __device__ unsigned char& mark(int i) const { return reinterpret_cast<unsigned char*>(marks_)[i]; }

  block_count_shared& s_;
  marks* marks_;
};

template <class K>
__global__ void __launch_bounds__(block_count_threads, 1)
    block_count_kernel(const K* in, K* out, item_count size, unsigned flip, int room) {
  block_counting_sorter<K> sorter(room);
  wait_for_previous_kernel();
  const int n = static_cast<int>(size.get());
  if (n >= 1) sorter.run(in, out, n, flip);
}

// For no more than most_counted_by_block keys. `in` and `out` are the same array, or do not overlap.
template <class K>
void launch_block_count(const char* call, const K* in, K* out, item_count size, unsigned flip, cudaStream_t stream) {
  const auto kernel = block_count_kernel<K>;
  const auto shared_for = [](int room) { return sizeof(block_count_shared) + static_cast<std::size_t>(room); };
  const resident_blocks resident(kernel, block_count_threads, shared_for(most_counted_by_block));
  const int room = round_up(static_cast<int>(size.most), marks_a_thread);
  const int threads = std::clamp(round_up(room / marks_a_thread, warp_size), digit_values, block_count_threads);
  kernel_launch::dependent(call, resident, kernel, dim3(1), threads, shared_for(room), stream, in, out, size, flip,
                           room);
}

}  // namespace onepass::detail
