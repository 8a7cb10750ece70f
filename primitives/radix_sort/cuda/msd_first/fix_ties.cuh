// SPDX-License-Identifier: Apache-2.0
// A sort that has gone by the highest places alone (choose_digits.cuh): most items stand where they belong now. The
// others stand in groups, neighbours that are alike in those places. One read of the keys finds the groups that are out of
// order. One of up to 32 items a thread sorts where it stands. Longer ones, of which there should be few, are sorted as long
// segments are, by all places: the array is divided into stretches, and what begins in one of them is one segment.
#pragma once

#include "../../../../core/execution/scratch_layout.hpp"
#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "../onesweep/range_passes.cuh"

namespace onepass::detail {

// By what groups are told apart and put in order: held keys ascend in their sorted bits, once those of flip are inverted.
template <class Digits>
struct group_order {
  using key_bits = typename Digits::key_bits;
  using digit_of = decltype(std::declval<const Digits>().at(0));
  key_bits sorted, flip;
  int begin_bit;

  group_order(const Digits& digits) : flip(digits.of.flip()), begin_bit(digits.of.begin_bit) {
    const int unused = static_cast<int>(8 * sizeof(key_bits)) - digits.of.end_bit;
    sorted = static_cast<key_bits>(~key_bits{0} << unused >> unused >> begin_bit << begin_bit);
  }
  __device__ bool is_before(key_bits a, key_bits b) const {
    return ((digit_of::canonical(a) ^ flip) & sorted) < ((digit_of::canonical(b) ^ flip) & sorted);
  }
  static __device__ bool are_alike(key_bits a, key_bits b, key_bits upper) {
    return ((digit_of::canonical(a) ^ digit_of::canonical(b)) & upper) == 0;
  }
};

// From the first to the last of the long groups that begin in a stretch: both numbers only grow, and are zero at first.
struct group_range {
  unsigned long long from_end, end;  // how far before the array's end it begins; behind its last item
};
// Each stretch takes memory for a plan, so there are not too many.
constexpr index_t most_stretches = 1024, least_stretch = index_t{1} << 18;
inline index_t stretches_for(index_t n) { return std::min(most_stretches, divide_up(n, least_stretch)); }
__device__ inline index_t stretch_of(index_t i, index_t n) {
  return i / max(divide_up(n, most_stretches), least_stretch);
}

template <class Digits, class Values>
struct group_job {
  group_order<Digits> order;
  typename Digits::key* keys;
  Values values;
  item_count size;
  split_plan* plan;
  group_range* ranges;  // of each stretch
  segment_lists lists;  // of the long segments that are made of them
  control* head;
};

constexpr int group_threads = 256;

// A tile: a bit an item, in words of a row of 32 items. Row 0 stands before the tile and the last one behind it.
template <class Job>
class group_tile {
  using K = std::remove_pointer_t<decltype(Job::keys)>;
  using V = typename decltype(Job::values)::item;
  using key_bits = key_bits_t<K>;
  static constexpr int rows = group_threads, in_flight = 4;
  static constexpr int most = warp_size;  // items of a group that are sorted here

 public:
  static constexpr index_t items = rows * warp_size;
  struct shared {
    unsigned alike[rows + 2];   // the item and the next one are of one group
    unsigned turned[rows + 2];  // and the next one belongs before it
  };

  // upper: the bits that have been sorted by.
  __device__ group_tile(shared& s, const Job& job, index_t n, key_bits upper)
      : s_(s), job_(job), n_(n), upper_(upper) {}

  // All groups that begin in this tile are in order then, or in a range. All threads.
  __device__ void settle(index_t tile) {
    begin_ = tile * items;
    if (tile > 0 && begin_ + items + 2 * warp_size <= n_) compare_all<true>();
    else compare_all<false>();
    __syncthreads();  // all bits are there
    settle_row(static_cast<int>(threadIdx.x) + 1);
    __syncthreads();  // they have been read
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
    const auto exists = [&](int position) { return all_there || (first + position >= 0 && first + position < n_); };
    key_bits of_row[count + 1] = {}, next[count + 1];
#pragma unroll
    for (int r = 0; r < count; ++r) {
      const int position = r * warp_size + lane_id();
      if (exists(position)) of_row[r] = to_key_bits(load_with(keys, position, evict_normal()));
    }
    if (exists(count * warp_size)) of_row[count] = to_key_bits(load_with(keys, count * warp_size, evict_normal()));
#pragma unroll
    for (int r = 0; r <= count; ++r) next[r] = shuffle_from(of_row[r], (lane_id() + 1) % warp_size);
#pragma unroll
    for (int r = 0; r < count; ++r) {
      const int position = r * warp_size + lane_id();
      const key_bits after = lane_id() == warp_size - 1 ? next[r + 1] : next[r];  // of lane 31: the next row's first
      const bool is_alike =
          job_.order.are_alike(of_row[r], after, upper_) && exists(position) && (all_there || exists(position + 1));
      const unsigned alike = __ballot_sync(all_lanes, is_alike);
      const unsigned turned = __ballot_sync(all_lanes, is_alike && job_.order.is_before(after, of_row[r]));
      if (lane_id() == 0) s_.alike[row + r] = alike, s_.turned[row + r] = turned;
    }
  }

  // By one thread: all groups that begin in a row, and a long one that is out of order there.
  __device__ void settle_row(int row) {
    const unsigned alike = s_.alike[row], before = s_.alike[row - 1];
    const index_t first = begin_ + (row - 1) * warp_size;
    // Bits from `from` on have 32 before them in their group, up to the row's first that has no successor there.
    const int from = warp_size - __clz(static_cast<int>(~before)), inclusive = ones(alike);
    const unsigned turned_far = s_.turned[row] & bits_below(inclusive + 1) & ~bits_below(from);
    if (turned_far != 0) hand_on(first + __ffs(static_cast<int>(turned_far)) - 1);
    unsigned starts = alike & ~(alike << 1 | before >> (warp_size - 1));
    starts &= s_.turned[row] | __funnelshift_r(alike, s_.alike[row + 1], 1);  // not two that are in order
    for (; starts != 0; starts &= starts - 1) {
      const int bit = __ffs(static_cast<int>(starts)) - 1;
      const int length = ones(__funnelshift_r(alike, s_.alike[row + 1], bit)) + 1;
      const unsigned turned = __funnelshift_r(s_.turned[row], s_.turned[row + 1], bit) & bits_below(length - 1);
      if (turned == 0) continue;
      if (length > most) hand_on(first + bit);
      else sort(first + bit, length);
    }
  }
  // The long group of an item. Many threads may find it: most see that it is in its range already.
  __device__ void hand_on(index_t i) const {
    const key_bits of_group = bits_at(i);
    const auto is_here = [&](index_t j) { return job_.order.are_alike(bits_at(j), of_group, upper_); };
    const index_t begin = last_such(i, -1, is_here);
    group_range& range = job_.ranges[stretch_of(begin, n_)];
    const auto from_end = static_cast<unsigned long long>(n_ - begin);
    if (__ldcg(&range.from_end) >= from_end && __ldcg(&range.end) > static_cast<unsigned long long>(i)) return;
    atomicMax(&range.from_end, from_end);
    atomicMax(&range.end, static_cast<unsigned long long>(last_such(i, n_, is_here) + 1));
  }
  // The last place of which `is` holds on the way from one where it does to one where it does not, if it changes once.
  template <class Is>
  static __device__ index_t last_such(index_t from, index_t to, Is is) {
    while (from + 1 != to && from - 1 != to) {
      const index_t middle = from + (to - from) / 2;
      (is(middle) ? from : to) = middle;
    }
    return from;
  }
  __device__ key_bits bits_at(index_t i) const { return to_key_bits(load_with(job_.keys, i, evict_normal())); }
  // Of the lowest bits, how many there are before a zero.
  static __device__ int ones(unsigned bits) { return bits == ~0u ? warp_size : __ffs(static_cast<int>(~bits)) - 1; }
  static __device__ unsigned bits_below(int bit) { return bit >= warp_size ? ~0u : (1u << bit) - 1; }

  // By insertion: most groups have two items.
  __device__ void sort(index_t begin, int length) {
    K* const keys = job_.keys + begin;
    for (int i = 1; i < length; ++i) {
      const key_bits key = to_key_bits(keys[i]);
      int to = i;
      while (to > 0 && job_.order.is_before(key, to_key_bits(keys[to - 1]))) --to;
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
  key_bits upper_;
};

// By the last block: the ranges become segments.
__device__ inline void make_segments(const group_range* ranges, const segment_lists& lists, index_t n) {
  for (index_t r = warp_id(); r <= stretch_of(n - 1, n); r += group_threads / warp_size) {
    const auto from_end = static_cast<index_t>(__ldcg(&ranges[r].from_end));
    const auto end = static_cast<index_t>(__ldcg(&ranges[r].end));
    if (end > 0) hand_to_tiles(lists, {n - from_end, end - (n - from_end)});
  }
}

template <class Digits, class Values>
__global__ void __launch_bounds__(group_threads, 6)
    settle_groups_kernel(const __grid_constant__ group_job<Digits, Values> job) {
  wait_for_previous_kernel();
  using job_type = group_job<Digits, Values>;
  using tile_type = group_tile<job_type>;
  using key_bits = typename Digits::key_bits;
  __shared__ typename tile_type::shared s;
  split_plan* const plan = job.plan;
  if (plan->first == 0) return;
  const index_t n = job.size.get();
  const auto upper =
      static_cast<key_bits>(job.order.sorted & ~key_bits{0} << (job.order.begin_bit + plan->first * digit_bits));
  tile_type tile(s, job, n, upper);
  for (index_t t = blockIdx.x; t * tile_type::items < n; t += gridDim.x) tile.settle(t);
  if (grid_sync(job.head).leave(gridDim.x)) make_segments(job.ranges, job.lists, n);
}

// ---- the launches -----------------------------------------------------------------------------------------------------------
// The memory of it is described before. Shape, Word: of the tiles and the tables of long segments.
template <class K, class V, class Shape, class Word>
class group_settler {
 public:
  group_settler(index_t n, int positions, layout& scratch) : stretches_(stretches_for(n)) {
    tiles_ = tiles_of<Shape>(n) + stretches_;
    segments_at_ = scratch.add<item_range>(stretches_);
    plans_at_ = scratch.add<char>(stretches_ * static_cast<index_t>(split_plan::bytes_used(positions)));
    tiles_at_ = scratch.add<segment_tile>(tiles_);
  }
  // Of the tables, which may be those of the passes before.
  index_t rows() const { return tiles_; }
  // Of memory that is zero before each run.
  index_t cleared_bytes() const { return sizeof(segment_counts) + stretches_ * index_t{sizeof(group_range)}; }

  template <class Values>
  void run(const char* call, const bits_digits<K, true>& digits, buffer_route<K> keys, Values values, item_count size,
           split_plan* plan, segment_counts* cleared, Word* tables, const split_memory& memory,
           cudaStream_t stream) const {
    using job_type = group_job<bits_digits<K, true>, Values>;
    const segment_lists lists{cleared,
                              {},
                              section<item_range>(memory.scratch, segments_at_),
                              section<unsigned char>(memory.scratch, plans_at_),
                              section<segment_tile>(memory.scratch, tiles_at_),
                              digits.positions(),
                              Shape::items,
                              {}};
    auto* const ranges = reinterpret_cast<group_range*>(cleared + 1);
    const auto kernel = settle_groups_kernel<bits_digits<K, true>, Values>;
    const resident_blocks resident(kernel, group_threads, 0);
    const index_t tiles = divide_up(size.most, group_tile<job_type>::items);
    const auto grid = static_cast<unsigned>(std::min<index_t>(tiles, resident.on_this_device(call)));
    kernel_launch::dependent(call, resident, kernel, dim3(grid), group_threads, 0, stream,
                             job_type{digits, keys.primary, values, size, plan, ranges, lists, memory.head});
    const segmented_job<K, V> job{digits, keys, values.primary, size, lists, ~0u};
    launch_segment_histogram(call, tiles_, job, tables, plan_rules{true}, dependency::wait_then_trigger, stream);
    launch_segment_passes<none, Shape>(call, tiles_, job, values, tables, 1, stream);
  }

 private:
  index_t stretches_, tiles_;  // at most
  std::size_t segments_at_, plans_at_, tiles_at_;
};

}  // namespace onepass::detail
