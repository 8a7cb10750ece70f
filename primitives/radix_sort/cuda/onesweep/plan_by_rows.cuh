// SPDX-License-Identifier: Apache-2.0
// The plan of a sort of few keys, for which nobody waits: each block of the histogram leaves its counts in a row of its own,
// and each block of a pass adds up the rows for its place, and sees where digits start and what the pass does. Passes but
// the first do so while the one before them runs.
#pragma once

#include "plan.cuh"

namespace onepass::detail {

// By a block of the histogram; count(c): how many of its keys counter c has counted. `first`: of all keys.
template <class Digits, class KeyBits, class Count>
__device__ void leave_row(const count_rows& rows, const Digits& digits, const KeyBits& first, bool has_negative_zero,
                          Count count) {
  unsigned found = __any_sync(all_lanes, has_negative_zero) ? count_rows::negative_zero : 0;
  for (int c = threadIdx.x; c < rows.positions * digit_values; c += blockDim.x) {
    const int position = c / digit_values;  // the warp's
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

// Where the digit of each thread starts, from plan_by_rows() on.
__device__ inline unsigned& start_by_rows() {
  __shared__ unsigned start[digit_values];
  return start[threadIdx.x];
}

// By a block, a thread a digit: the plan as make_plan would have it, for the place of this pass.
template <class Job>
__device__ pass_plan plan_by_rows(const Job& job) {
  constexpr int warps = digit_values / warp_size;
  __shared__ unsigned warp_total[warps], warp_largest[warps], warp_found[warps];
  const count_rows rows = job.counted;
  const unsigned* counts = rows.of(0, job.position) + threadIdx.x;
  const unsigned found_in_row = threadIdx.x < rows.rows ? __ldcg(rows.found(threadIdx.x)) : 0;
  unsigned count = 0;
#pragma unroll 8
  for (unsigned r = 0; r < rows.rows; ++r) count += __ldcg(counts + r * rows.stride());
  sum add;
  maximum most;
  bit_or any;
  const unsigned inclusive = warp_inclusive_scan(count, add);
  const unsigned largest_here = warp_fold(count << digit_bits | threadIdx.x, warp_size, most);  // and which digit it is
  const unsigned found_here = warp_fold(found_in_row, warp_size, any);
  if (lane_id() == warp_size - 1) {
    warp_total[warp_id()] = inclusive;
    warp_largest[warp_id()] = largest_here;
    warp_found[warp_id()] = found_here;
  }
  __syncthreads();  // what warps have found is written
  unsigned n = 0, before = 0, largest = 0, found = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    before += w < warp_id() ? warp_total[w] : 0;
    n += warp_total[w];
    largest = max(largest, warp_largest[w]);
    found |= warp_found[w];
  }
  start_by_rows() = before + inclusive - count;

  // Which places move their items. If they are odd in number, one that would not copies.
  const unsigned all = (1u << rows.positions) - 1, differ = found & all;
  unsigned moves = differ;
  if (__popc(moves) % 2 != 0 && moves != all) moves |= ~moves & (moves + 1);
  pass_action way = action_of_pass(largest >> digit_bits, n, (found & count_rows::negative_zero) == 0, job.rules);
  if (way == pass_action::skip && (moves >> job.position & 1) != 0) way = pass_action::copy;
  const pass_plan plan = {way, __popc(moves & ((1u << job.position) - 1)) % 2 != 0, moves >> job.position == 1,
                          static_cast<unsigned char>(largest)};
  if (blockIdx.x == 0 && threadIdx.x == 0) {  // for the last kernel, and who looks at it afterwards
    atomicOr(word_of_pass(job), ::cuda::std::bit_cast<unsigned long long>(pass_start{0, plan}));
    if (job.position == 0) job.plan->result_in_alternate = __popc(moves) % 2 != 0;
  }
  return plan;
}

}  // namespace onepass::detail
