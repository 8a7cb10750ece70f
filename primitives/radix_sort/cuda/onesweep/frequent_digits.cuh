// SPDX-License-Identifier: Apache-2.0
// Tiles of which many items have one of a few digits. Atomics take long for those (warp_rank.cuh): all lanes of a warp add to
// the same counter. So they are ranked by votes, and the others by atomics; or all items by masks of equal digits, where
// the few digits have almost all of them.
#pragma once

#include "warp_rank.cuh"

namespace onepass::detail {

// The digits that so many items of a tile have that atomics are slow for them. In shared memory.
struct frequent_digits {
  static constexpr float least_share = 0.3f, almost_all = 0.94f;
  static constexpr int most = 4;  // three can have that share
  bool has_all;                   // one digit has all items
  int count;                      // no more than three
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
