// SPDX-License-Identifier: Apache-2.0
// How often each digit occurs, for all digits of a key in one read; and from that where each digit starts in the output,
// and which passes move nothing. Reads n keys (twice if a key has more than four digits).
//
// A column of counters for each lane: counter d of lane l stands at d * 32 + l, so it is in bank l and a warp's lanes never
// meet, whatever the keys are.
#pragma once

#include "../../core/cuda/launch.cuh"
#include "../../core/cuda/vector_access.cuh"
#include "../../core/cuda/warp.cuh"
#include "digits.hpp"

namespace onepass::detail {

constexpr int most_places = 8;
constexpr int places_at_once = 4;  // 4 x 256 x 32 counters are 128 KB
constexpr int histogram_threads = 1024;

// What the host does not know: it never waits. Cleared before, written by the histogram's last block.
struct split_plan {
  unsigned long long count[most_places][digit_values];  // of each digit; then where it starts in the output
  unsigned ticket[most_places];                         // where a pass draws its tiles
  bool skipped[most_places];                            // one digit has all items: the pass would move nothing
  bool from_alternate[most_places];                     // where the pass finds its input
  bool result_in_alternate;
  unsigned blocks_done;
};

template <class In, class Digits>
__global__ void __launch_bounds__(histogram_threads, 1)
    histogram_kernel(const __grid_constant__ In in, index_t n, const __grid_constant__ Digits digits,
                     split_plan* plan) {
  extern __shared__ unsigned columns[];
  __shared__ bool is_last;
  const int first_place = static_cast<int>(blockIdx.y) * places_at_once;
  const int places = min(digits.places() - first_place, places_at_once);
  const int counters = places * digit_values;
  for (int i = threadIdx.x; i < counters * warp_size; i += histogram_threads) columns[i] = 0;
  __syncthreads();  // the columns are zero

  using key = value_of<In>;
  constexpr int vector = items_per_vector<key>;
  decltype(digits.at(0)) digit[places_at_once] = {digits.at(first_place), digits.at(first_place + 1),
                                                  digits.at(first_place + 2), digits.at(first_place + 3)};
  const auto count = [&](const key& k) {
#pragma unroll
    for (int p = 0; p < places_at_once; ++p) {
      if (p < places)
        atomicAdd(&columns[(p * digit_values + static_cast<int>(digit[p](k))) * warp_size + lane_id()], 1u);
    }
  };
  const index_t step = static_cast<index_t>(gridDim.x) * histogram_threads * vector;
  for (index_t i = (static_cast<index_t>(blockIdx.x) * histogram_threads + threadIdx.x) * vector; i < n; i += step) {
    if (i + vector <= n) {
      key k[vector];
      load_row(in, i, k);
#pragma unroll
      for (int j = 0; j < vector; ++j) count(k[j]);
    } else {
      for (index_t j = i; j < n; ++j) count(in[j]);
    }
  }
  __syncthreads();  // all keys of the block are counted
  for (int c = threadIdx.x; c < counters; c += histogram_threads) {
    unsigned sum = 0;
    for (int l = 0; l < warp_size; ++l)
      sum += columns[c * warp_size + (l + lane_id()) % warp_size];  // rotated: no bank twice
    if (sum > 0)
      atomicAdd(&plan->count[first_place + c / digit_values][c % digit_values], static_cast<unsigned long long>(sum));
  }
  __threadfence();  // a thread's sums are out before the block says that it is done ...
  __syncthreads();  // ... which it does when all threads are here
  if (threadIdx.x == 0) is_last = atomicAdd(&plan->blocks_done, 1u) == gridDim.x * gridDim.y - 1;
  __syncthreads();  // is_last is written
  if (is_last) make_plan(plan, digits.places(), n);
}

// By the last block of the histogram: a warp a place turns counts into starts.
__device__ inline void make_plan(split_plan* plan, int places, index_t n) {
  __threadfence();  // pairs with the one above: the sums of all blocks are there
  const int place = warp_id();
  if (place < places) {
    auto* count = plan->count[place];
    unsigned long long before = 0;
    bool all_in_one = false;
    for (int d = lane_id(); d < digit_values; d += warp_size) {
      const unsigned long long c = __ldcg(count + d);
      all_in_one |= c == static_cast<unsigned long long>(n);
      sum add;
      const unsigned long long upto = warp_inclusive_scan(c, add);
      count[d] = before + upto - c;
      before += shuffle_from(upto, warp_size - 1);
    }
    all_in_one = __any_sync(all_lanes, all_in_one);
    if (lane_id() == 0) plan->skipped[place] = all_in_one;
  }
  __syncthreads();  // all places know whether they are skipped
  if (threadIdx.x == 0) {
    bool in_alternate = false;
    for (int p = 0; p < places; ++p) {
      plan->from_alternate[p] = in_alternate;
      if (!plan->skipped[p]) in_alternate = !in_alternate;
    }
    plan->result_in_alternate = in_alternate;
  }
}

template <class In, class Digits>
void launch_histogram(const char* call, In in, index_t n, Digits digits, split_plan* plan, cudaStream_t stream) {
  const auto kernel = histogram_kernel<In, Digits>;
  constexpr std::size_t shared = std::size_t{places_at_once} * digit_values * warp_size * sizeof(unsigned);
  static resident_blocks resident(kernel, histogram_threads, shared);
  const index_t useful = divide_up(n, index_t{histogram_threads} * 16);
  const auto blocks = static_cast<unsigned>(std::min<index_t>(useful, resident.on_this_device(call)));
  const int groups = divide_up(digits.places(), places_at_once);
  launch_kernel(call, kernel, dim3(blocks, static_cast<unsigned>(groups)), histogram_threads, shared, stream, in, n,
                digits, plan);
}

}  // namespace onepass::detail
