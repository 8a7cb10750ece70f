// SPDX-License-Identifier: Apache-2.0
// A tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh) in shared memory: its shape and its windows. A tile is cut
// into strips of consecutive items, one for each lane; a warp's are its share. A strip is an odd number of 16-byte vectors, so
// the lanes of a warp read a vector each without bank conflicts.
#pragma once

#include "staging.cuh"
#include "../tile_driver/tile_tuning.cuh"

namespace onepass::detail {

// Of shared memory where functors may read memory: a line on its way needs room in L1, which is what shared memory
// leaves. From docs/history/performance-log.md, "Predicates that look something up, and predicates that take long".
constexpr int shared_bytes_beside_cache = 130 * 1024;

// The sizes of a tile and its ring. `Source` has streams (core/scan/source.hpp). `slot_bytes` is what a stage has for
// the work beside the items. `most_vectors` bounds a strip of the first stream, for work that has it in registers. Each
// of `finishers` warps takes the shares of as many of the `warps` that reduce. `looks_up`: functors may read memory.
template <class Source, std::size_t slot_bytes, int most_vectors = 64, int warps_ = 8, int finishers_ = warps_,
          bool looks_up_ = false>
struct strip_shape {
  using item = typename Source::read_type;  // of the first stream
  static constexpr int vector = items_per_vector<item>;
  static constexpr int item_bytes = sizeof(item);
  static constexpr int bits_per_item = [] {
    int bits = 0;
    for (int s = 0; s < Source::streams; ++s) bits += Source::shape_of(s).item_bits;
    return bits;
  }();

  static constexpr bool looks_up = looks_up_;
  static constexpr int warps = warps_, finishers = finishers_, shares_each = warps / finishers;
  static constexpr int strips = warps * warp_size;

  static constexpr std::size_t stage_bytes_of(int items) {
    std::size_t bytes = 0;
    for (int s = 0; s < Source::streams; ++s) bytes += window_bytes(Source::shape_of(s), items);
    return bytes;
  }
  // How many stages a ring has whose tiles have so many items; 8 at most (more: not measured). Beside items and slot each
  // has two values a warp (8 bytes, or a 16th of a slot that has one a lane) and 64 bytes. 1,024 are what the block has once.
  static constexpr int stages_of(int items) {
    const std::size_t bytes = stage_bytes_of(items) + slot_bytes + slot_bytes / 16 + 64 + 8 * warps;
    const int most = ((looks_up ? shared_bytes_beside_cache : pipeline_shared_bytes) - 1024) / static_cast<int>(bytes);
    return most < 8 ? most : 8;
  }
  // The number of vectors in a strip: odd, no more than a stage has room for, and such that the ring has the most
  // items; the largest such number.
  static constexpr int vectors = [] {
    const int fit = pipeline_stage_bytes * 8 / (strips * vector * bits_per_item);
    int best = 1;
    for (int v = 3; v <= fit && v <= most_vectors; v += 2) {
      if (v * stages_of(strips * vector * v) >= best * stages_of(strips * vector * best)) best = v;
    }
    return best;
  }();
  static constexpr int strip_items = vectors * vector;
  static constexpr int share_items = warp_size * strip_items;
  static constexpr int tile_items = strips * strip_items;

  static constexpr std::size_t stage_bytes = stage_bytes_of(tile_items);
  static constexpr int stages = stages_of(tile_items);
};

template <class Job, class Shape>
class staged_tile {
  using source_type = typename Job::source_type;

 public:
  __device__ staged_tile(const Job& job, index_t first, int count, unsigned char* stage)
      : job_(job), first_(first), count_(count), stage_(stage) {}

  __device__ const Job& job() const { return job_; }
  __device__ index_t first() const { return first_; }
  __device__ int count() const { return count_; }

  // ---- fetching
  __device__ unsigned bulk_bytes() const {
    unsigned bytes = 0;
    for_each_window(
        [&](int s, const stream_window& w, unsigned char*) { bytes += is_fetched(s) ? w.bulk_bytes() : 0; });
    return bytes;
  }
  __device__ void copy_bulk(phase_barrier& landed, cache_hint hint) const {
    for_each_window([&](int s, const stream_window& w, unsigned char* to) {
      if (is_fetched(s)) w.copy_bulk(to, landed, hint);
    });
  }
  __device__ void reset_lines() const {
    for_each_window([&](int s, const stream_window& w, unsigned char*) {
      if (is_fetched(s)) w.reset_lines();
    });
  }
  __device__ void copy_edges() const {
    for_each_window([&](int s, const stream_window& w, unsigned char* to) {
      if (is_fetched(s)) w.copy_edges(to);
    });
  }
  // Called by a producer warp: fills the windows of the produced streams.
  template <class Producer>
  __device__ void produce(Producer& producer) const {
    for_each_window([&](int s, const stream_window& w, unsigned char* to) {
      const stream_shape shape = source_type::shape_of(s);
      if (!shape.produced) return;
      const auto words = static_cast<int>(window_bytes(shape, Shape::tile_items) / sizeof(std::uint32_t));
      producer.produce(first_, count_, reinterpret_cast<std::uint32_t*>(to), words, w.bit_of_first());
    });
  }

  // ---- reading: the job's source, counted from the tile's first item
  template <bool aligned>
  __device__ auto source() const {
    staged_address at[source_type::streams];
    for_each_window([&](int s, const stream_window& w, unsigned char* to) { at[s] = w.address_of_first(to); });
    return job_.streams().template staged<aligned>(at, first_);
  }
  // The address of the first stream's first item.
  __device__ void* first_item() const {
    return stream_window(job_.streams().stream(0), job_.n, source_type::shape_of(0), first_, count_)
        .address_of_first(stage_)
        .byte;
  }

 private:
  static constexpr __device__ bool is_fetched(int s) { return !source_type::shape_of(s).produced; }
  template <class F>
  __device__ void for_each_window(F f) const {
    unsigned char* to = stage_;
#pragma unroll
    for (int s = 0; s < source_type::streams; ++s) {
      const stream_shape stream = source_type::shape_of(s);
      f(s, stream_window(job_.streams().stream(s), job_.n, stream, first_, count_), to);
      to += window_bytes(stream, Shape::tile_items);
    }
  }

  const Job& job_;
  index_t first_;
  int count_;
  unsigned char* stage_;
};

}  // namespace onepass::detail
