// SPDX-License-Identifier: Apache-2.0
// The histogram of a sort: how often each digit occurs at each position, in one read of the keys. From that, the plan:
// where each digit starts in the output, which passes have nothing to move, and how the others rank. Bytes moved: n
// keys read.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "plan.cuh"
#include "digit_counts.cuh"
#include "../msd_first/choose_buckets.cuh"
#include "../msd_first/choose_digits.cuh"

namespace onepass::detail {

// ---- the plan -------------------------------------------------------------------------------------------------------
// Decides from which buffer to which each pass moves the items, if the passes at positions below `lowest` are left out.
// A pass that is skipped becomes a copy where the result would not be in the primary buffer otherwise. Returns whether
// it is in the alternate buffer all the same.
__device__ inline bool chain_passes(pass_plan* position, int positions, int lowest, bool in_place) {
  int moves = 0;
  for (int p = 0; p < lowest; ++p) position[p].action = pass_action::skip;
  for (int p = 0; p < positions; ++p) moves += position[p].action != pass_action::skip;
  const bool needs_copy = in_place ? moves % 2 != 0 : moves == 0;
  for (int p = 0; p < positions && needs_copy; ++p) {
    if (position[p].action != pass_action::skip) continue;
    position[p].action = pass_action::copy;
    ++moves;
    break;
  }
  bool to_alternate = in_place || moves % 2 == 0;
  pass_buffer from = pass_buffer::input;
  for (int p = 0, moved = 0; p < positions; ++p) {
    if (position[p].action == pass_action::skip) continue;
    position[p].from = from;
    position[p].to_alternate = to_alternate;
    position[p].table = moved % 2;
    position[p].is_last = ++moved == moves;
    from = to_alternate ? pass_buffer::alternate : pass_buffer::primary;
    to_alternate = !to_alternate;
  }
  return from == pass_buffer::alternate;
}

// By a warp: plans the pass at one position, and turns the counts of its digits into starts. A lane has eight
// consecutive digits. Lane 0 writes `planned`, and how likely two keys are to have the same digit there.
__device__ inline void plan_pass(split_plan* plan, int position, index_t n, const plan_rules& rules, pass_plan& planned,
                                 float& same_digit) {
  constexpr int mine = digit_values / warp_size;
  unsigned long long* counts = plan->count[position] + lane_id() * mine;
  const bool free_ties = __ldcg(&plan->negative_zeros) == 0;
  unsigned long long count[mine], all = 0, largest = 0;
  float same = 0;
#pragma unroll
  for (int i = 0; i < mine; ++i) count[i] = __ldcg(counts + i);
#pragma unroll
  for (int i = 0; i < mine; ++i) {
    all += count[i];
    const float share = static_cast<float>(count[i]) / static_cast<float>(n);
    same += share * share;
    largest = max(largest, count[i]);
  }
  sum add;
  maximum most;
  unsigned long long before = warp_inclusive_scan(all, add) - all;
  largest = warp_fold(largest, warp_size, most);
#pragma unroll
  for (int i = 0; i < mine; ++i) {
    counts[i] = before;
    before += count[i];
  }
  same = warp_fold(same, warp_size, add);
  if (lane_id() == 0) {
    planned = {};
    planned.action = action_of_pass(largest, static_cast<unsigned long long>(n), free_ties, rules);
    same_digit = same;
  }
}

// Chooses the lowest digit position to sort by: 0, so that all are sorted by.
struct all_positions {
  __device__ int lowest(const pass_plan*, const float*, int) const { return 0; }
};

// By the last block of the histogram, when the counts of all blocks are added up, with a warp for each position.
// is_sorted: the keys are in order already, so no pass moves anything.
template <class Choice = all_positions>
__device__ void make_plan(split_plan* plan, int positions, index_t n, plan_rules rules, bool is_sorted,
                          Choice choice = {}) {
  __shared__ pass_plan planned[max_positions];
  __shared__ float same_digit[max_positions];
  const int position = warp_id();
  if (position < positions) {
    plan_pass(plan, position, n, rules, planned[position], same_digit[position]);
    if (is_sorted && lane_id() == 0) planned[position].action = pass_action::skip;
  }
  __syncthreads();  // all passes are planned
  const int lowest = choice.lowest(planned, same_digit, positions);
  __syncthreads();  // all threads have read what is planned
  if (threadIdx.x == 0) {
    plan->lowest_position = lowest;
    plan->result_in_alternate = chain_passes(planned, positions, lowest, rules.in_place);
  }
  __syncthreads();  // the passes are chained
  if (threadIdx.x < positions) plan->pass[threadIdx.x].plan = planned[threadIdx.x];
}

// ---- the kernel -----------------------------------------------------------------------------------------------------
// Clears the share of one of `threads` threads.
__device__ inline void clear_vectors(void* memory, index_t vectors, index_t thread, index_t threads) {
  for (index_t i = thread; i < vectors; i += threads) static_cast<uint4*>(memory)[i] = uint4{};
}

// What a histogram works with besides the keys. It need not be cleared before, except the counters in `head`.
struct histogram_memory {
  split_plan* plan;
  void* to_clear;  // for the passes to come
  index_t vectors_to_clear;
  control* head;
  void* sample = nullptr;  // of keys, for a sort that may leave out its lowest digit positions
};

// Begins to clear all memory: the first block to come clears the plan, each block its share of what the passes need.
__device__ inline void clear_memory(const histogram_memory& memory, int positions, grid_sync& sync) {
  if (warp_id() == 0) {
    sync.prepare_once(
        [&] { clear_vectors(memory.plan, split_plan::bytes_used(positions) / sizeof(uint4), lane_id(), warp_size); });
  }
  clear_vectors(memory.to_clear, memory.vectors_to_clear, index_t{blockIdx.x} * histogram_threads + threadIdx.x,
                index_t{gridDim.x} * histogram_threads);
}

// Adds what the block has counted to the plan, once that is clear. All threads.
template <class Digits>
__device__ void add_to_plan(const unsigned* words, const position_digits<Digits>& digits, int positions,
                            split_plan* plan, const grid_sync& sync) {
  if (threadIdx.x == 0) sync.wait_until_prepared();
  __syncthreads();  // the block's keys so far are counted, and the plan is zero
  for (int c = threadIdx.x; c < positions * digit_values; c += histogram_threads) {
    const unsigned sum = histogram_columns<Digits::max_positions>::sum(words, c);
    const int position = c / digit_values;
    unsigned long long* counts = plan->count[position];
    if (sum != 0)
      atomicAdd(counts + digits.at[position].unscaled(c % digit_values), static_cast<unsigned long long>(sum));
  }
}

// By the last block. words: its columns, which are not needed any more.
template <class K, class Digits>
__device__ void finish_plan(const histogram_memory& memory, index_t n, const position_digits<Digits>& digits,
                            int positions, const plan_rules& rules, unsigned* words) {
  const bool is_sorted = rules.may_skip && __ldcg(&memory.plan->is_out_of_order) == 0;
  if constexpr (may_be_msd_first<Digits>) {
    if (rules.may_be_msd_first) {
      const auto upper = [&, sample = static_cast<const K*>(memory.sample)](unsigned s, int position) {
        return digits.upper(sample[s], position, positions);
      };
      constexpr unsigned slots = histogram_columns<Digits::max_positions>::words;
      static_assert(!finishes_in_buckets<Digits> || slots >= bucket_count / 2);
      if constexpr (finishes_in_buckets<Digits>)
        return make_plan(memory.plan, positions, n, rules, is_sorted,
                         choose_buckets(n, words, __ldcg(&memory.plan->negative_zeros) != 0, upper));
      else
        return make_plan(memory.plan, positions, n, rules, is_sorted, choose_lowest_position(n, words, slots, upper));
    }
  }
  make_plan(memory.plan, positions, n, rules, is_sorted);
}

template <class In, class Digits>
__global__ void __launch_bounds__(histogram_threads, 1)
    histogram_kernel(const __grid_constant__ In in, item_count size,
                     const __grid_constant__ position_digits<Digits> digits, int positions, histogram_memory memory,
                     plan_rules rules) {
  using columns = histogram_columns<Digits::max_positions>;
  extern __shared__ __align__(16) unsigned words[];
  const auto clear_columns = [&] { clear_vectors(words, columns::words / 4, threadIdx.x, histogram_threads); };
  clear_columns();
  wait_for_previous_kernel();
  const index_t n = size.get();
  grid_sync sync(memory.head);
  clear_memory(memory, positions, sync);
  if constexpr (may_be_msd_first<Digits>) {
    if (rules.may_be_msd_first) take_sample(in, n, static_cast<value_of<In>*>(memory.sample));
  }
  __syncthreads();  // the columns are zero
  digit_counter<In, Digits> counter(digits, positions, words);
  counter.count_all(in, n, [&] {
    add_to_plan(words, digits, positions, memory.plan, sync);
    __syncthreads();  // all columns have been read
    clear_columns();
    __syncthreads();  // and are zero again
  });
  add_to_plan(words, digits, positions, memory.plan, sync);
  if (counter.has_negative_zero()) memory.plan->negative_zeros = 1;
  if (lane_id() == 0 && !counter.is_in_order()) memory.plan->is_out_of_order = 1;
  if (sync.is_last_block(gridDim.x)) finish_plan<value_of<In>>(memory, n, digits, positions, rules, words);
}

template <class In, class Digits>
void launch_histogram(const char* call, In in, item_count size, Digits digits, const histogram_memory& memory,
                      plan_rules rules, cudaStream_t stream) {
  const auto kernel = histogram_kernel<In, Digits>;
  constexpr std::size_t shared = histogram_columns<Digits::max_positions>::words * sizeof(unsigned);
  const resident_blocks resident(kernel, histogram_threads, shared);
  const index_t useful = useful_histogram_blocks(size.most), resident_at_once = resident.on_this_device(call);
  const auto blocks = static_cast<unsigned>(std::min(useful, resident_at_once));
  const auto positions = all_digits(digits, std::make_integer_sequence<int, Digits::max_positions>());
  kernel_launch::dependent(call, resident, kernel, dim3(blocks), histogram_threads, shared, stream, in, size, positions,
                           digits.positions(), memory, rules);
}

}  // namespace onepass::detail
