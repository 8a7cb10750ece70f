// SPDX-License-Identifier: Apache-2.0
// A scan's work on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh). Strips are combined first, and
// scanned when their prefixes are known:
//   reduce_strip   takes one operation an item and no shuffle
//   scan_strip     takes one operation an item; results replace the items in shared memory
//   store_results  copies them to global memory, neighbouring lanes to neighbouring addresses
// The association depends on the shape alone: prefix, warps, lanes, strip.
#pragma once

#include "pipeline.cuh"
#include "../../scan/scan_job.hpp"
#include "packed_sums.cuh"
#include "staged_tile.cuh"

namespace onepass::detail {

// Returns the combination of those items of a strip that stand before item `count` of the tile. If there are none, it
// returns an arbitrary value (the tile's first item), which nobody uses.
template <class Shape, class Items, class Op>
__device__ auto reduce_strip(const Items& items, int strip, int count, Op op) {
  using value = typename Items::value_type;
  constexpr int V = Shape::vector;
  const int begin = strip * Shape::strip_items;
  ::cuda::std::optional<value> total;
  const auto append = [&](const value& v) { total = total ? static_cast<value>(op(*total, v)) : v; };
  const auto append_row = [&](auto& from, int i) {
    if constexpr (has_packed_sums<Items, Op>) {
      unsigned words[V / 4];
      load_words(from, i, words);
      append(sum_of_words<typename Items::read_type>(words));
    } else {
      value v[V];
      from.template row<V>(i, v);
      value sum = v[0];
#pragma unroll
      for (int j = 1; j < V; ++j) sum = static_cast<value>(op(sum, v[j]));
      append(sum);
    }
  };
  if (begin + Shape::strip_items <= count) {
    auto reader = items.template reader<Shape::strip_items>(begin);
#pragma unroll
    for (int r = 0; r < Shape::vectors; ++r) append_row(reader, r * V);
  } else {
    int i = begin;
#pragma unroll 1
    for (; i + V <= count; i += V) append_row(items, i);
#pragma unroll 1
    for (; i < count; ++i) append(items.at(i));
    if (!total) total = items.at(0);
  }
  return *total;
}

// Scans those items of a strip that stand before item `count` of the tile, and puts the results where the items stand
// in the stage. `inclusive` is the combination of everything before the strip, if there is anything.
// Over 40 lines because its two functors share that running value, which has to stay in registers.
template <class Shape, bool aligned, class Items, class Result, class Optional, class Job>
__device__ void scan_strip(const Items& items, Result* results, int strip, int count, Optional inclusive,
                           const Job& job) {
  using value = typename Items::value_type;
  constexpr int V = Shape::vector;
  auto op = job.op;
  const auto next = [&](const value& item) -> Result {
    const bool mark = job.emit.mark(item);
    if constexpr (Job::inclusive) {
      inclusive = inclusive ? static_cast<value>(op(*inclusive, item)) : item;
      return static_cast<Result>(job.emit(*inclusive, mark));
    } else {
      const Result result = static_cast<Result>(job.emit(*inclusive, mark));
      inclusive = static_cast<value>(op(*inclusive, item));
      return result;
    }
  };
  const auto scan_row = [&](auto& from, int i, Result* to) {
    Result out[V];
    if constexpr (has_packed_sums<Items, typename Job::op_type>) {
      unsigned words[V / 4];
      load_words(from, i, words);
      inclusive = scan_words<typename Items::read_type, Job::inclusive>(words, inclusive ? *inclusive : 0, out);
    } else {
      value v[V];
      from.template row<V>(i, v);
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = next(v[j]);
    }
    put_row<V, aligned>(to, out);
  };
  const int begin = strip * Shape::strip_items;
  if (begin + Shape::strip_items <= count) {
    auto reader = items.template reader<Shape::strip_items>(begin);
#pragma unroll
    for (int r = 0; r < Shape::vectors; ++r) scan_row(reader, r * V, results + begin + r * V);
  } else {
    int i = begin;
#pragma unroll 1
    for (; i + V <= count; i += V) scan_row(items, i, results + i);
#pragma unroll 1
    for (; i < count; ++i) results[i] = next(items.at(i));
  }
}

// Stores a warp's share of a tile's results, as far as they stand before item `count`.
template <class Shape, class Result, class Out>
__device__ void store_results(const Result* results, Out* out, int warp, int count, bool aligned) {
  constexpr int share = warp_size * Shape::strip_items;
  constexpr int vectors = share * static_cast<int>(sizeof(Result)) / static_cast<int>(vector_bytes);
  const int begin = warp * share;
  const int items = min(share, count - begin);
  int rest = 0;
  if (aligned && items > 0) {
    const uint4* from = reinterpret_cast<const uint4*>(results + begin);
    uint4* to = reinterpret_cast<uint4*>(out + begin);
    const int full = items * static_cast<int>(sizeof(Result)) / static_cast<int>(vector_bytes);
#pragma unroll
    for (int i = 0; i < vectors; i += warp_size) {
      if (i + lane_id() < full) to[i + lane_id()] = from[i + lane_id()];
    }
    rest = full * static_cast<int>(vector_bytes) / static_cast<int>(sizeof(Result));
  }
  for (int i = rest + lane_id(); i < items; i += warp_size) out[begin + i] = results[begin + i];
}

template <class Job, bool looks_up = may_look_up<typename Job::op_type>()>
struct pipeline_scan {
  using value = typename Job::value_type;
  using source = typename Job::source_type;
  using result = std::remove_pointer_t<decltype(Job::out)>;

  struct slot {
    // What precedes each strip in its share; without meaning for lane 0.
    alignas(value) unsigned char before[8 * warp_size * sizeof(value)];
  };
  using shape = strip_shape<source, sizeof(slot), 64, 8, 8, looks_up>;
  using tile = staged_tile<Job, shape>;
  // Fewer than three stages, and values over 32 bytes: not measured. Sources that look things up would do so twice.
  static constexpr bool fits =
      shape::stages >= 3 && !source_looks_up<source> && sizeof(result) == sizeof(typename shape::item) &&
      alignof(result) <= alignof(typename shape::item) && std::is_trivially_copyable_v<result> &&
      std::is_trivially_copyable_v<value> && sizeof(value) <= 32;
  static constexpr index_t least_items() { return pipeline_least_items(shape::bits_per_item, sizeof(value)); }
  static const void* out_array(const Job& job) { return job.out; }

  // Called by a reducer warp: combines the lanes' strips. Lane l gets the combination of the strips of lanes 0 to l.
  template <bool aligned>
  static __device__ value reduce(const tile& t, slot& s, int warp) {
    const int strip = warp * warp_size + lane_id();
    auto op = t.job().op;
    const value total = reduce_strip<shape>(t.template source<aligned>(), strip, t.count(), op);
    const value inclusive = warp_inclusive_scan(total, op);
    reinterpret_cast<value*>(s.before)[strip] = detail::shuffle_up(inclusive, 1);
    return inclusive;
  }

  // Called by a finisher warp: `before` is the combination of what precedes its share, if there is anything.
  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<value> before, bool aligned_out,
                                bool) {
    const int strip = warp * warp_size + lane_id();
    auto* results = static_cast<result*>(t.first_item());
    if (lane_id() > 0) {
      const value& in_share = reinterpret_cast<const value*>(s.before)[strip];
      auto op = t.job().op;
      before = before ? static_cast<value>(op(*before, in_share)) : in_share;
    }
    scan_strip<shape, aligned>(t.template source<aligned>(), results, strip, t.count(), before, t.job());
    fence_before_copies();  // the next tile of this slot lands where results have been written
    __syncwarp();           // the warp's results are written
    store_results<shape>(results, t.job().out + t.first(), warp, t.count(), aligned_out);
  }
};

// The pipeline takes scans of plain arrays into a plain array. Results have to be as large as the items, as they
// replace them in shared memory.
template <class Job>
struct pipeline_work<Job, std::enable_if_t<Job::source_type::stageable && std::is_pointer_v<decltype(Job::out)>>>
    : pipeline_of<Job, pipeline_scan<Job>> {};

}  // namespace onepass::detail
