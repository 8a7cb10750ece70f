// SPDX-License-Identifier: Apache-2.0
// The histogram of a sort: how often each digit occurs at each position, in one read of the keys. From that, the plan:
// where each digit starts in the output, which passes have nothing to move, and how the others rank. Where tiles are
// few, the passes make it themselves (few_tiles.cuh). Bytes moved: n keys read.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "plan.cuh"
#include "digit_counts.cuh"
#include "../msd_first/choose_buckets.cuh"
#include "../msd_first/choose_digits.cuh"

namespace onepass::detail {

// ---- the plan -------------------------------------------------------------------------------------------------------
// 32 digits of one position, which a warp has.
struct digits_of_warp {
  unsigned long long count;
  float same_digit;  // how likely two keys are to have the same one of them
  bool has_all;      // one of them has all items
};

// By a block of `threads` threads, of which each has a digit at some positions: plans each pass, and turns the counts of
// its digits into starts. Few steps depend on one another, as a short sort waits for each.
template <int threads, int most_positions>
__device__ void plan_passes(split_plan* plan, int positions, index_t n, const plan_rules& rules, bool is_sorted,
                            planned_pass (&planned)[most_positions]) {
  constexpr int at_once = threads / digit_values, rounds = divide_up(most_positions, at_once);
  constexpr int warps = digit_values / warp_size;  // that have a position's digits
  __shared__ digits_of_warp of_warp[most_positions][warps];
  const int digit = static_cast<int>(threadIdx.x) % digit_values, warp = warp_id() % warps;
  const auto position_of = [&](int round) { return round * at_once + static_cast<int>(threadIdx.x) / digit_values; };
  const bool free_ties = __ldcg(&plan->negative_zeros) == 0;
  unsigned long long count[rounds], inclusive[rounds];
  sum add;
#pragma unroll
  for (int r = 0; r < rounds; ++r)
    count[r] = position_of(r) < positions ? __ldcg(&plan->count[position_of(r)][digit]) : 0;
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    if (position_of(r) >= positions) break;
    const float share = static_cast<float>(count[r]) / static_cast<float>(n);
    inclusive[r] = warp_inclusive_scan(count[r], add);
    const float same_digit = warp_fold(share * share, warp_size, add);
    const bool has_all = __any_sync(all_lanes, static_cast<index_t>(count[r]) == n);
    if (lane_id() == warp_size - 1) of_warp[position_of(r)][warp] = {inclusive[r], same_digit, has_all};
  }
  __syncthreads();  // each warp's digits are known
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    if (position_of(r) >= positions) break;
    digits_of_warp before{}, all{};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const digits_of_warp& those = of_warp[position_of(r)][w];
      if (w < warp) before.count += those.count;
      all.same_digit += those.same_digit;
      all.has_all |= those.has_all;
    }
    plan->count[position_of(r)][digit] = before.count + inclusive[r] - count[r];
    const pass_action action = is_sorted ? pass_action::skip : action_of_pass(all.has_all, free_ties, rules);
    if (digit == 0) planned[position_of(r)] = {{action}, all.same_digit};
  }
}

// Chooses the lowest digit position to sort by: 0, so that all are sorted by.
struct all_positions {
  __device__ int operator()(const planned_pass*, int) const { return 0; }
};

// By a block of `threads` threads that runs alone, when all counts are added up. is_sorted: the keys are in order
// already, so no pass moves anything.
template <int threads, int most_positions, class Choose = all_positions>
__device__ void make_plan(split_plan* plan, int positions, index_t n, plan_rules rules, bool is_sorted,
                          Choose choose = {}) {
  __shared__ planned_pass planned[most_positions];
  plan_passes<threads>(plan, positions, n, rules, is_sorted, planned);
  __syncthreads();  // all passes are planned
  const int lowest = choose(planned, positions);
  if (warp_id() != 0) return;
  pass_plan mine = lane_id() < positions ? planned[lane_id()].plan : pass_plan{};
  const int moves_behind = lowest != 0 && rules.may_leave == left_open::many_ties ? 1 : 0;
  const bool in_alternate = chain_passes(mine, positions, lowest, moves_behind, rules.in_place);
  if (lane_id() < positions) plan->pass[lane_id()].plan = mine;
  if (lane_id() == 0) {
    plan->lowest_position = lowest;
    plan->result_in_alternate = in_alternate;
  }
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
template <int threads>
__device__ void clear_memory(const histogram_memory& memory, int positions, grid_sync& sync) {
  if (warp_id() == 0) {
    sync.prepare_once(
        [&] { clear_vectors(memory.plan, split_plan::bytes_used(positions) / sizeof(uint4), lane_id(), warp_size); });
  }
  clear_vectors(memory.to_clear, memory.vectors_to_clear, index_t{blockIdx.x} * threads + threadIdx.x,
                index_t{gridDim.x} * threads);
}

// Adds what the block has counted to the plan, once that is clear. All threads.
template <int threads, class Digits>
__device__ void add_to_plan(const unsigned* words, const position_digits<Digits>& digits, int positions,
                            split_plan* plan, const grid_sync& sync) {
  if (threadIdx.x == 0) sync.wait_until_prepared();
  __syncthreads();  // the block's keys so far are counted, and the plan is zero
  for (int c = threadIdx.x; c < positions * digit_values; c += threads) {
    const unsigned long long sum = histogram_columns<Digits::max_positions, threads>::sum(words, c);
    const int position = c / digit_values;
    const unsigned digit = static_cast<unsigned>(c % digit_values) >> left_of_digit<Digits>(digits.at[0], position);
    if (sum != 0) atomicAdd(plan->count[position] + digits.at[position].unscaled(digit), sum);
  }
}

// What the passes need beside the counts to make the plan: how many keys there are, and the digits of one of them. By
// the first block, once the plan is clear.
template <class In, class Digits>
__device__ void add_one_key(split_plan* plan, const In& in, index_t n, const position_digits<Digits>& digits,
                            int positions) {
  const int position = static_cast<int>(threadIdx.x);
  if (blockIdx.x != 0 || position >= positions || n == 0) return;
  auto digit = digits.at[position];
  const value_of<In> key = in[0];
  plan->digit_of_one[position] = static_cast<unsigned char>(digit(digit.to_bits(key)));
  if (position == 0) plan->items = n;
}

// By the last block. words: its columns, which are not needed any more.
template <int threads, class K, class Digits>
__device__ void finish_plan(const histogram_memory& memory, index_t n, const position_digits<Digits>& digits,
                            int positions, const plan_rules& rules, unsigned* words) {
  const bool is_sorted = rules.may_skip && __ldcg(&memory.plan->is_out_of_order) == 0;
  const auto lowest = [&]([[maybe_unused]] const planned_pass* planned, [[maybe_unused]] int count) {
    if constexpr (may_be_msd_first<Digits> && threads == histogram_threads) {
      if (rules.may_leave == left_open::nothing) return 0;
      const auto upper = [&, sample = static_cast<const K*>(memory.sample)](unsigned s, int position) {
        return digits.upper(sample[s], position, positions);
      };
      constexpr unsigned slots = histogram_columns<Digits::max_positions, threads>::words;
      if constexpr (finishes_in_buckets<Digits>) {
        static_assert(slots >= 1u << (most_bucket_bits - 1));
        const bool has_negative_zero = __ldcg(&memory.plan->negative_zeros) != 0;
        if (rules.may_leave == left_open::buckets)
          return choose_buckets(n, rules.buckets, words, has_negative_zero, upper).lowest(planned, count);
        const choose_all_but_lowest by_ties{n, __ldcg(&memory.plan->tied_pairs), gridDim.x, block_sample<K>::size,
                                            has_negative_zero};
        return by_ties.lowest(planned, count);
      } else {
        const unsigned sampled = sample_size(n, 0);
        const sampled_ties ties(sampled, words, slots, upper);
        return choose_lowest_position(n, sampled, ties).lowest(planned, count);
      }
    }
    return 0;
  };
  make_plan<threads, Digits::max_positions>(memory.plan, positions, n, rules, is_sorted, lowest);
}

// The samples of a sort that may leave out its lowest positions: one, or one a block.
template <int threads, class K, class Digits>
using sample_of_block =
    std::conditional_t<may_be_msd_first<Digits> && finishes_in_buckets<Digits> && threads == histogram_threads,
                       block_sample<K>, none>;
template <class K, class OfBlock>
__device__ void begin_samples(const K* in, index_t n, const plan_rules& rules, K* sample, OfBlock& of_block) {
  if constexpr (!std::is_same_v<OfBlock, none>) {
    if (rules.may_leave == left_open::many_ties) return of_block.begin(in, n);
  }
  if (rules.may_leave != left_open::nothing) take_sample(in, n, rules.buckets.bits, sample);
}

template <int threads, class In, class Digits>
__global__ void __launch_bounds__(threads, 1)
    histogram_kernel(const __grid_constant__ In in, item_count size,
                     const __grid_constant__ position_digits<Digits> digits, int positions, histogram_memory memory,
                     plan_rules rules) {
  using columns = histogram_columns<Digits::max_positions, threads>;
  extern __shared__ __align__(16) unsigned words[];
  const auto clear_columns = [&] { clear_vectors(words, columns::words / 4, threadIdx.x, threads); };
  clear_columns();
  __syncthreads();  // the columns are zero
  wait_for_previous_kernel();
  const index_t n = size.get();
  grid_sync sync(memory.head);
  clear_memory<threads>(memory, positions, sync);
  __shared__ sample_of_block<threads, value_of<In>, Digits> own_sample;
  if constexpr (may_be_msd_first<Digits> && threads == histogram_threads)
    begin_samples(in, n, rules, static_cast<value_of<In>*>(memory.sample), own_sample);
  digit_counter<In, Digits, threads> counter(digits, positions, words);
  counter.count_all(in, n, [&] {
    add_to_plan<threads>(words, digits, positions, memory.plan, sync);
    __syncthreads();  // all columns have been read
    clear_columns();
    __syncthreads();  // and are zero again
  });
  add_to_plan<threads>(words, digits, positions, memory.plan, sync);
  if (counter.has_negative_zero()) memory.plan->negative_zeros = 1;
  if (lane_id() == 0 && !counter.is_in_order()) memory.plan->is_out_of_order = 1;
  if (rules.has_few_tiles) {
    add_one_key(memory.plan, in, n, digits, positions);
    if (threadIdx.x == 0) sync.leave(gridDim.x);
    return;
  }
  if constexpr (!std::is_same_v<decltype(own_sample), none>) {
    if (rules.may_leave == left_open::many_ties) own_sample.add_ties_to(memory.plan, digits, positions, words);
  }
  if (sync.is_last_block(gridDim.x)) finish_plan<threads, value_of<In>>(memory, n, digits, positions, rules, words);
}

template <int threads, class In, class Digits>
void launch_histogram_by(const char* call, In in, item_count size, Digits digits, const histogram_memory& memory,
                         plan_rules rules, cudaStream_t stream) {
  const auto kernel = histogram_kernel<threads, In, Digits>;
  constexpr std::size_t shared = histogram_columns<Digits::max_positions, threads>::words * sizeof(unsigned);
  const resident_blocks resident(kernel, threads, shared);
  const index_t useful = divide_up(size.most, index_t{threads} * least_keys_a_thread);
  const auto blocks = static_cast<unsigned>(std::min(useful, index_t{resident.on_this_device(call)}));
  const auto positions = detail::all_digits(digits, std::make_integer_sequence<int, Digits::max_positions>());
  kernel_launch::dependent(call, resident, kernel, dim3(blocks), threads, shared, stream, in, size, positions,
                           digits.positions(), memory, rules);
}
template <class In, class Digits>
void launch_histogram(const char* call, In in, item_count size, Digits digits, const histogram_memory& memory,
                      plan_rules rules, cudaStream_t stream) {
  const bool is_short = size.most <= most_in_short_histogram && rules.may_leave == left_open::nothing;
  if (is_short || !fits_usual_blocks<Digits>(call))
    launch_histogram_by<short_histogram_threads>(call, in, size, digits, memory, rules, stream);
  else launch_histogram_by<histogram_threads>(call, in, size, digits, memory, rules, stream);
}

}  // namespace onepass::detail
