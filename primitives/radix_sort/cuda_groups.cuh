// SPDX-License-Identifier: Apache-2.0
// A sort that has gone by the highest places alone (cuda_highest_places.cuh): most items stand where they belong now. The
// others stand in groups, neighbours that are alike in those places. One read of the keys finds the groups that are out of
// order, each of which a thread sorts where it stands. One of more than 32 items is not sorted so: all places are sorted by
// then, after all.
#pragma once

#include "cuda_long_segments.cuh"

namespace onepass::detail {

// By what groups are told apart and put in order: held keys ascend in their sorted bits, once those of flip are inverted.
template <class Digits>
struct group_order {
  using held = typename Digits::held;
  using digit_of = decltype(std::declval<const Digits>().at(0));
  held sorted, flip;
  int begin_bit;

  explicit group_order(const Digits& digits) : flip(digits.of.flip()), begin_bit(digits.of.begin_bit) {
    const int unused = static_cast<int>(8 * sizeof(held)) - digits.of.end_bit;
    sorted = static_cast<held>(~held{0} << unused >> unused >> begin_bit << begin_bit);
  }
  __device__ bool is_before(held a, held b) const {
    return ((digit_of::met(a) ^ flip) & sorted) < ((digit_of::met(b) ^ flip) & sorted);
  }
  static __device__ bool are_alike(held a, held b, held upper) {
    return ((digit_of::met(a) ^ digit_of::met(b)) & upper) == 0;
  }
};

template <class Digits, class Values>
struct group_job {
  group_order<Digits> order;
  typename Digits::key* keys;
  Values values;
  item_count size;
  split_plan* plan;
  segment_lists lists;  // of the one segment that all items are, if all places have to be sorted by
};

constexpr int group_threads = 256;

// A tile: a bit an item, in words of a row of 32 items. Row 0 stands before the tile and the last one behind it.
template <class Job>
class group_tile {
  using K = std::remove_pointer_t<decltype(Job::keys)>;
  using V = typename decltype(Job::values)::item;
  using held = held_bits<K>;
  static constexpr int rows = group_threads, in_flight = 4;
  static constexpr int most = warp_size;  // items of a group that are sorted here

 public:
  static constexpr int items = rows * warp_size;
  struct shared {
    unsigned alike[rows + 2];   // the item and the next one are of one group
    unsigned turned[rows + 2];  // and the next one belongs before it
    bool gives_up;              // false at first
  };

  // upper: the bits that have been sorted by.
  __device__ group_tile(shared& s, const Job& job, index_t n, held upper) : s_(s), job_(job), n_(n), upper_(upper) {}

  // Whether all groups that begin in this tile are in order now. All threads.
  __device__ bool settle(index_t tile) {
    begin_ = tile * items;
    if (tile > 0 && begin_ + items + 2 * warp_size <= n_) compare_all<true>();
    else compare_all<false>();
    __syncthreads();  // all bits are there
    if (!settle_row(static_cast<int>(threadIdx.x) + 1)) s_.gives_up = true;
    __syncthreads();  // all groups have been sorted, or one cannot be
    return !s_.gives_up;
  }

 private:
  template <bool all_there>
  __device__ __forceinline__ void compare_all() {
    for (int row = warp_id() * in_flight; row < rows; row += group_threads / warp_size * in_flight) {
      compare<in_flight, all_there>(row + 1);
    }
    if (warp_id() < 2) compare<1, all_there>(warp_id() * (rows + 1));
  }
  // Each item with the next one. Other blocks move items at this tile's edges meanwhile, within their group; so what tells
  // groups apart stays, in each half of a wide key, and it is for those blocks to see whether such groups are in order.
  template <int count, bool all_there>
  __device__ __forceinline__ void compare(int row) {
    const index_t first = begin_ + (row - 1) * warp_size;
    const K* const keys = job_.keys + first;
    const auto exists = [&](int place) { return all_there || (first + place >= 0 && first + place < n_); };
    held of_row[count + 1] = {}, next[count + 1];
#pragma unroll
    for (int r = 0; r < count; ++r) {
      const int place = r * warp_size + lane_id();
      if (exists(place)) of_row[r] = hold_key(load_with(keys, place, stays_as_usual()));
    }
    if (exists(count * warp_size)) of_row[count] = hold_key(load_with(keys, count * warp_size, stays_as_usual()));
#pragma unroll
    for (int r = 0; r <= count; ++r) next[r] = shuffle_from(of_row[r], (lane_id() + 1) % warp_size);
#pragma unroll
    for (int r = 0; r < count; ++r) {
      const int place = r * warp_size + lane_id();
      const held after = lane_id() == warp_size - 1 ? next[r + 1] : next[r];  // of lane 31: the next row's first
      const bool is_alike =
          job_.order.are_alike(of_row[r], after, upper_) && exists(place) && (all_there || exists(place + 1));
      const unsigned alike = __ballot_sync(all_lanes, is_alike);
      const unsigned turned = __ballot_sync(all_lanes, is_alike && job_.order.is_before(after, of_row[r]));
      if (lane_id() == 0) s_.alike[row + r] = alike, s_.turned[row + r] = turned;
    }
  }

  // By one thread: all groups that begin in a row.
  __device__ bool settle_row(int row) {
    const unsigned alike = s_.alike[row], before = s_.alike[row - 1];
    // An item that belongs before one with 32 before that in its group. Bits from `from` on have 32 before them, up to the
    // row's first that has no successor in its group.
    const int from = warp_size - __clz(static_cast<int>(~before)), upto = ones(alike);
    if ((s_.turned[row] & bits_below(upto + 1) & ~bits_below(from)) != 0) return false;
    unsigned starts = alike & ~(alike << 1 | before >> (warp_size - 1));
    starts &= s_.turned[row] | __funnelshift_r(alike, s_.alike[row + 1], 1);  // not two that are in order
    for (; starts != 0; starts &= starts - 1) {
      const int bit = __ffs(static_cast<int>(starts)) - 1;
      const int length = ones(__funnelshift_r(alike, s_.alike[row + 1], bit)) + 1;
      const unsigned turned = __funnelshift_r(s_.turned[row], s_.turned[row + 1], bit) & bits_below(length - 1);
      if (turned == 0) continue;
      if (length > most) return false;
      sort(begin_ + (row - 1) * warp_size + bit, length);
    }
    return true;
  }
  // Of the lowest bits, how many there are before a zero.
  static __device__ int ones(unsigned bits) { return bits == ~0u ? warp_size : __ffs(static_cast<int>(~bits)) - 1; }
  static __device__ unsigned bits_below(int bit) { return bit >= warp_size ? ~0u : (1u << bit) - 1; }

  // By insertion: most groups have two items.
  __device__ void sort(index_t begin, int length) {
    K* const keys = job_.keys + begin;
    for (int i = 1; i < length; ++i) {
      const held key = hold_key(keys[i]);
      int to = i;
      while (to > 0 && job_.order.is_before(key, hold_key(keys[to - 1]))) --to;
      if (to == i) continue;
      insert(keys, i, to);
      if constexpr (stored_size<V> != 0) insert(job_.values.primary + begin, i, to);
    }
  }
  template <class T>
  static __device__ void insert(T* items, int from, int to) {
    const T item = items[from];
    for (int i = from; i > to; --i) items[i] = items[i - 1];
    items[to] = item;
  }

  shared& s_;
  const Job& job_;
  index_t n_, begin_ = 0;
  held upper_;
};

// By the first block that gives up: all places are to be sorted by, of one segment that is everything.
__device__ inline void sort_by_all_places(split_plan* plan, const segment_lists& lists, index_t n) {
  const unsigned tiles = lists.tiles_of(n);
  for (unsigned t = threadIdx.x; t < tiles; t += group_threads) lists.tiles[t] = {0, n, 0, t};
  if (static_cast<int>(threadIdx.x) < lists.places) plan->pass[threadIdx.x] = {0, plan->by_all[threadIdx.x]};
  if (threadIdx.x == 0) lists.counts->tiles = tiles;
}

template <class Digits, class Values>
__global__ void __launch_bounds__(group_threads, 6)
    settle_groups_kernel(const __grid_constant__ group_job<Digits, Values> job) {
  join_previous_kernel();
  using job_type = group_job<Digits, Values>;
  using tile_type = group_tile<job_type>;
  using held = typename Digits::held;
  __shared__ typename tile_type::shared s;
  __shared__ bool is_first;
  split_plan* const plan = job.plan;
  if (plan->first == 0) return;
  if (threadIdx.x == 0) s.gives_up = false;
  const index_t n = job.size.get();
  const auto upper = static_cast<held>(job.order.sorted & ~held{0} << (job.order.begin_bit + plan->first * digit_bits));
  tile_type tile(s, job, n, upper);
  for (index_t t = blockIdx.x; t * tile_type::items < n; t += gridDim.x) {
    if (tile.settle(t)) continue;
    if (threadIdx.x == 0) is_first = atomicExch(&plan->gives_up, 1u) == 0;
    __syncthreads();  // is_first is written
    if (is_first) sort_by_all_places(plan, job.lists, n);
    return;
  }
}

// ---- the launches -----------------------------------------------------------------------------------------------------------
template <class Word>
struct group_memory {
  split_plan* plan;
  segment_counts* counts;  // zero
  segment_tile* tiles;
  Word* tables;  // of the passes; the first one is zero
  unsigned rows;
};

// Puts groups in order, and then sorts by all places if one cannot be.
template <class Shape, class Word, class Digits, class Values>
void launch_groups(const char* call, const Digits& digits, buffer_route<typename Digits::key> keys, Values values,
                   item_count size, const group_memory<Word>& memory, int window, cudaStream_t stream) {
  const segment_lists lists{
      memory.counts,   {},           nullptr, reinterpret_cast<unsigned char*>(memory.plan), memory.tiles,
      digits.places(), Shape::items, {}};
  const auto kernel = settle_groups_kernel<Digits, Values>;
  static resident_blocks resident(kernel, group_threads, 0);
  const index_t tiles = divide_up(size.most, index_t{group_threads} * warp_size);
  const auto grid = static_cast<unsigned>(std::min<index_t>(tiles, resident.on_this_device(call)));
  launch_dependent(
      call, resident, kernel, dim3(grid), group_threads, 0, stream,
      group_job<Digits, Values>{group_order<Digits>(digits), keys.primary, values, size, memory.plan, lists});
  using split = split_job<decltype(digits.at(0)), decltype(keys), Values, Word>;
  const split all{digits.at(0),
                  0,
                  keys,
                  values,
                  size,
                  nullptr,
                  {memory.tables, memory.tables + index_t{memory.rows} * digit_values},
                  0,
                  false,
                  window,
                  ~0u};
  launch_segment_passes<never, Shape>(call, memory.rows, all, digits, lists, stream);
}

}  // namespace onepass::detail
