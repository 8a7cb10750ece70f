// SPDX-License-Identifier: Apache-2.0
// A block's work on one tile of a scan, for the tile driver. No item moves from one thread to another: a warp takes
// rows of 32 x V consecutive items, of which lane l has items l x V to l x V + V - 1. So loads and stores have 16 bytes
// a lane and are coalesced. The rows are scanned by shuffles.
//   begin   loads the tile, scans it within lanes, rows, warps and the block, and returns the tile's aggregate
//   finish  combines the tile's prefix with the scanned items and stores them
// Between the two the tile stays in registers. Each item is read once and written once.
// The association within a tile depends on its shape alone: lane, row, warp, block, prefix.
#pragma once

#include "../../support/construct.hpp"
#include "../../support/none.hpp"
#include "../../scan/scan_job.hpp"
#include "tile_tuning.cuh"
#include "../io/vector_access.cuh"
#include "../io/warp.cuh"

namespace onepass::detail {

// What a scan writes for an item: the items of an array, or what is scanned where `out` is no array.
template <class Source, class Out>
using result_of = std::conditional_t<std::is_pointer_v<Out>, std::remove_pointer_t<Out>, typename Source::read_type>;

// ends_anywhere: most tiles are not full. Then also these have vector accesses, and full ones have no code of their own.
template <class Job, tile_tuning (*tuning_of)(std::size_t), bool ends_anywhere = false>
class scan_tile {
  using value = typename Job::value_type;
  using read = typename Job::source_type::read_type;
  // A lane has as many consecutive items as 16 bytes have of the wider of what is read and what is written: a lane that
  // wrote 16 integers of 8 bytes for 16 flags would write far from its neighbours.
  using widest = std::conditional_t<(sizeof(result_of<typename Job::source_type, decltype(Job::out)>) > sizeof(read)),
                                    result_of<typename Job::source_type, decltype(Job::out)>, read>;
  using shape = tile_shape<tuning_of, value, widest>;
  static constexpr int row_items = shape::row_items, rows = shape::rows, warps = shape::warps;

 public:
  static constexpr int vector = shape::vector;
  static constexpr int threads = shape::threads, blocks = shape::blocks, items = shape::items;

  struct produced_bits {
    std::uint32_t words[divide_up(items, 32)];
  };
  struct shared : std::conditional_t<is_produced<typename Job::source_type>, produced_bits, none> {
    alignas(value) unsigned char totals[warps * sizeof(value)];
  };

  // Returns the tile's aggregate to all threads. Contains at least one barrier of the block.
  __device__ value begin(const Job& job, index_t tile_begin, shared& s) {
    if constexpr (is_produced<typename Job::source_type>) {
      const int count = static_cast<int>(min(static_cast<index_t>(items), job.n - tile_begin));
      load(job, job.source.template in_tile<threads>(tile_begin, count, s.words), tile_begin);
    } else {
      load(job, job.source, tile_begin);
    }
    auto op = job.op;
    scan_lanes(op);
    const value warp_total = scan_rows(op);
    return scan_warps(op, warp_total, s);
  }

  // For the tile in which the input ends, between begin and finish: calls f with the combination of its items, in the
  // thread that has the last one.
  template <class F>
  __device__ void with_last(const Job& job, index_t tile_begin, F f) const {
    auto op = job.op;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        if (tile_begin + offset(r) + j + 1 != job.n) continue;
        f(has_before(r) ? static_cast<value>(op(before_[r], v_[r][j])) : v_[r][j]);
      }
    }
  }

  __device__ void finish(const Job& job, index_t tile_begin, const ::cuda::std::optional<value>& prefix, bool,
                         shared&) {
    auto op = job.op;
    const bool full = !ends_anywhere && tile_begin + items <= job.n;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const bool local = has_before(r);
      const value start = prefix ? (local ? static_cast<value>(op(*prefix, before_[r])) : *prefix) : before_[r];
      const auto result = [&](int j) {
        const bool marked = marks_ >> (r * vector + j) & 1;
        if constexpr (Job::inclusive) {
          return job.emit(prefix || local ? static_cast<value>(op(start, v_[r][j])) : v_[r][j], marked);
        } else {
          return job.emit(j == 0 ? start : static_cast<value>(op(start, v_[r][j > 0 ? j - 1 : 0])), marked);
        }
      };
      std::decay_t<decltype(result(0))> results[vector];
#pragma unroll
      for (int j = 0; j < vector; ++j) results[j] = result(j);
      const index_t i = tile_begin + offset(r);
      if (full || (ends_anywhere && i + vector <= job.n)) {
        detail::store_row(job.out, i, results);
      } else {
#pragma unroll
        for (int j = 0; j < vector; ++j) {
          if (i + j < job.n) job.out[i + j] = results[j];
        }
      }
    }
  }

 private:
  static __device__ int offset(int row) { return (warp_id() * rows + row) * row_items + lane_id() * vector; }
  // Whether before_[row] has a value. Only the tile's first items have nothing before them.
  static __device__ bool has_before(int row) { return row > 0 || threadIdx.x > 0; }

  // Behind the end of the input a partial tile repeats the last item. The results of real items do not depend on what
  // stands behind them. The operator sees values of the caller's alone, but also some that are no neighbours.
  template <class Source>
  __device__ void load(const Job& job, const Source& source, index_t tile_begin) {
    if (!ends_anywhere && tile_begin + items <= job.n) {
#pragma unroll
      for (int r = 0; r < rows; ++r) source.template row<vector>(tile_begin + offset(r), v_[r]);
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (ends_anywhere && tile_begin + offset(r) + vector <= job.n) {
          source.template row<vector>(tile_begin + offset(r), v_[r]);
          continue;
        }
#pragma unroll
        for (int j = 0; j < vector; ++j) {
          const index_t i = tile_begin + offset(r) + j;
          v_[r][j] = source.at(i < job.n ? i : job.n - 1);
        }
      }
    }
    if constexpr (std::decay_t<decltype(job.emit)>::marks) {
#pragma unroll
      for (int i = 0; i < rows * vector; ++i) {
        marks_ |= static_cast<std::uint64_t>(job.emit.mark(v_[i / vector][i % vector])) << i;
      }
    }
  }

  template <class Op>
  __device__ void scan_lanes(Op& op) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 1; j < vector; ++j) v_[r][j] = static_cast<value>(op(v_[r][j - 1], v_[r][j]));
    }
  }

  // Leaves in before_ the combination of what precedes a lane's items of each row within the warp, and returns the
  // warp's total. A shuffle brings it: to take a lane's own items off an inclusive result needs an inverse of the
  // operator, which most have not, and loses bits of floats.
  template <class Op>
  __device__ value scan_rows(Op& op) {
    value inclusive[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) inclusive[r] = warp_inclusive_scan(v_[r][vector - 1], op);
    value total = detail::shuffle_from(inclusive[0], warp_size - 1);
    before_[0] = detail::shuffle_up(inclusive[0], 1);
#pragma unroll
    for (int r = 1; r < rows; ++r) {
      const value in_row = detail::shuffle_up(inclusive[r], 1);
      before_[r] = lane_id() > 0 ? static_cast<value>(op(total, in_row)) : total;
      total = static_cast<value>(op(total, detail::shuffle_from(inclusive[r], warp_size - 1)));
    }
    return total;
  }

  template <class Op>
  __device__ value scan_warps(Op& op, const value& warp_total, shared& s) {
    value* totals = reinterpret_cast<value*>(s.totals);
    if (lane_id() == 0) detail::construct(totals + warp_id(), warp_total);
    __syncthreads();  // totals are written
    const value inclusive = warp_inclusive_scan(totals[lane_id() < warps ? lane_id() : warps - 1], op);
    const value warps_before = detail::shuffle_from(inclusive, warp_id() > 0 ? warp_id() - 1 : 0);
    if (warp_id() > 0) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        before_[r] = r > 0 || lane_id() > 0 ? static_cast<value>(op(warps_before, before_[r])) : warps_before;
      }
    }
    return detail::shuffle_from(inclusive, warps - 1);
  }

  value v_[rows][vector];  // scanned within the lane
  value before_[rows];     // the combination of what precedes v_[r] in the tile
  std::uint64_t marks_ = 0;
};

}  // namespace onepass::detail
