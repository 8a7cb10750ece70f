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
// counter. So where many items of a tile share a few digits, these are ranked otherwise (frequent_digits.cuh).
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

// What a thread has of `n` digits that follow each other.
template <int n>
struct alignas(n * sizeof(unsigned)) thread_digits {
  unsigned of[n];
  __device__ void operator+=(const thread_digits& other) {
#pragma unroll
    for (int d = 0; d < n; ++d) of[d] += other.of[d];
  }
  // Makes of counts where each digit begins, if the first one begins at `begin`. Returns where the last one ends.
  __device__ unsigned scan_from(unsigned begin) {
#pragma unroll
    for (int d = 0; d < n; ++d) {
      const unsigned count = of[d];
      of[d] = begin;
      begin += count;
    }
    return begin;
  }
};

// Turns each warp's count of each digit into the rank in the tile of the warp's first item of that digit. A thread does so
// for one digit, or for several in a block of fewer threads. Returns to a thread where its first digit begins in the tile.
// By a block of `warps` warps, which have all counted before; contains two barriers.
constexpr int warps_at_once = digit_values / warp_size;  // a block has a multiple of so many warps, or fewer
template <int most_warps>
__device__ unsigned counters_to_ranks(unsigned (&warp_count)[most_warps][digit_values],
                                      unsigned (&warp_total)[digit_values / warp_size], int warps) {
  constexpr int at_once = most_warps < warps_at_once ? most_warps : warps_at_once;
  constexpr bool keeps_counts = most_warps == at_once;  // else they are read twice
  static_assert(most_warps % at_once == 0 && warps_at_once % at_once == 0);
  using numbers = thread_digits<warps_at_once / at_once>;
  const auto mine = [&](int w) -> numbers& { return reinterpret_cast<numbers*>(warp_count[w])[threadIdx.x]; };
  const bool has_digits = keeps_counts || threadIdx.x < digit_values;
  numbers count[at_once], rank{};
  unsigned begin = 0;
  if (has_digits) {
    for (int first = 0; first < warps; first += at_once) {
#pragma unroll
      for (int w = 0; w < at_once; ++w) rank += count[w] = mine(first + w);
    }
    sum add;
    const unsigned of_thread = numbers(rank).scan_from(0);
    begin = warp_inclusive_scan(of_thread, add) - of_thread;
    if (lane_id() == warp_size - 1) warp_total[warp_id()] = begin + of_thread;
  }
  __syncthreads();  // totals are written
  if (has_digits) {
#pragma unroll
    for (int w = 0; w < at_once; ++w) begin += w < warp_id() ? warp_total[w] : 0;
    rank.scan_from(begin);
    for (int first = 0; first < warps; first += at_once) {
#pragma unroll
      for (int w = 0; w < at_once; ++w) count[w] = keeps_counts ? count[w] : mine(first + w);
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        mine(first + w) = rank;
        rank += count[w];
      }
    }
  }
  __syncthreads();  // all counters are ranks
  return begin;
}

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

// The same for tiles whose atomics were not served in order, as no known hardware has them. So they get little code: loops
// over a thread's items are not unrolled, and the items are not kept.
struct rare_ballot_ranking : ballot_ranking {
  using ballot_ranking::ballot_ranking;
};
template <class Ranking, int per_thread>
constexpr int unrolled = std::is_same_v<Ranking, rare_ballot_ranking> ? 1 : per_thread;

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

}  // namespace onepass::detail
