// SPDX-License-Identifier: Apache-2.0
// How the items of a warp get their ranks: the place in the tile of the warp's next item of the same digit (a counter a
// warp and digit, in shared memory), plus one for each lane below that has the digit too.
//
// by_ballots relies on documented semantics alone: a vote a bit finds the lanes with the same digit, and one of them moves
// the counter on. by_lane_order lets every lane add one to its counter and takes what the addition returns. That additions
// of a warp to one address are served in the order of the lanes is what the hardware does, and is written nowhere; so the
// pass looks at every tile that was ranked this way, and one that is out of order is ranked again by ballots.
//
// Cost on an H200, in cycles a warp and multiprocessor: ballots 18; lane order 3.6, but 32 where all lanes meet, so where
// many items share a digit that one is voted on.
#pragma once

#include "../../../../core/cuda/io/warp.cuh"
#include "../../keys/digits.hpp"

namespace onepass::detail {

__device__ inline unsigned lanes_below() {
  unsigned lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
  return lanes;
}

// The lanes whose digit is this lane's: of each bit the vote, or its complement. The complement is made by a
// multiply-add, ~v = v * -1 - 1, as the units for logic are what this waits for and those for multiplication are idle. -1
// comes from where the compiler does not know it: it would make a logic operation of it.
__device__ inline unsigned lanes_with_digit(unsigned digit, unsigned minus_one) {
  unsigned same = all_lanes;
#pragma unroll
  for (int bit = 0; bit < digit_bits; ++bit) {
    unsigned vote;
    asm volatile(
        "{\n\t.reg .pred one;\n\t.reg .b32 rest;\n\t"
        "and.b32 rest, %1, %2;\n\t"
        "setp.ne.u32 one, rest, 0;\n\t"
        "vote.sync.ballot.b32 %0, one, 0xffffffff;\n\t"
        "@!one mad.lo.u32 %0, %0, %3, %3;\n\t}"
        : "=&r"(vote)
        : "r"(digit), "r"(1u << bit), "r"(minus_one));
    same &= vote;
  }
  return same;
}

// By a block of `warps` warps: what each warp has counted of each digit becomes the rank in the tile of the warp's first item
// of it. Returns, to a thread a digit, where the digit begins. All warps have counted before; contains two barriers.
template <int most_warps>
__device__ unsigned counters_to_ranks(unsigned (&warp_count)[most_warps][digit_values],
                                      unsigned (&warp_total)[digit_values / warp_size], int warps) {
  constexpr int at_once = 8;                            // warps are a multiple of this
  constexpr bool holds_counts = most_warps == at_once;  // else they are read twice
  static_assert(most_warps % at_once == 0);
  const bool has_digit = most_warps * warp_size == digit_values || threadIdx.x < digit_values;
  const int d = static_cast<int>(threadIdx.x);
  unsigned count[at_once], in_tile = 0, inclusive = 0, begin = 0;
  if (has_digit) {
    for (int first = 0; first < warps; first += at_once) {
#pragma unroll
      for (int w = 0; w < at_once; ++w) in_tile += count[w] = warp_count[first + w][d];
    }
    sum add;
    inclusive = warp_inclusive_scan(in_tile, add);
    if (lane_id() == warp_size - 1) warp_total[warp_id()] = inclusive;
  }
  __syncthreads();  // totals are written
  if (has_digit) {
    begin = inclusive - in_tile;
#pragma unroll
    for (int w = 0; w < digit_values / warp_size; ++w) begin += w < warp_id() ? warp_total[w] : 0;
    unsigned rank = begin;
    for (int first = 0; first < warps; first += at_once) {
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        if (!holds_counts) count[w] = warp_count[first + w][d];
      }
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        warp_count[first + w][d] = rank;
        rank += count[w];
      }
    }
  }
  __syncthreads();  // all counters are ranks
  return begin;
}

// What a rank may go by besides the counters.
struct rank_context {
  unsigned hot;        // the digit that most items have
  unsigned minus_one;  // see lanes_with_digit
};

// All lanes call rank(); items that are not `there` get no rank, and are neither counted.
class by_ballots {
 public:
  template <class Digit>
  using digit_of = Digit;
  static constexpr bool is_checked = false;
  static constexpr int batch = 1;  // more would hold registers and overlap nothing

  __device__ by_ballots(unsigned* counters, rank_context context)
      : counters_(counters), minus_one_(context.minus_one) {}

  __device__ void rank(const unsigned (&digit)[1], const bool (&there)[1], unsigned (&rank)[1]) {
    // Missing items vote, as all lanes must, but theirs are the highest lanes: they stand behind the real ones.
    const unsigned d = there[0] ? digit[0] : digit_values - 1u;
    const unsigned same = lanes_with_digit(d, minus_one_), below = __popc(same & lanes_below());
    const int leader = warp_size - 1 - __clz(same);
    unsigned before = 0;
    // A branch an item, and not a select: else the compiler moves all votes to the front, and spills.
    if (lane_id() == leader) before = atomicAdd(counters_ + d, below + 1);
    __syncwarp();  // orders this access before the next item's by other lanes
    rank[0] = __shfl_sync(all_lanes, before, leader) + below;
  }

 private:
  unsigned* counters_;
  unsigned minus_one_;
};

class by_lane_order {
 public:
  template <class Digit>
  using digit_of = typename Digit::without_negative_zero;
  static constexpr bool is_checked = true;
  static constexpr int batch = 8;  // additions in flight at once: an item at a time waits for each

  __device__ by_lane_order(unsigned* counters, rank_context) : counters_(counters) {}

  template <int n>
  __device__ void rank(const unsigned (&digit)[n], const bool (&there)[n], unsigned (&rank)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (there[i]) rank[i] = atomicAdd(counters_ + digit[i], 1u);
    }
  }

 private:
  unsigned* counters_;
};

// Lane order for all digits but the one that most items have, which a vote ranks: its lanes would wait for each other.
class by_lane_order_but_one {
 public:
  template <class Digit>
  using digit_of = typename Digit::without_negative_zero;
  static constexpr bool is_checked = true;
  static constexpr int batch = 8;

  __device__ by_lane_order_but_one(unsigned* counters, rank_context context)
      : counters_(counters), hot_(context.hot), next_hot_(counters[context.hot]) {}

  template <int n>
  __device__ void rank(const unsigned (&digit)[n], const bool (&there)[n], unsigned (&rank)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const bool is_hot = there[i] && digit[i] == hot_;
      const unsigned vote = __ballot_sync(all_lanes, is_hot);
      rank[i] = next_hot_ + __popc(vote & lanes_below());
      next_hot_ += __popc(vote);
      if (there[i] && !is_hot) rank[i] = atomicAdd(counters_ + digit[i], 1u);
    }
  }

 private:
  unsigned* counters_;
  unsigned hot_, next_hot_;  // the rank of the warp's next hot item
};

}  // namespace onepass::detail
