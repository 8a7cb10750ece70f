// SPDX-License-Identifier: Apache-2.0
// The plan of a pass that each of its blocks makes for itself, where there are few tiles. The sort then takes 1 to 1.5 us
// less than by a plan of the histogram's last block. All blocks make the same plan of the histogram's counts, so that
// none waits for another.
#pragma once

#include "plan.cuh"

namespace onepass::detail {

// By a warp: this pass's plan. Returns whether the result is in the alternate buffer.
template <class Job>
__device__ bool make_own_plan(const Job& job, pass_plan& own) {
  const split_plan& all = *job.plan;
  const int position = lane_id();
  pass_plan mine{};
  if (position < job.positions) {
    const auto count = static_cast<index_t>(__ldcg(&all.count[position][__ldcg(&all.digit_of_one[position])]));
    const bool is_sorted = job.rules.may_skip && __ldcg(&all.is_out_of_order) == 0;
    mine.action = is_sorted ? pass_action::skip
                            : action_of_pass(count == __ldcg(&all.items), __ldcg(&all.negative_zeros) == 0, job.rules);
  }
  const bool in_alternate = chain_passes(mine, job.positions, 0, job.rules.in_place);
  if (position == job.position) own = mine;
  return in_alternate;
}

// Where a digit starts in the output: behind all items with a lower digit. This thread has digit threadIdx.x. First, by
// all lanes of a warp with digits: those with a lower digit of the warp. The next barrier makes items_of_warp known.
template <class Job, class Word>
__device__ Word items_of_lower_lanes(const Job& job, Word (&items_of_warp)[digit_values / warp_size]) {
  const auto items = static_cast<Word>(__ldcg(&job.plan->count[job.position][threadIdx.x]));
  sum add;
  const Word inclusive = warp_inclusive_scan(items, add);
  if (lane_id() == warp_size - 1) items_of_warp[warp_id()] = inclusive;
  return inclusive - items;
}
// Then those with a digit of a lower warp.
template <class Word>
__device__ Word items_of_lower_warps(const Word (&items_of_warp)[digit_values / warp_size]) {
  Word items = 0;
#pragma unroll
  for (int w = 0; w < digit_values / warp_size; ++w) items += w < warp_id() ? items_of_warp[w] : 0;
  return items;
}

}  // namespace onepass::detail
