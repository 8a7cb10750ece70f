// SPDX-License-Identifier: Apache-2.0
// How the items of a warp get their ranks in the tile. Each warp has a counter for each digit, in shared memory: the
// rank of its next item of that digit. An item's rank is this, plus one for each lower lane that has the same digit.
//
// Ballot ranking relies on documented semantics alone: one vote for each bit finds the lanes with the same digit, and
// one of them adds to the counter for all. In atomic ranking, every lane adds one to its digit's counter and takes what
// the addition returns. That is stable if the additions of a warp to one address are served in the order of the lanes.
// The hardware does so, but no document promises it; so the pass checks every tile that was ranked by atomics, and
// ranks one that is out of order again by ballots.
//
// Cost on an H200, in cycles a warp and multiprocessor: ballots 18, atomics 3.6; but 32 where all lanes add to one
// counter. So where many items of a tile share a few digits, those are ranked by votes, and the others by atomics; or all
// by masks of equal digits, where these are almost all.
#pragma once

#include "../../../../core/cuda/io/warp.cuh"
#include "../../keys/digits.hpp"

namespace onepass::detail {

// The lanes that have the same digit as this lane: the lanes that agree with it in each bit's vote. Where this lane's
// bit is 0, that is the complement of the vote. It is made by a multiply-add, ~v = v * -1 - 1, as the logic units limit
// this function while the multipliers are idle. The caller passes -1, as the compiler would make a logic operation of a
// constant.
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

// Turns each warp's count of each digit into the rank in the tile of the warp's first item of that digit. Returns to
// thread d where digit d begins in the tile. By a block of `warps` warps, which have all counted before; contains two
// barriers.
constexpr int warps_at_once = 8;  // the number of a block's warps is a multiple of this
template <int most_warps>
__device__ unsigned counters_to_ranks(unsigned (&warp_count)[most_warps][digit_values],
                                      unsigned (&warp_total)[digit_values / warp_size], int warps) {
  constexpr int at_once = warps_at_once;
  constexpr bool keeps_counts = most_warps == at_once;  // else they are read twice
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
        if (!keeps_counts) count[w] = warp_count[first + w][d];
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

// The digits that so many items of a tile have that atomics are slow for them. In shared memory.
struct frequent_digits {
  static constexpr float least_share = 0.3f, almost_all = 0.94f;
  static constexpr int most = 4;  // three can have that share
  bool has_all;                   // one digit has all items
  int count;                      // may be more than `most`
  unsigned digit[most], items;    // that have one of these digits

  __device__ void clear() { has_all = false, count = 0, items = 0; }
  __device__ void add_if_frequent(unsigned d, unsigned count_of_d, unsigned of) {
    if (static_cast<float>(count_of_d) <= least_share * static_cast<float>(of)) return;
    const int i = atomicAdd(&count, 1);
    if (i < most) digit[i] = d;
    atomicAdd(&items, count_of_d);
    if (count_of_d == of) has_all = true;
  }
  __device__ bool have_almost_all(unsigned of) const {
    return static_cast<float>(items) >= almost_all * static_cast<float>(of);
  }
};

// How many of a thread's items are ranked at once: a divisor of their number.
template <class Ranking, int per_thread>
constexpr int batch_of = [] {
  int batch = Ranking::most_in_batch;
  while (per_thread % batch != 0) --batch;
  return batch;
}();

// Ranks by votes. All lanes call rank(); items that are not `there` get no rank, and are not counted.
class ballot_ranking {
 public:
  template <class Digit>
  using digit_of = Digit;
  static constexpr bool is_checked = false;
  static constexpr int most_in_batch = 1;  // more would take registers and overlap nothing

  // minus_one: see lanes_with_digit.
  __device__ ballot_ranking(unsigned* counters, unsigned minus_one) : counters_(counters), minus_one_(minus_one) {}

  __device__ void rank(const unsigned (&digit)[1], const bool (&there)[1], unsigned (&rank)[1]) {
    // Missing items vote, as all lanes must. They are in the highest lanes, so they come behind the real ones.
    const unsigned d = there[0] ? digit[0] : digit_values - 1u;
    const unsigned same = lanes_with_digit(d, minus_one_), below = __popc(same & lanes_below());
    const int leader = warp_size - 1 - __clz(same);
    unsigned before = 0;
    // A branch for each item, not a select: else the compiler moves all votes to the front, and spills.
    if (lane_id() == leader) before = atomicAdd(counters_ + d, below + 1);
    __syncwarp();  // this addition comes before those that other lanes do for the next item
    rank[0] = __shfl_sync(all_lanes, before, leader) + below;
  }

 private:
  unsigned* counters_;
  unsigned minus_one_;
};

// Ranks by one atomic addition an item.
class atomic_ranking {
 public:
  template <class Digit>
  using digit_of = typename Digit::without_negative_zero;
  static constexpr bool is_checked = true;
  static constexpr int most_in_batch = 8;  // additions in flight at once; with one at a time, each would be waited for

  __device__ atomic_ranking(unsigned* counters, unsigned) : counters_(counters) {}

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

// Ranks by the mask of the lanes with the same digit, for tiles of few digits: the more a warp has, the longer it takes to
// make the mask.
class match_ranking {
 public:
  static constexpr int most_in_batch = 8;

  __device__ explicit match_ranking(unsigned* counters) : counters_(counters) {}

  template <int n>
  __device__ void rank(const unsigned (&digit)[n], const bool (&there)[n], unsigned (&rank)[n]) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const unsigned same = __match_any_sync(all_lanes, there[i] ? digit[i] : digit_values);
      const unsigned before = there[i] ? counters_[digit[i]] : 0;
      rank[i] = before + __popc(same & lanes_below());
      __syncwarp();  // all lanes have read the counters
      if (there[i] && same >> lane_id() == 1) counters_[digit[i]] = before + __popc(same);
      __syncwarp();  // they are written
    }
  }

 private:
  unsigned* counters_;
};

// Ranks frequent digits by votes, as their lanes would wait for each other, and the others by another ranking.
template <class Ranking>
class ranking_with_votes {
 public:
  static constexpr int most_in_batch = 8;

  __device__ ranking_with_votes(unsigned* counters, const Ranking& others, const frequent_digits& frequent)
      : counters_(counters), others_(others), frequent_(frequent), votes_(min(frequent.count, frequent_digits::most)) {}

  template <int n>
  __device__ void rank(const unsigned (&digit)[n], const bool (&there)[n], unsigned (&rank)[n]) {
    bool is_left[n];
#pragma unroll
    for (int i = 0; i < n; ++i) is_left[i] = there[i];
#pragma unroll 1
    for (int v = 0; v < votes_; ++v) {
      const unsigned d = frequent_.digit[v];
      unsigned next = counters_[d];
#pragma unroll
      for (int i = 0; i < n; ++i) {
        const bool has_it = is_left[i] && digit[i] == d;
        const unsigned vote = __ballot_sync(all_lanes, has_it);
        if (has_it) rank[i] = next + __popc(vote & lanes_below());
        is_left[i] = is_left[i] && !has_it;
        next += __popc(vote);
      }
      __syncwarp();  // all lanes have read the counter
      if (lane_id() == 0) counters_[d] = next;
    }
    __syncwarp();  // the counters are written
    others_.rank(digit, is_left, rank);
  }

 private:
  unsigned* counters_;
  Ranking others_;
  const frequent_digits& frequent_;
  int votes_;
};

}  // namespace onepass::detail
