// SPDX-License-Identifier: Apache-2.0
// The fix-up of ties, after a sort by the upper digits alone (choose_digits.cuh). Most items stand where they belong
// then. The others are in ties: neighbouring items whose keys are equal in the bits that have been sorted by. One read
// of the keys finds the ties that are out of order. Bytes moved: n keys read, and the items of those ties read and
// written.
//
// A short tie, of up to 32 items, is sorted by one thread where it stands. Long ones, of which there should be few, are
// listed (long_ranges.cuh).
#pragma once

#include "../../../../core/cuda/runtime/grid_sync.cuh"
#include "last_where.cuh"
#include "long_ranges.cuh"

namespace onepass::detail {

// Whether keys with so many digit positions may leave few ties: of 2^14 keys and more, two positions leave too many.
template <class K>
constexpr bool leaves_few_ties(int positions) {
  return sizeof(K) >= 8 && positions >= 6 && positions % 2 == 0;
}

// How key bits are compared: those of `sorted`, once those of `flip` are inverted, ascend in the order of the sort.
template <class Digits>
struct tie_order {
  using key_bits = typename Digits::key_bits;
  using digit_of = decltype(std::declval<const Digits>().at(0));
  key_bits sorted, flip;
  int second_digit;  // its lowest bit

  tie_order(const Digits& digits) : flip(digits.of.flip()), second_digit(digits.of.bit_of(1)) {
    const int unused = static_cast<int>(8 * sizeof(key_bits)) - digits.of.end_bit, begin_bit = digits.of.begin_bit;
    sorted = static_cast<key_bits>(~key_bits{0} << unused >> unused >> begin_bit << begin_bit);
  }
  __device__ bool is_before(key_bits a, key_bits b) const {
    return ((digit_of::canonical(a) ^ flip) & sorted) < ((digit_of::canonical(b) ^ flip) & sorted);
  }
  static __device__ bool are_tied(key_bits a, key_bits b, key_bits upper) {
    return ((digit_of::canonical(a) ^ digit_of::canonical(b)) & upper) == 0;
  }
};

template <class Digits, class Values>
struct tie_job {
  tie_order<Digits> order;
  typename Digits::key* keys;
  Values values;
  item_count size;
  split_plan* plan;
  long_range* ranges;  // one for each chunk
  range_lists lists;   // of those that are not empty
  control* head;
};

constexpr int tie_threads = 256;

// A tile in which ties are looked for. Each item has a bit in a word, and a word is a row of 32 items. Row 0 stands
// before the tile, and the last one behind it.
template <class Job>
class tie_tile {
  using K = std::remove_pointer_t<decltype(Job::keys)>;
  using V = typename decltype(Job::values)::item;
  using key_bits = key_bits_t<K>;
  static constexpr int rows = tie_threads, in_flight = 4;
  static constexpr int most = warp_size;  // items of a short tie

 public:
  static constexpr index_t items = rows * warp_size;
  struct shared {
    unsigned tied[rows + 2];          // the item and the next one are tied
    unsigned out_of_order[rows + 2];  // they are, and the next one belongs before this one
  };

  // upper: the bits that have been sorted by.
  __device__ tie_tile(shared& s, const Job& job, index_t n, key_bits upper) : s_(s), job_(job), n_(n), upper_(upper) {}

  // Sorts the short ties that begin in this tile, and enqueues the long ones. All threads.
  __device__ void fix_up(index_t tile) {
    begin_ = tile * items;
    if (tile > 0 && begin_ + items + 2 * warp_size <= n_) compare_all<true>();
    else compare_all<false>();
    __syncthreads();  // all bits are there
    fix_up_row(static_cast<int>(threadIdx.x) + 1);
    __syncthreads();  // they have been read
  }

 private:
  template <bool all_there>
  __device__ __forceinline__ void compare_all() {
    for (int row = warp_id() * in_flight; row < rows; row += tie_threads / warp_size * in_flight) {
      compare<in_flight, all_there>(row + 1);
    }
    if (warp_id() < 2) compare<1, all_there>(warp_id() * (rows + 1));
  }
  // Compares each item of `count` rows with the next item. Other blocks may move items at this tile's edges meanwhile,
  // but only within their tie. So the bits that tell ties apart stay the same, also in each half of a wide key. Whether
  // such a tie is in order is checked by those blocks.
  template <int count, bool all_there>
  __device__ __forceinline__ void compare(int row) {
    const index_t first = begin_ + (row - 1) * warp_size;
    const K* const keys = job_.keys + first;
    const auto exists = [&](int i) { return all_there || (first + i >= 0 && first + i < n_); };
    key_bits of_row[count + 1] = {}, next[count + 1];
#pragma unroll
    for (int r = 0; r < count; ++r) {
      const int i = r * warp_size + lane_id();
      if (exists(i)) of_row[r] = to_key_bits(load_with(keys, i, evict_normal()));
    }
    if (exists(count * warp_size)) of_row[count] = to_key_bits(load_with(keys, count * warp_size, evict_normal()));
#pragma unroll
    for (int r = 0; r <= count; ++r) next[r] = shuffle_from(of_row[r], (lane_id() + 1) % warp_size);
#pragma unroll
    for (int r = 0; r < count; ++r) {
      const int i = r * warp_size + lane_id();
      const key_bits after = lane_id() == warp_size - 1 ? next[r + 1] : next[r];  // of lane 31: the next row's first
      const bool is_tied = job_.order.are_tied(of_row[r], after, upper_) && exists(i) && (all_there || exists(i + 1));
      const unsigned tied = __ballot_sync(all_lanes, is_tied);
      const unsigned out_of_order = __ballot_sync(all_lanes, is_tied && job_.order.is_before(after, of_row[r]));
      if (lane_id() == 0) s_.tied[row + r] = tied, s_.out_of_order[row + r] = out_of_order;
    }
  }

  // By one thread: fixes up all ties that begin in a row, and enqueues a long tie that is out of order in it.
  __device__ void fix_up_row(int row) {
    const unsigned tied = s_.tied[row], before = s_.tied[row - 1];
    const index_t first = begin_ + (row - 1) * warp_size;
    // A tie that comes in from the row before ends at bit `last`, with the first item that is not tied to its
    // successor. Its items from bit `from` on have 32 of its items before them, so where there are any, the tie is
    // long.
    const int from = warp_size - __clz(static_cast<int>(~before)), last = trailing_ones(tied);
    const unsigned out_of_order_far = s_.out_of_order[row] & bits_below(last + 1) & ~bits_below(from);
    if (out_of_order_far != 0) enqueue(first + __ffs(static_cast<int>(out_of_order_far)) - 1);
    unsigned starts = tied & ~(tied << 1 | before >> (warp_size - 1));
    // A tie of two items that are in order needs nothing.
    starts &= s_.out_of_order[row] | __funnelshift_r(tied, s_.tied[row + 1], 1);
    for (; starts != 0; starts &= starts - 1) {
      const int bit = __ffs(static_cast<int>(starts)) - 1;
      const int length = trailing_ones(__funnelshift_r(tied, s_.tied[row + 1], bit)) + 1;
      const unsigned out_of_order =
          __funnelshift_r(s_.out_of_order[row], s_.out_of_order[row + 1], bit) & bits_below(length - 1);
      if (out_of_order == 0) continue;
      if (length > most) enqueue(first + bit);
      else sort(first + bit, length);
    }
  }
  // Finds the long tie of item i, and adds it to the range of its chunk. Many threads may find the same tie; most of
  // them see that it is in the range already.
  __device__ void enqueue(index_t i) const {
    const key_bits of_tie = bits_at(i);
    const auto is_tied = [&](index_t j) { return job_.order.are_tied(bits_at(j), of_tie, upper_); };
    const index_t begin = last_where(is_tied, i, index_t{-1});
    if (!is_in_range(job_.ranges, begin, i, n_)) add_to_range(job_.ranges, begin, last_where(is_tied, i, n_) + 1, n_);
  }
  __device__ key_bits bits_at(index_t i) const { return to_key_bits(load_with(job_.keys, i, evict_normal())); }
  static __device__ int trailing_ones(unsigned bits) {
    return bits == ~0u ? warp_size : __ffs(static_cast<int>(~bits)) - 1;
  }
  static __device__ unsigned bits_below(int bit) { return bit >= warp_size ? ~0u : (1u << bit) - 1; }

  // An insertion sort, by one thread: most ties have two items.
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

template <class Digits, class Values>
__global__ void __launch_bounds__(tie_threads, 6) fix_ties_kernel(const __grid_constant__ tie_job<Digits, Values> job) {
  wait_for_previous_kernel();
  using tile_type = tie_tile<tie_job<Digits, Values>>;
  using key_bits = typename Digits::key_bits;
  __shared__ typename tile_type::shared s;
  split_plan* const plan = job.plan;
  if (plan->lowest_position == 0) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) plan->result_is_narrow = true;
  const index_t n = job.size.get();
  const int lowest_bit = job.order.second_digit + (plan->lowest_position - 1) * digit_bits;
  tile_type tile(s, job, n, static_cast<key_bits>(job.order.sorted & ~key_bits{0} << lowest_bit));
  for (index_t t = blockIdx.x; t * tile_type::items < n; t += gridDim.x) tile.fix_up(t);
  if (grid_sync(job.head).is_last_block(gridDim.x)) list_ranges(job.ranges, job.lists, n);
}

template <class Digits, class Values>
void launch_fix_ties(const char* call, const tie_job<Digits, Values>& job, cudaStream_t stream) {
  const auto kernel = fix_ties_kernel<Digits, Values>;
  const resident_blocks resident(kernel, tie_threads, 0);
  const index_t tiles = divide_up(job.size.most, tie_tile<tie_job<Digits, Values>>::items);
  const auto grid = static_cast<unsigned>(std::min<index_t>(tiles, resident.on_this_device(call)));
  kernel_launch::dependent(call, resident, kernel, dim3(grid), tie_threads, 0, stream, job);
}

}  // namespace onepass::detail
