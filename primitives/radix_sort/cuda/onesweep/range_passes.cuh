// SPDX-License-Identifier: Apache-2.0
// Segments that are too long for a block. They are sorted as a whole array is (histogram.cuh, pass.cuh), all of
// them in the same launches: tiles are numbered through all long segments, each segment has a plan of its own, and a
// look-back ends at its first tile. So a few long segments keep all multiprocessors busy, as many do. Their keys are read
// once for the histograms, then keys and values are read and written once a digit.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "histogram.cuh"
#include "pass.cuh"
#include "../segmented/segment_lists.cuh"

namespace onepass::detail {

// ---- the histograms of long segments ------------------------------------------------------------------------------------
constexpr int segment_histogram_threads = 512;

// Some counters for each digit, so that equal keys of a warp do not all meet at one.
template <int positions>
struct segment_counters {
  static constexpr int copies = std::clamp(32 / positions, 1, 8);
  unsigned of[positions][digit_values][copies];
};

template <class K, class V>
class segment_counter {
  using digits_of = position_digits<bits_digits<K, true>>;
  static constexpr int most = bits_digits<K, true>::max_positions;
  using counters = segment_counters<most>;

 public:
  __device__ segment_counter(const segmented_job<K, V>& job, const digits_of& digits, counters& c)
      : job_(job), digits_(digits), positions_(job.digits.positions()), counters_(c) {
    clear();
  }

  // A stretch of the segment that was begun last. All threads.
  __device__ void count(const K* keys, int n) {
    bool negative_zero = false;
#pragma unroll 8
    for (int i = threadIdx.x; i < n; i += segment_histogram_threads) {
      const auto key_bits = digits_.at[0].to_bits(keys[i]);
#pragma unroll
      for (int p = 0; p < most; ++p) {
        if (p < positions_) atomicAdd(&counters_.of[p][digits_.at[p](key_bits)][lane_id() % counters::copies], 1u);
      }
      negative_zero |= digits_of::digit_of::is_negative_zero(key_bits);
    }
    negative_zero_ |= negative_zero;
  }
  // Adds up what has been counted.
  __device__ void add_to(split_plan& plan) {
    __syncthreads();  // all have counted
    for (int c = threadIdx.x; c < positions_ * digit_values; c += segment_histogram_threads) {
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
    clear_vectors(&counters_, sizeof(counters) / sizeof(uint4), threadIdx.x, segment_histogram_threads);
    __syncthreads();  // all counters are zero
  }

  const segmented_job<K, V>& job_;
  const digits_of& digits_;
  int positions_;
  counters& counters_;
  bool negative_zero_ = false;
};

// Says that a block has counted some tiles of a segment. Who has counted the last ones makes the plan.
__device__ inline void plan_if_last(const segment_lists& lists, unsigned segment, unsigned counted, unsigned tiles,
                                    int positions, plan_rules rules) {
  __shared__ bool is_last;
  split_plan* const plan = &lists.plan(segment);
  __threadfence();  // what this thread has added is out before ...
  __syncthreads();  // ... all are here, and the block says so
  if (threadIdx.x == 0) is_last = atomicAdd(&plan->pass[0].tile, counted) + counted == tiles;
  __syncthreads();  // is_last is written
  if (!is_last) return;
  __threadfence();  // pairs with the fences of those who counted before
  make_plan(plan, positions, lists.longs[segment].size, rules);
  __syncthreads();  // what make_plan shares may be overwritten
}

// A block takes some tiles in a row, and clears the descriptors of them.
template <class Word, class K, class V>
__global__ void __launch_bounds__(segment_histogram_threads, 2)
    segment_histogram_kernel(const __grid_constant__ segmented_job<K, V> job,
                             const __grid_constant__ position_digits<bits_digits<K, true>> digits, Word* table,
                             plan_rules rules, dependency how) {
  begin_dependent(how);
  __shared__ __align__(16) segment_counters<bits_digits<K, true>::max_positions> counters;
  const segment_lists& lists = job.lists;
  const index_t tiles = lists.counts->tiles;
  const index_t first = tiles * blockIdx.x / gridDim.x, end = tiles * (blockIdx.x + 1) / gridDim.x;
  if (first == end) return;
  segment_counter<K, V> counter(job, digits, counters);
  constexpr index_t vectors = digit_values * sizeof(Word) / sizeof(uint4);
  clear_vectors(table + first * digit_values, (end - first) * vectors, threadIdx.x, segment_histogram_threads);
  segment_tile at = lists.tiles[first];
  unsigned counted = 0;  // tiles of this segment
  for (index_t t = first; t < end; ++t) {
    const segment_tile now = at;
    if (t + 1 < end) at = lists.tiles[t + 1];
    const index_t tile_items = lists.tile_items, begin = now.tile * tile_items;
    counter.count(job.keys.primary + now.begin + begin, static_cast<int>(min(now.size - begin, tile_items)));
    ++counted;
    if (t + 1 < end && at.segment == now.segment) continue;
    counter.add_to(lists.plan(now.segment));
    plan_if_last(lists, now.segment, counted, lists.tiles_of(now.size), job.digits.positions(), rules);
    counted = 0;
  }
}

// ---- the passes of long segments ----------------------------------------------------------------------------------------
template <class T>
__device__ buffer_route<T> route_from(const buffer_route<T>& route, index_t first) {
  return {route.primary + first, route.alternate + first};
}
__device__ inline no_route route_from(const no_route&, index_t) { return {}; }

// A tile of a pass, as if there were no segment but its own.
template <class Shape, class Job>
class segment_pass_tile {
 public:
  // By one thread. Waits until the pass before has stored all of the segment: tiles of it have been drawn before.
  template <class Digits>
  __device__ void draw(const Job& all, const Digits& digits, const segment_lists& lists, int position,
                       unsigned number) {
    const segment_tile at = lists.tiles[number];
    const index_t row = index_t{number - at.tile} * digit_values;
    size_ = at.size;
    tile_ = at.tile;
    new (job_) Job{digits.at(position),
                   position,
                   route_from(all.keys, at.begin),
                   route_from(all.values, at.begin),
                   {at.size, nullptr},
                   &lists.plan(at.segment),
                   {all.table[0] + row, all.table[1] + row},
                   static_cast<unsigned>(tiles_of<Shape>(at.size)),
                   all.is_only,
                   all.window,
                   all.minus_one};
    if (position == 0) return;
    spin_guard guard;
    while (tiles_stored(position - 1).load(::cuda::memory_order_acquire) < job().rows) guard.wait();
  }

  template <class LaneOrder>
  __device__ __forceinline__ void split() const {
    const pass_plan plan = job().plan->pass[job().position].plan;
    const index_t n = size_;
    const unsigned tile = tile_;
    if (plan.way == pass_action::skip) return;
    if (plan.way == pass_action::copy) return split_by_copying<Shape>(job(), plan, n, tile);
    if constexpr (std::is_same_v<LaneOrder, none>) {
      split_one_tile<by_ballots, Shape>(job(), plan, n, tile);
    } else {
      if (plan.way == pass_action::by_ballots) return split_one_by_ballots<Shape>(job(), plan, n, tile);
      if (plan.way == pass_action::by_lane_order_but_one)
        return split_by_lane_order_but_one<Shape>(job(), plan, n, tile);
      split_one_tile<LaneOrder, Shape>(job(), plan, n, tile);
    }
  }

  // By one thread, when all have stored their items.
  __device__ void tell() const { tiles_stored(job().position).fetch_add(1, ::cuda::memory_order_release); }

 private:
  __device__ const Job& job() const { return *reinterpret_cast<const Job*>(job_); }
  // In the plan, behind what has been counted for the histogram.
  __device__ auto tiles_stored(int position) const {
    return ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>(job().plan->pass[position + 1].tile);
  }

  alignas(Job) unsigned char job_[sizeof(Job)];
  index_t size_;  // of the segment
  unsigned tile_;
};

// All passes in one launch. Tiles by ticket, pass after pass: who holds one knows that blocks which run hold all before it,
// among them those that it waits for.
template <class LaneOrder, class Shape, class Job, class Digits>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    segment_passes_kernel(const __grid_constant__ Job all, const __grid_constant__ Digits digits,
                          const __grid_constant__ segment_lists lists) {
  begin_dependent(dependency::trigger_then_wait);
  __shared__ segment_pass_tile<Shape, Job> tile;
  __shared__ int position;
  const unsigned tiles = lists.counts->tiles;
  const int positions = digits.positions();
  if (blockIdx.x >= tiles) return;  // others draw them all
  for (;;) {
    if (threadIdx.x == 0) {
      const index_t ticket = atomicAdd(&lists.counts->ticket, 1ull);
      position = static_cast<int>(ticket / tiles);
      if (position < positions) tile.draw(all, digits, lists, position, static_cast<unsigned>(ticket % tiles));
    }
    __syncthreads();  // the tile is drawn, and its input is there
    if (position >= positions) return;
    tile.template split<LaneOrder>();
    __syncthreads();  // the tile is stored
    if (threadIdx.x == 0 && position + 1 < positions) tile.tell();
  }
}

// The launches. tiles: as many as there may be; table: as many rows, twice, which need not be zero.
template <class Word, class K, class V>
void launch_segment_histogram(const char* call, index_t tiles, const segmented_job<K, V>& job, Word* table,
                              plan_rules rules, dependency how, cudaStream_t stream) {
  const auto kernel = segment_histogram_kernel<Word, K, V>;
  const resident_blocks resident(kernel, segment_histogram_threads, 0);
  const auto grid = static_cast<unsigned>(std::min<index_t>(tiles, resident.on_this_device(call)));
  const auto digits = all_digits(job.digits, std::make_integer_sequence<int, bits_digits<K, true>::max_positions>());
  kernel_launch::dependent(call, resident, kernel, dim3(grid), segment_histogram_threads, 0, stream, job, digits, table,
                           rules, how);
}

template <class LaneOrder, class Shape, class Word, class K, class V, class Values>
void launch_segment_passes(const char* call, index_t tiles, const segmented_job<K, V>& job, Values values, Word* table,
                           int window, cudaStream_t stream) {
  using split = split_job<bits_digit<K, true>, buffer_route<K>, Values, Word>;
  const auto kernel = segment_passes_kernel<LaneOrder, Shape, split, bits_digits<K, true>>;
  constexpr std::size_t shared = sizeof(split_shared<key_bits_t<K>, V, Shape, Word>);
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
                  job.digits.positions() == 1,
                  window,
                  job.minus_one};
  kernel_launch::dependent(call, resident, kernel, dim3(grid), Shape::threads, shared, stream, all, job.digits,
                           job.lists);
}

constexpr int segment_copy_threads = 256;

// Where an odd number of passes has left a segment in the other buffer.
template <class Route>
__global__ void __launch_bounds__(segment_copy_threads) segment_copy_kernel(Route route, segment_lists lists) {
  wait_for_previous_kernel();
  const unsigned tiles = lists.counts->tiles;
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const segment_tile at = lists.tiles[t];
    if (!lists.plan(at.segment).result_in_alternate) continue;
    const index_t begin = index_t{at.tile} * lists.tile_items, end = min(begin + lists.tile_items, at.size);
    copy_stretch<segment_copy_threads>(route.source(true), route.target(true), at.begin + begin, at.begin + end);
  }
}

}  // namespace onepass::detail
