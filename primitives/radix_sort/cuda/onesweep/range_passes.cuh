// SPDX-License-Identifier: Apache-2.0
// Sorting several ranges of one array, each by itself, with the passes of a whole array (histogram.cuh, pass.cuh). The
// segmented sort has long segments sorted so, and a sort by the upper digits alone has long ties and buckets.
//
// All ranges are sorted in the same launches. Tiles are numbered through all ranges (range_lists.cuh), and a look-back
// ends at the first tile of its range. So a few long ranges keep all multiprocessors busy, as many ranges do. Bytes
// moved: keys are read once for the histograms, then keys and values are read and written once a digit.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/support/atomic_words.hpp"
#include "histogram.cuh"
#include "pass.cuh"
#include "range_lists.cuh"

namespace onepass::detail {

// ---- the histograms of ranges ---------------------------------------------------------------------------------------
// This histogram is not the one of a whole array (digit_counts.cuh), whose counters fill a multiprocessor's shared
// memory and are added up once. Here a block adds up and clears its counters for each range that it meets, so they have
// to be few.
constexpr int range_histogram_threads = 512;

// Several counters for each digit, so that equal keys of a warp do not all add to the same one.
template <int positions>
struct range_counters {
  static constexpr int copies = std::clamp(32 / positions, 1, 8);
  unsigned of[positions][digit_values][copies];
};

template <class K>
class range_counter {
  using digits_of = position_digits<bits_digits<K, true>>;
  static constexpr int most = bits_digits<K, true>::max_positions;
  using counters = range_counters<most>;

 public:
  __device__ range_counter(const digits_of& digits, int positions, counters& c)
      : digits_(digits), positions_(positions), counters_(c) {
    clear();
  }

  // Counts n keys of the range that was begun last. All threads.
  __device__ void count(const K* keys, int n) {
    bool negative_zero = false;
#pragma unroll 8
    for (int i = threadIdx.x; i < n; i += range_histogram_threads) {
      const auto key_bits = digits_.at[0].to_bits(keys[i]);
#pragma unroll
      for (int p = 0; p < most; ++p) {
        if (p < positions_) atomicAdd(&counters_.of[p][digits_.at[p](key_bits)][lane_id() % counters::copies], 1u);
      }
      negative_zero |= digits_of::digit_of::is_negative_zero(key_bits);
    }
    negative_zero_ |= negative_zero;
  }
  // Adds what has been counted to a range's plan, and begins the next range.
  __device__ void add_to(split_plan& plan) {
    __syncthreads();  // all have counted
    for (int c = threadIdx.x; c < positions_ * digit_values; c += range_histogram_threads) {
      unsigned sum = 0;
#pragma unroll
      for (const unsigned count : counters_.of[c / digit_values][c % digit_values]) sum += count;
      unsigned long long* total = &plan.count[c / digit_values][c % digit_values];
      if (sum != 0) atomicAdd(total, static_cast<unsigned long long>(sum));
    }
    if (negative_zero_) plan.negative_zeros = 1;
    negative_zero_ = false;
    __syncthreads();  // all counters have been read
    clear();
  }

 private:
  __device__ void clear() {
    clear_vectors(&counters_, sizeof(counters) / sizeof(uint4), threadIdx.x, range_histogram_threads);
    __syncthreads();  // all counters are zero
  }

  const digits_of& digits_;
  int positions_;
  counters& counters_;
  bool negative_zero_ = false;
};

// By a block that has counted `counted` of a range's tiles. The block that counts the last ones makes the plan.
template <int most_positions>
__device__ void plan_if_last(const range_lists& lists, unsigned range, unsigned counted, unsigned tiles,
                             plan_rules rules) {
  split_plan* const plan = &lists.plan(range);
  if (!is_last_block(plan->pass[0].tile, counted, tiles)) return;
  make_plan<range_histogram_threads, most_positions>(plan, lists.positions, lists.ranges[range].size, rules, false);
  __syncthreads();  // what make_plan shares may be overwritten
}

// A block counts some consecutive tiles, and clears their descriptors.
template <class Word, class K>
__global__ void __launch_bounds__(range_histogram_threads, 2)
    range_histogram_kernel(const __grid_constant__ range_job<K> job,
                           const __grid_constant__ position_digits<bits_digits<K, true>> digits, Word* table,
                           plan_rules rules, dependency how) {
  begin_dependent(how);
  constexpr int most_positions = bits_digits<K, true>::max_positions;
  __shared__ __align__(16) range_counters<most_positions> counters;
  const range_lists& lists = job.lists;
  const index_t tiles = lists.counts->tiles;
  const index_t first = tiles * blockIdx.x / gridDim.x, end = tiles * (blockIdx.x + 1) / gridDim.x;
  if (first == end) return;
  range_counter<K> counter(digits, job.digits.positions(), counters);
  constexpr index_t vectors = digit_values * sizeof(Word) / sizeof(uint4);
  clear_vectors(table + first * digit_values, (end - first) * vectors, threadIdx.x, range_histogram_threads);
  range_tile next = lists.tiles[first];
  unsigned counted = 0;  // tiles of this range
  for (index_t t = first; t < end; ++t) {
    const range_tile now = next;
    if (t + 1 < end) next = lists.tiles[t + 1];
    const index_t tile_items = lists.tile_items, begin = now.tile * tile_items;
    counter.count(job.keys.input + now.begin + begin, static_cast<int>(min(now.size - begin, tile_items)));
    ++counted;
    if (t + 1 < end && next.range == now.range) continue;
    counter.add_to(lists.plan(now.range));
    detail::plan_if_last<most_positions>(lists, now.range, counted, lists.tiles_of(now.size), rules);
    counted = 0;
  }
}

// ---- the passes of ranges -------------------------------------------------------------------------------------------
template <class T>
__device__ buffer_route<T> route_from(const buffer_route<T>& route, index_t first) {
  return {route.input + first, route.primary + first, route.alternate + first};
}
__device__ inline no_route route_from(const no_route&, index_t) { return {}; }

// A tile of a pass, as if its range were the whole array.
template <class Shape, class Job>
class range_pass_tile {
 public:
  // By one thread. Waits until the pass before has stored all of the range. The wait ends: the tiles waited for have
  // been drawn before this one, by blocks that are running.
  template <class Digits>
  __device__ void draw(const Job& all, const Digits& digits, const range_lists& lists, int position, unsigned number) {
    const range_tile at = lists.tiles[number];
    const index_t row = index_t{number - at.tile} * digit_values;
    const auto tiles = static_cast<unsigned>(tiles_of<Shape>(at.size));
    size_ = at.size;
    tile_ = at.tile;
    ::new (job_) Job{digits.at(position),
                     position,
                     route_from(all.keys, at.begin),
                     route_from(all.values, at.begin),
                     {at.size, nullptr},
                     &lists.plan(at.range),
                     {all.table[0] + row, all.table[1] + row},
                     tiles,
                     tiles,
                     all.is_only,
                     all.window,
                     all.minus_one};
    if (position == 0) return;
    spin_guard guard;
    while (load_acquire(tiles_stored(position - 1)) < job().rows) guard.wait();
  }

  template <class AtomicRanking>
  __device__ __forceinline__ void split() const {
    const pass_plan plan = job().plan->pass[job().position].plan;
    const index_t n = size_;
    const unsigned tile = tile_;
    if (plan.action == pass_action::skip) return;
    split_as_planned<AtomicRanking, Shape>(job(), plan, n, tile);
  }

  // By one thread, when all threads have stored their items: says that the tile is stored.
  __device__ void publish() const { add_release(tiles_stored(job().position), 1); }

 private:
  __device__ const Job& job() const { return *reinterpret_cast<const Job*>(job_); }
  // How many tiles of the range the pass at a position has stored. This stands in the plan, in the word of the next
  // position: that of position 0 is the histogram's count of tiles.
  __device__ unsigned* tiles_stored(int position) const { return &job().plan->pass[position + 1].tile; }

  alignas(Job) unsigned char job_[sizeof(Job)];
  index_t size_;  // of the range
  unsigned tile_;
};

// All passes in one launch. Blocks draw tiles by ticket, pass after pass. So when a block has drawn a tile, all tiles
// before it, among them those that it waits for, belong to blocks that are running.
template <class AtomicRanking, class Shape, class Job, class Digits>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    range_passes_kernel(const __grid_constant__ Job all, const __grid_constant__ Digits digits,
                        const __grid_constant__ range_lists lists) {
  begin_dependent(dependency::trigger_then_wait);
  __shared__ range_pass_tile<Shape, Job> tile;
  __shared__ int position;
  const unsigned tiles = lists.counts->tiles;
  const int positions = digits.positions();
  if (blockIdx.x >= tiles) return;  // other blocks draw them all
  for (;;) {
    if (threadIdx.x == 0) {
      const index_t ticket = atomicAdd(&lists.counts->ticket, 1ull);
      position = static_cast<int>(ticket / tiles);
      if (position < positions) tile.draw(all, digits, lists, position, static_cast<unsigned>(ticket % tiles));
    }
    __syncthreads();  // the tile is drawn, and its input is there
    if (position >= positions) return;
    tile.template split<AtomicRanking>();
    __syncthreads();  // the tile is stored
    if (threadIdx.x == 0 && position + 1 < positions) tile.publish();
  }
}

// ---- the launches ---------------------------------------------------------------------------------------------------
// tiles: as many as there may be; table: as many rows, twice, which need not be zero.
template <class Word, class K>
void launch_range_histogram(const char* call, index_t tiles, const range_job<K>& job, Word* table, plan_rules rules,
                            dependency how, cudaStream_t stream) {
  const auto kernel = range_histogram_kernel<Word, K>;
  const resident_blocks resident(kernel, range_histogram_threads, 0);
  const auto grid = static_cast<unsigned>(std::min<index_t>(tiles, resident.on_this_device(call)));
  const auto digits = all_digits(job.digits, std::make_integer_sequence<int, bits_digits<K, true>::max_positions>());
  kernel_launch::dependent(call, resident, kernel, dim3(grid), range_histogram_threads, 0, stream, job, digits, table,
                           rules, how);
}

template <class AtomicRanking, class Shape, class Word, class K, class Values>
void launch_range_passes(const char* call, index_t tiles, const range_job<K>& job, Values values, Word* table,
                         int window, cudaStream_t stream) {
  using split = split_job<bits_digit<K, true>, buffer_route<K>, Values, Word>;
  const auto kernel = range_passes_kernel<AtomicRanking, Shape, split, bits_digits<K, true>>;
  constexpr std::size_t shared = sizeof(split_shared<bits_digit<K, true>, typename Values::item, Shape, Word>);
  const resident_blocks resident(kernel, Shape::threads, shared);
  const auto grid = static_cast<unsigned>(std::min<index_t>(tiles, resident.on_this_device(call)));
  const split all{job.digits.at(0),
                  0,
                  job.keys,
                  values,
                  job.size,
                  nullptr,
                  {table, table + tiles * digit_values},
                  0,
                  0,
                  job.digits.positions() == 1,
                  window,
                  job.minus_one};
  kernel_launch::dependent(call, resident, kernel, dim3(grid), Shape::threads, shared, stream, all, job.digits,
                           job.lists);
}

constexpr int range_copy_threads = 256;

// Copies the ranges back that an odd number of passes has left in the other buffer.
template <class Route>
__global__ void __launch_bounds__(range_copy_threads) range_copy_kernel(Route route, range_lists lists) {
  wait_for_previous_kernel();
  const unsigned tiles = lists.counts->tiles;
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const range_tile at = lists.tiles[t];
    if (!lists.plan(at.range).result_in_alternate) continue;
    const index_t begin = index_t{at.tile} * lists.tile_items, end = min(begin + lists.tile_items, at.size);
    copy_range(route.alternate, route.primary, at.begin + begin, at.begin + end);
  }
}

}  // namespace onepass::detail
