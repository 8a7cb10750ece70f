// SPDX-License-Identifier: Apache-2.0
// How often each digit occurs, for all digits of a key in one read; and from that the plan: where each digit starts in the
// output, which passes move nothing, and how the others rank. Reads n keys.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "plan_by_rows.cuh"
#include "digit_counts.cuh"
#include "../msd_first/choose_digits.cuh"

namespace onepass::detail {

// Where each place finds its input, if those below `first` move nothing. Returns whether the last one's output is in the
// alternate buffer.
__device__ inline bool chain_passes(pass_plan* position, int positions, int first) {
  bool is_odd = false;
  for (int p = 0; p < first; ++p) position[p].way = pass_action::skip;
  for (int p = 0; p < positions; ++p) is_odd ^= position[p].way != pass_action::skip;
  bool in_alternate = false;
  pass_plan* last = nullptr;
  for (int p = 0; p < positions; ++p) {
    position[p].from_alternate = in_alternate;
    if (position[p].way == pass_action::skip) {
      if (!is_odd) continue;
      position[p].way = pass_action::copy;
      is_odd = false;
    }
    in_alternate = !in_alternate;
    last = position + p;
  }
  if (last != nullptr) last->is_last = true;
  return in_alternate;
}

struct from_lowest_position {
  __device__ int first(const pass_plan*, const float*, int) const { return 0; }
};

// By the last block of the histogram, when the sums of all blocks are there: a warp a place turns counts into starts, a
// lane eight digits in a row.
template <class Highest = from_lowest_position>
__device__ void make_plan(split_plan* plan, int positions, index_t n, plan_rules rules, Highest highest = {}) {
  __shared__ pass_plan made[max_positions];
  __shared__ float alike[max_positions];  // how likely two keys are to have the same digit
  constexpr int mine = digit_values / warp_size;
  const int position = warp_id();
  if (position < positions) {
    unsigned long long* counts = plan->count[position] + lane_id() * mine;
    const bool free_ties = __ldcg(&plan->negative_zeros) == 0;
    unsigned long long count[mine], all = 0, largest = 0;
    float same = 0;
    unsigned hot = 0;
#pragma unroll
    for (int i = 0; i < mine; ++i) count[i] = __ldcg(counts + i);
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      all += count[i];
      const float share = static_cast<float>(count[i]) / static_cast<float>(n);
      same += share * share;
      if (count[i] > largest) largest = count[i], hot = static_cast<unsigned>(lane_id() * mine + i);
    }
    sum add;
    maximum most;
    unsigned long long before = warp_inclusive_scan(all, add) - all;
    const unsigned long long mine_largest = largest;
    largest = warp_fold(largest, warp_size, most);
    hot = shuffle_from(hot, __ffs(static_cast<int>(__ballot_sync(all_lanes, mine_largest == largest))) - 1);
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      counts[i] = before;
      before += count[i];
    }
    same = warp_fold(same, warp_size, add);
    if (lane_id() == 0) {
      made[position] = {action_of_pass(largest, static_cast<unsigned long long>(n), free_ties, rules), false, false,
                        static_cast<unsigned char>(hot)};
      alike[position] = same;
    }
  }
  __syncthreads();  // all places know their way
  const int first = highest.first(made, alike, positions);
  __syncthreads();  // all have seen them
  if (threadIdx.x == 0) {
    plan->first = first;
    plan->result_in_alternate = chain_passes(made, positions, first);
  }
  __syncthreads();  // and the rest
  if (threadIdx.x < positions) plan->pass[threadIdx.x].plan = made[threadIdx.x];
}

// By one thread of `threads`.
__device__ inline void clear_vectors(void* memory, index_t vectors, index_t thread, index_t threads) {
  for (index_t i = thread; i < vectors; i += threads) static_cast<uint4*>(memory)[i] = uint4{};
}

// What a histogram works with besides the keys. Nothing of it is cleared before, but for head's counters.
struct histogram_memory {
  split_plan* plan;
  void* to_clear;  // for the passes to come
  index_t vectors_to_clear;
  control* head;
  count_rows counted = {};  // if there are rows, the blocks do not meet, and the plan is left to the passes
  void* sample = nullptr;   // of keys, if places may be left out
};

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
  split_plan* const plan = memory.plan;
  const bool by_rows = memory.counted.counts != nullptr;
  grid_sync sync(memory.head);
  if (warp_id() == 0 && by_rows) {
    if (lane_id() == 0) *memory.counted.found(blockIdx.x) = 0;
    if (blockIdx.x == 0) clear_vectors(plan, split_plan::bytes_used(0) / sizeof(uint4), lane_id(), warp_size);
  } else if (warp_id() == 0) {
    sync.prepare_once(
        [&] { clear_vectors(plan, split_plan::bytes_used(positions) / sizeof(uint4), lane_id(), warp_size); });
  }
  clear_vectors(memory.to_clear, memory.vectors_to_clear, index_t{blockIdx.x} * histogram_threads + threadIdx.x,
                index_t{gridDim.x} * histogram_threads);
  if constexpr (may_leave_out<Digits>) {
    if (rules.may_leave_out) take_sample(in, n, static_cast<value_of<In>*>(memory.sample));
  }
  __syncthreads();  // the columns are zero, and what has been found
  const auto add_up = [&] {
    if (threadIdx.x == 0) sync.wait_until_prepared();
    __syncthreads();  // all has been counted so far, and the plan is zero
    for (int c = threadIdx.x; c < positions * digit_values; c += histogram_threads) {
      const unsigned sum = columns::sum(words, c);
      const int position = c / digit_values;
      unsigned long long* counts = plan->count[position];
      if (sum != 0)
        atomicAdd(counts + digits.at[position].unscaled(c % digit_values), static_cast<unsigned long long>(sum));
    }
  };
  digit_counter<In, Digits> counter(digits, positions, words);
  counter.count_all(in, n, [&] {
    add_up();
    __syncthreads();  // all columns have been read
    clear_columns();
    __syncthreads();  // and are zero again
  });
  if constexpr (Digits::max_positions > 1) {
    if (by_rows) {
      __syncthreads();  // all has been counted
      return leave_row(memory.counted, digits, digits.at[0].to_bits(in[0]), counter.has_negative_zero(),
                       [&](int c) { return columns::sum(words, c); });
    }
  }
  add_up();
  if (counter.has_negative_zero()) plan->negative_zeros = 1;
  if (!sync.is_last_block(gridDim.x)) return;
  if constexpr (may_leave_out<Digits>) {
    if (rules.may_leave_out) {
      const auto upper = [&, sample = static_cast<const value_of<In>*>(memory.sample)](unsigned s, int position) {
        return digits.upper(sample[s], position, positions);
      };
      return make_plan(plan, positions, n, rules, choose_first_position(n, words, columns::words, upper));
    }
  }
  make_plan(plan, positions, n, rules);
}

template <class In, class Digits>
void launch_histogram(const char* call, In in, item_count size, Digits digits, const histogram_memory& memory,
                      plan_rules rules, cudaStream_t stream) {
  const auto kernel = histogram_kernel<In, Digits>;
  constexpr std::size_t shared = histogram_columns<Digits::max_positions>::words * sizeof(unsigned);
  const resident_blocks resident(kernel, histogram_threads, shared);
  const index_t useful = useful_histogram_blocks(size.most), resident_at_once = resident.on_this_device(call);
  const auto blocks = memory.counted.counts != nullptr ? memory.counted.rows
                                                       : static_cast<unsigned>(std::min(useful, resident_at_once));
  const auto positions = all_digits(digits, std::make_integer_sequence<int, Digits::max_positions>());
  kernel_launch::dependent(call, resident, kernel, dim3(blocks), histogram_threads, shared, stream, in, size, positions,
                           digits.positions(), memory, rules);
}

}  // namespace onepass::detail
