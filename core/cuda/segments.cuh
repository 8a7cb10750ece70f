// SPDX-License-Identifier: Apache-2.0
// How the pipeline (core/cuda/pipeline.cuh) works on a tile in shared memory: it is cut into segments of consecutive items, a
// lane each. Segments are combined first, and scanned when what precedes them is known:
//   reduce_segment  one operation an item, no shuffle
//   scan_segment    one operation an item; results replace the items
//   store_results   to global memory, neighbouring lanes to neighbouring addresses
// A segment is an odd number of 16-byte vectors, so that the lanes of a warp, one vector each, meet in no bank.
// The association is fixed by the shape: prefix, warps, lanes, segment.
#pragma once

#include "../scan_job.hpp"
#include "staging.cuh"
#include "tuning.cuh"

namespace onepass::detail {

template <class Job>
struct segment_shape {
  using source = typename Job::source_type;
  using value = typename Job::value_type;
  using read_type = typename source::read_type;
  using result = std::remove_pointer_t<decltype(Job::out)>;

  static constexpr int vector = items_per_vector<read_type>;
  static constexpr int item_bytes = sizeof(read_type);
  static constexpr int bytes_per_item = [] {
    int bytes = 0;
    for (int s = 0; s < source::streams; ++s) bytes += source::shape_of(s).item_bytes;
    return bytes;
  }();

  static constexpr int warps = 8;  // that reduce a tile, and as many that scan it
  static constexpr int segments = warps * warp_size;
  // Vectors a segment: as many as the stage may hold, and odd.
  static constexpr int vectors = [] {
    const int most = pipeline_stage_bytes / (segments * vector * bytes_per_item);
    return most < 1 ? 1 : most - (most % 2 == 0);
  }();
  static constexpr int segment_items = vectors * vector;
  static constexpr int tile_items = segments * segment_items;

  static constexpr std::size_t stage_bytes = [] {
    std::size_t bytes = 0;
    for (int s = 0; s < source::streams; ++s) bytes += window_bytes(source::shape_of(s), tile_items);
    return bytes;
  }();
  static constexpr int stages = [] {
    const std::size_t a_stage = stage_bytes + sizeof(value) * (segments + 2 * warps + 1) + 64;
    const int most = static_cast<int>((pipeline_shared_bytes - 1024) / a_stage);
    return most < 8 ? most : 8;
  }();
  static constexpr bool fits = stages >= 3 && sizeof(result) == sizeof(read_type) &&
                               std::is_trivially_copyable_v<result> && std::is_trivially_copyable_v<value> &&
                               alignof(result) <= alignof(read_type) && sizeof(value) <= 32;
};

// A tile's windows in a stage.
template <class Job>
class staged_tile {
  using source_type = typename Job::source_type;
  using shape = segment_shape<Job>;

 public:
  __device__ staged_tile(const Job& job, index_t first, int count, unsigned char* stage)
      : job_(job), first_(first), count_(count), stage_(stage) {}

  __device__ unsigned bulk_bytes() const {
    unsigned bytes = 0;
    for_each_window([&](const stream_window& w, unsigned char*) { bytes += w.bulk_bytes(); });
    return bytes;
  }
  __device__ void copy_bulk(phase_barrier& landed) const {
    for_each_window([&](const stream_window& w, unsigned char* to) { w.copy_bulk(to, landed); });
  }
  __device__ void copy_edges() const {
    for_each_window([&](const stream_window& w, unsigned char* to) { w.copy_edges(to); });
  }

  template <bool aligned>
  __device__ auto source() const {
    unsigned char* at[source_type::streams];
    int s = 0;
    for_each_window([&](const stream_window& w, unsigned char* to) {
      const std::uintptr_t item =
          w.array_begin + static_cast<std::uintptr_t>(first_) * source_type::shape_of(s).item_bytes;
      at[s++] = to + w.offset_of(item);
    });
    return job_.source.template staged<aligned>(at, first_ == 0);
  }
  // Where the first item's result goes: to where that item stands in the first window.
  __device__ typename shape::result* results() const {
    const stream_window w(job_.source.stream(0), job_.n, source_type::shape_of(0), first_, count_);
    return reinterpret_cast<typename shape::result*>(stage_ + w.offset_of(w.begin));
  }

 private:
  template <class F>
  __device__ void for_each_window(F f) const {
    unsigned char* to = stage_;
#pragma unroll
    for (int s = 0; s < source_type::streams; ++s) {
      const stream_shape stream = source_type::shape_of(s);
      f(stream_window(job_.source.stream(s), job_.n, stream, first_, count_), to);
      to += window_bytes(stream, shape::tile_items);
    }
  }

  const Job& job_;
  index_t first_;
  int count_;
  unsigned char* stage_;
};

// The combination of a segment's items, of those below `count`; if it has none, something.
template <class Shape, class Items, class Op>
__device__ auto reduce_segment(const Items& items, int segment, int count, Op op) {
  using value = typename Items::value_type;
  constexpr int V = Shape::vector;
  const int begin = segment * Shape::segment_items;
  ::cuda::std::optional<value> total;
  const auto append = [&](const value& v) { total = total ? static_cast<value>(op(*total, v)) : v; };
  const auto append_row = [&](int i) {
    value v[V];
    items.template row<V>(i, v);
    value sum = v[0];
#pragma unroll
    for (int j = 1; j < V; ++j) sum = static_cast<value>(op(sum, v[j]));
    append(sum);
  };
  if (begin + Shape::segment_items <= count) {
#pragma unroll
    for (int r = 0; r < Shape::vectors; ++r) append_row(begin + r * V);
  } else {
    int i = begin;
#pragma unroll 1
    for (; i + V <= count; i += V) append_row(i);
#pragma unroll 1
    for (; i < count; ++i) append(items.at(i));
    if (!total) total = items.at(0);
  }
  return *total;
}

// Scans a segment's items below `count`, from `upto` on.
template <class Shape, bool aligned, class Items, class Result, class Optional, class Job>
__device__ void scan_segment(const Items& items, Result* results, int segment, int count, Optional upto,
                             const Job& job) {
  using value = typename Items::value_type;
  constexpr int V = Shape::vector;
  auto op = job.op;
  const auto next = [&](const value& item) -> Result {
    const bool mark = job.emit.mark(item);
    if constexpr (Job::inclusive) {
      upto = upto ? static_cast<value>(op(*upto, item)) : item;
      return static_cast<Result>(job.emit(*upto, mark));
    } else {
      const Result result = static_cast<Result>(job.emit(*upto, mark));
      upto = static_cast<value>(op(*upto, item));
      return result;
    }
  };
  const auto scan_row = [&](int i) {
    value v[V];
    Result out[V];
    items.template row<V>(i, v);
#pragma unroll
    for (int j = 0; j < V; ++j) out[j] = next(v[j]);
    put_row<V, aligned>(results + i, out);
  };
  const int begin = segment * Shape::segment_items;
  if (begin + Shape::segment_items <= count) {
#pragma unroll
    for (int r = 0; r < Shape::vectors; ++r) scan_row(begin + r * V);
  } else {
    int i = begin;
#pragma unroll 1
    for (; i + V <= count; i += V) scan_row(i);
#pragma unroll 1
    for (; i < count; ++i) results[i] = next(items.at(i));
  }
}

// A warp's share of a tile's results, of those below `count`.
template <class Shape, class Result, class Out>
__device__ void store_results(const Result* results, Out* out, int warp, int count, bool aligned) {
  constexpr int share = warp_size * Shape::segment_items;
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

}  // namespace onepass::detail
