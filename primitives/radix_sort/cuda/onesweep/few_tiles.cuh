// SPDX-License-Identifier: Apache-2.0
// Sorts of so few items that a tile a multiprocessor takes them all. Each block of a pass makes the plan for itself, which
// takes 1 to 1.5 us less than a plan of the histogram's last block. All make the same plan of the histogram's counts, so that
// none waits for another.
//
// Tiles that begin together would wait for each other in a look-back, one window of descriptors after another. So each adds
// up the counts of all tiles before it, which takes two to four visits to L2 on 132 multiprocessors. That is much to read, so
// two digits share a word.
#pragma once

#include "plan.cuh"

namespace onepass::detail {

constexpr int digit_pairs = digit_values / 2;

// How n items are divided into few tiles: of as few threads as are enough for all, so that all multiprocessors have one.
template <class Tuning>
class few_tiles {
  using shape = typename Tuning::few;
  static constexpr int least_threads = digit_values, thread_step = digit_pairs;
  static_assert(shape::threads == 2 * least_threads);
  static_assert(shape::items < 1 << 15, "a published count has 15 bits");

 public:
  // may_leave: a sort of more items may leave digits open, and is faster then than by tiles of all threads.
  few_tiles(const char* call, index_t n, bool may_leave)
      : n_(n),
        multiprocessors_(multiprocessors(call)),
        most_shared_(most_shared_memory(call)),
        has_room_(Tuning::template shared_of<typename Tuning::few> <= most_shared_),
        most_items_(std::min(items_of(shape::threads - (may_leave ? thread_step : 0)), Tuning::most_in_few)) {}

  index_t most_items() const { return most_items_; }
  bool are_enough() const { return has_room_ && n_ <= most_items_; }
  int threads() const {
    for (int threads = least_threads;; threads += thread_step)
      if (n_ <= items_of(threads)) return threads;
  }
  // How many tiles a sort of n items or fewer may have.
  index_t most_tiles() const {
    return has_room_ ? std::min(divide_up(n_, index_t{least_threads} * shape::per_thread), multiprocessors_) : 0;
  }
  // So much shared memory that no multiprocessor takes two tiles and leaves another one idle.
  std::size_t shared(std::size_t needed) const { return std::max(needed, most_shared_ / 2 + 1024); }

 private:
  index_t items_of(int threads) const { return multiprocessors_ * threads * shape::per_thread; }

  index_t n_, multiprocessors_;
  std::size_t most_shared_;
  bool has_room_;
  index_t most_items_;
};

// ---- the plan -------------------------------------------------------------------------------------------------------
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
  const bool in_alternate = chain_passes(mine, job.positions, 0, 0, job.rules.in_place);
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

// ---- the tiles before -----------------------------------------------------------------------------------------------
// A word has the counts of digits 2 c and 2 c + 1 in its lower and upper half. The highest bit of each half says that the
// tile has published them.
constexpr unsigned published_pair = 0x80008000u;

// By the warps with digits; this thread's tile has `count` items of digit threadIdx.x.
inline __device__ void publish_pair(std::uint32_t* table, unsigned tile, unsigned count) {
  const unsigned of_next = __shfl_down_sync(all_lanes, count, 1);
  if (threadIdx.x % 2 != 0) return;
  std::uint32_t* const word = table + index_t{tile} * digit_values + threadIdx.x / 2;
  detail::store_relaxed(word, count | of_next << 16 | published_pair);
}

// Adds up this thread's counts of some of `tiles` tiles: of the last but `first` and each `step` before it. So tiles do not
// all read the same counts at the same time.
template <int at_once>
__device__ void add_counts(const std::uint32_t* column, unsigned first, unsigned step, unsigned tiles, unsigned& low,
                           unsigned& high) {
  for (; first < tiles; first += step * at_once) {
    std::uint32_t word[at_once];
    for (spin_guard guard;; guard.wait()) {
      bool all_published = true;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const unsigned back = first + i * step;
        const std::uint32_t* const at = column + (index_t{tiles} - 1 - back) * digit_values;
        word[i] = back < tiles ? detail::load_relaxed(at) : published_pair;
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) all_published &= word[i] != 0;
      if (all_published) break;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) low += word[i] & 0x7FFF, high += word[i] >> 16 & 0x7FFF;
  }
}

// By all threads of a block: adds to offset[d] how many items of digit d the tiles before this one have. Each thread has a
// pair of digits and some of the tiles.
inline __device__ void add_counts_before(const std::uint32_t* table, unsigned tile,
                                         std::uint32_t (&offset)[digit_values]) {
  const unsigned readers = blockDim.x / digit_pairs, first = threadIdx.x / digit_pairs,
                 pair = threadIdx.x % digit_pairs;
  unsigned low = 0, high = 0;
  if (tile <= 4 * readers) add_counts<4>(table + pair, first, readers, tile, low, high);
  else add_counts<17>(table + pair, first, readers, tile, low, high);
  atomicAdd(&offset[2 * pair], low);
  atomicAdd(&offset[2 * pair + 1], high);
}

}  // namespace onepass::detail
