// SPDX-License-Identifier: Apache-2.0
// The plan of a sort of few keys, for which no block waits. Each block of the histogram stores its counts in a row of
// its own. Each block of a pass adds up the rows at its position, and from that sees where digits start and what the
// pass does; all passes but the first do so while the pass before runs.
//
// make_plan (histogram.cuh) is the other planner. For that one, the blocks of the histogram add up their counts in one
// array, and the passes wait for its plan. This one waits for nothing, which saves 3 us at 2^16 uint32 keys on an H200.
// But many keys have many rows, and each block of a pass reads them all: at 2^19 uint64 keys that costs more than it
// saves. Both decide about a pass by action_of_pass; this one keeps which passes move items as a mask, as each block
// needs only its own pass.
#pragma once

#include "plan.cuh"

namespace onepass::detail {

// By a block of the histogram. count(c) is how many of its keys counter c has counted; `first` is the first key of all.
template <class Digits, class KeyBits, class Count>
__device__ void write_row(const count_rows& rows, const Digits& digits, const KeyBits& first, bool has_negative_zero,
                          Count count) {
  unsigned found = __any_sync(all_lanes, has_negative_zero) ? count_rows::negative_zero : 0;
  for (int c = threadIdx.x; c < rows.positions * digit_values; c += blockDim.x) {
    const int position = c / digit_values;  // the same for the whole warp
    const unsigned counted = count(c), value = digits.at[position].unscaled(c % digit_values);
    rows.of(blockIdx.x, position)[value] = counted;
    if (__any_sync(all_lanes, counted != 0 && value != digits.at[position](first))) found |= 1u << position;
  }
  if (lane_id() == 0 && found != 0) atomicOr(rows.found(blockIdx.x), found);
}

template <class Job>
__device__ unsigned long long* word_of_pass(const Job& job) {
  return reinterpret_cast<unsigned long long*>(job.plan->pass + job.position);
}

// Where the digit of each thread starts, once plan_by_rows() has run.
__device__ inline unsigned& start_by_rows() {
  __shared__ unsigned start[digit_values];
  return start[threadIdx.x];
}

// All rows at a position, added up.
struct row_totals {
  unsigned n;        // items
  unsigned start;    // where this thread's digit starts
  unsigned largest;  // how many items have the most frequent digit, times 256, plus that digit
  unsigned found;    // the flags of all rows
};

// By a block, with a thread for each digit.
__device__ inline row_totals add_up_rows(const count_rows& rows, int position) {
  constexpr int warps = digit_values / warp_size;
  __shared__ unsigned warp_total[warps], warp_largest[warps], warp_found[warps];
  const unsigned* counts = rows.of(0, position) + threadIdx.x;
  const unsigned found_in_row = threadIdx.x < rows.rows ? __ldcg(rows.found(threadIdx.x)) : 0;
  unsigned count = 0;
#pragma unroll 8
  for (unsigned r = 0; r < rows.rows; ++r) count += __ldcg(counts + r * rows.stride());
  sum add;
  maximum most;
  bit_or any;
  const unsigned inclusive = warp_inclusive_scan(count, add);
  const unsigned largest_here = warp_fold(count << digit_bits | threadIdx.x, warp_size, most);
  const unsigned found_here = warp_fold(found_in_row, warp_size, any);
  if (lane_id() == warp_size - 1) {
    warp_total[warp_id()] = inclusive;
    warp_largest[warp_id()] = largest_here;
    warp_found[warp_id()] = found_here;
  }
  __syncthreads();  // the totals of all warps are written
  unsigned n = 0, before = 0, largest = 0, found = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    before += w < warp_id() ? warp_total[w] : 0;
    n += warp_total[w];
    largest = max(largest, warp_largest[w]);
    found |= warp_found[w];
  }
  return {n, before + inclusive - count, largest, found};
}

// By a block, with a thread for each digit: plans this pass as make_plan would.
template <class Job>
__device__ pass_plan plan_by_rows(const Job& job) {
  const count_rows rows = job.counted;
  const row_totals total = add_up_rows(rows, job.position);
  start_by_rows() = total.start;

  // Which passes move their items. If they are odd in number, one that has nothing to move copies.
  const unsigned all = (1u << rows.positions) - 1, differ = total.found & all;
  unsigned moves = differ;
  if (__popc(moves) % 2 != 0 && moves != all) moves |= ~moves & (moves + 1);
  const bool free_ties = (total.found & count_rows::negative_zero) == 0;
  pass_action action = action_of_pass(total.largest >> digit_bits, total.n, free_ties, job.rules);
  if (action == pass_action::skip && (moves >> job.position & 1) != 0) action = pass_action::copy;
  const pass_plan plan = {action, __popc(moves & ((1u << job.position) - 1)) % 2 != 0, moves >> job.position == 1,
                          static_cast<unsigned char>(total.largest)};
  if (blockIdx.x == 0 && threadIdx.x == 0) {  // for the last kernel, and for tests
    atomicOr(word_of_pass(job), ::cuda::std::bit_cast<unsigned long long>(pass_start{0, plan}));
    if (job.position == 0) job.plan->result_in_alternate = __popc(moves) % 2 != 0;
  }
  return plan;
}

}  // namespace onepass::detail
