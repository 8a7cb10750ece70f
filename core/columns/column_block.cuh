// SPDX-License-Identifier: Apache-2.0
// Columns on CUDA, in one pass. A tile has the items of up to 64 neighbouring columns in some rows. Each thread has a
// strip in registers: some consecutive items of one column. Neighbouring threads have neighbouring columns, so that they
// load from neighbouring addresses and store there.
//   reduce    each thread loads and combines its strip; strips of a column are then scanned
//   publish   the tile's aggregates, one a column
//   look back the tiles above, in the same columns, give each column's prefix
//   finish    scans the strips and stores them; or stores the totals of columns that end
// Bytes moved: each item once in and, in a scan, once out; 16 bytes a column of a tile for the look-back.
//
// Look-back: tiles that follow one another down the same columns are a chain, in groups of about as many tiles as there
// are groups in the chain. The last tile of a group publishes the combination of everything up to its end, the others
// their aggregates. A tile's prefix is what the group before has published, combined with the aggregates of its own
// group, from left to right. So it has to read few descriptors of long chains, and the association depends on the shape
// alone: floats have the same bits on every run. (One running prefix in each block, as in the drivers of scans, would
// be needed for each column.)
//
// Tickets rise along all chains together, row by row of tiles, so that what a tile waits for has been drawn before.
// Progress: a tile waits only for tiles with lower tickets, which running blocks have, and the first tile that has not
// published yet waits for none.
//
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), section 4.
#pragma once

#include "../cuda/runtime/grid_sync.cuh"
#include "../cuda/tile_driver/tile_driver.cuh"
#include "../support/construct.hpp"
#include "../support/iterator.hpp"
#include "column_strip.cuh"

namespace onepass::detail {

// A block's work on the tiles that it draws.
template <class Job>
class column_block {
  using value = typename Job::value_type;
  using tuning = column_tuning<value>;
  using table = descriptor_table<value, on_device>;
  using optional = ::cuda::std::optional<value>;
  static constexpr int threads = tuning::threads, strip = tuning::strip;
  static constexpr bool is_scan = Job::result != column_result::total;

 public:
  __device__ column_block(const Job& job, const tile_memory& memory, value* values, column_shared<Job>& s)
      : job_(job),
        memory_(memory),
        values_(values),
        s_(s),
        grid_(column_grid::of<tuning>(job.shape)),
        lane_(static_cast<int>(threadIdx.x) / grid_.columns),
        column_(static_cast<int>(threadIdx.x) % grid_.columns) {}

  __device__ void run() {
    const auto tiles = static_cast<tile_t>(grid_.tiles());
    ::cuda::std::optional<tile_dispenser> dispenser;  // thread 0's
    if (threadIdx.x == 0) {
      dispenser.emplace(memory_, tiles);
      s_.tile = dispenser->first();
      s_.epoch = dispenser->epoch();
    }
    for (;;) {
      __syncthreads();  // the tile's number is written
      const tile_t tile = s_.tile;
      if (tile >= tiles) break;
      // The next ticket is on its way meanwhile. This tile waits for lower tickets alone, so the next may wait for it.
      const tile_t next = threadIdx.x == 0 ? dispenser->next() : 0;
      work(area_of(tile));
      __syncthreads();  // the tile's number and the totals have been read
      if (threadIdx.x == 0) s_.tile = next;
    }
    if (tiles == 1 || !grid_sync(memory_.head).is_last_block(gridDim.x)) return;
    if (threadIdx.x == 0) {  // all blocks have read the state
      dispenser->end_launch(memory_);
      scrub(memory_, 0, s_.epoch);
    }
  }

 private:
  struct area {
    tile_t chunk, chain;
    index_t first;      // the index of the tile's first item
    int columns, rows;  // the input may end before the last of them
  };
  __device__ area area_of(tile_t tile) const {
    const auto chains = static_cast<tile_t>(grid_.chains), bands = static_cast<tile_t>(grid_.bands);
    const column_shape& shape = grid_.shape;
    area a;
    a.chunk = tile / chains;
    a.chain = tile % chains;
    const index_t row = static_cast<index_t>(a.chunk) * grid_.rows;
    const index_t column = static_cast<index_t>(a.chain % bands) * grid_.columns;
    a.first = (a.chain / bands) * shape.array_items() + row * shape.width + column;
    a.columns = static_cast<int>(min(static_cast<index_t>(grid_.columns), shape.width - column));
    a.rows = static_cast<int>(min(static_cast<index_t>(grid_.rows), shape.height - row));
    return a;
  }

  // ---- the tile's steps
  __device__ void work(const area& a) {
    // The column's `count` items in the tile, and this thread's strip of them.
    const bool has_column = lane_ < grid_.lanes && column_ < a.columns;
    const int count = has_column ? static_cast<int>(grid_.shape.rows_from(a.first + column_, a.rows)) : 0;
    const index_t first = a.first + lane_ * strip * grid_.shape.width + column_;
    column_strip<Job> mine(job_, grid_.shape.width, first, min(max(count - lane_ * strip, 0), strip));
    mine.load();
    const int turn = scan_totals(mine);
    const value* totals = totals_of(turn);

    const bool goes_on = count == grid_.rows && a.chunk + 1 < grid_.chunks;
    const bool ends_group = a.chunk % grid_.group == grid_.group - 1;
    if (goes_on && lane_ == grid_.lanes - 1 && (a.chunk == 0 || !ends_group))
      descriptors().publish(slot_of(a.chain, a.chunk), totals[threadIdx.x]);

    optional prefix;
    if (a.chunk > 0 && (is_scan || ends_group || ends_column(a))) {
      const value* prefixes = look_back(a, count, turn, goes_on && ends_group);
      if (count > 0) prefix = prefixes[column_];
    }
    if constexpr (is_scan) {
      if (mine.count() == 0) return;
      optional before = append(job_.initial, prefix);
      if (lane_ > 0) before = append(before, optional(totals[threadIdx.x - grid_.columns]));
      (void)mine.scan(before);
      mine.store();
    } else if (lane_ == 0 && count > 0) {
      store_total(a, count, append(prefix, optional(totals[(count - 1) / strip * grid_.columns + column_])));
    }
  }

  // Combines each strip and scans the results of a column, by the steps of Kogge and Stone. Returns which totals have
  // what each strip and those before it in the tile combine to. Contains barriers.
  __device__ int scan_totals(const column_strip<Job>& mine) {
    auto op = job_.op;
    optional total;
    if (mine.count() > 0) {
      total = mine.combine();
      detail::construct(totals_of(0) + threadIdx.x, *total);
    }
    int turn = 0;
    for (int step = 1; step < grid_.lanes; step *= 2) {
      __syncthreads();  // the totals of the last step are written
      if (total) {
        if (lane_ >= step) total = static_cast<value>(op(totals_of(turn)[threadIdx.x - step * grid_.columns], *total));
        detail::construct(totals_of(turn ^ 1) + threadIdx.x, *total);
      }
      turn ^= 1;
    }
    __syncthreads();  // the totals are written
    return turn;
  }

  // Whether one of the tile's columns may end in it.
  __device__ bool ends_column(const area& a) const {
    const column_shape& shape = grid_.shape;
    return a.chunk + 1 == grid_.chunks || a.first + grid_.rows * shape.width + a.columns > shape.n;
  }

  // Returns the prefixes of the tile's columns, for those that have items. With `publishes`, also publishes what goes up
  // to the column's end in this tile. The lanes of a column share the aggregates of the tile's group. Contains barriers.
  __device__ const value* look_back(const area& a, int count, int turn, bool publishes) {
    const tile_t before = a.chunk % grid_.group, group_begin = a.chunk - before;
    const tile_t share = divide_up(before, static_cast<tile_t>(grid_.lanes)), mine = lane_ * share;
    value* parts = totals_of(turn ^ 1);
    if (count > 0 && mine < before) {
      const tile_t slot = slot_of(a.chain, group_begin + mine);
      detail::construct(parts + threadIdx.x, fold_aggregates(slot, min(share, before - mine)));
    }
    __syncthreads();  // the parts are written
    if (count > 0 && lane_ == 0) {
      optional prefix;
      if (group_begin > 0) prefix = wait_for(slot_of(a.chain, group_begin - 1));
      for (tile_t part = 0; part * share < before; ++part)
        prefix = append(prefix, optional(parts[part * grid_.columns + column_]));
      detail::construct(parts + column_, *prefix);
      if (publishes) {
        auto op = job_.op;
        const value& aggregate = totals_of(turn)[(grid_.lanes - 1) * grid_.columns + column_];
        descriptors().publish(slot_of(a.chain, a.chunk), static_cast<value>(op(*prefix, aggregate)));
      }
    }
    __syncthreads();  // the prefixes are written
    return parts;
  }
  // Combines what `count` tiles of a chain have published for this thread's column, the first of them in `slot`.
  __device__ value fold_aggregates(tile_t slot, tile_t count) const {
    constexpr int at_once = 4;  // loads on their way; not measured
    const table aggregates = descriptors();
    optional total;
    for (tile_t k = 0; k < count; k += at_once) {
      typename table::raw raw[at_once];
#pragma unroll
      for (tile_t j = 0; j < at_once; ++j) {
        if (k + j < count) raw[j] = aggregates.read(slot + (k + j) * grid_.columns);
      }
#pragma unroll
      for (tile_t j = 0; j < at_once; ++j) {
        if (k + j < count) total = append(total, optional(wait_for(slot + (k + j) * grid_.columns, raw[j])));
      }
    }
    return *total;
  }
  __device__ value wait_for(tile_t slot) const { return wait_for(slot, descriptors().read(slot)); }
  __device__ value wait_for(tile_t slot, typename table::raw raw) const {
    const table published = descriptors();
    for (spin_guard guard; !published.is_published(raw); guard.wait()) raw = published.read(slot);
    return published.value(slot, raw);
  }

  // Stores the result of a column that ends in the tile, where it has `count` items.
  __device__ void store_total(const area& a, int count, const optional& total) {
    const column_shape& shape = grid_.shape;
    const index_t next = a.first + grid_.rows * shape.width + column_;
    const bool ends = count < grid_.rows || a.chunk + 1 == grid_.chunks || next >= shape.n;
    if (!ends) return;
    const index_t array = static_cast<index_t>(a.chain) / grid_.bands, band = a.chain % grid_.bands;
    auto op = job_.op;
    job_.out[array * shape.width + band * grid_.columns + column_] = static_cast<value>(op(*job_.initial, *total));
  }

  __device__ optional append(const optional& before, const optional& x) const {
    if (!before || !x) return before ? before : x;
    auto op = job_.op;
    return static_cast<value>(op(*before, *x));
  }
  __device__ value* totals_of(int turn) { return reinterpret_cast<value*>(s_.totals[turn]); }
  __device__ table descriptors() const { return table(memory_.slots, values_, s_.epoch); }
  __device__ tile_t slot_of(tile_t chain, tile_t chunk) const {
    return static_cast<tile_t>((chain * grid_.chunks + chunk) * grid_.columns + column_);
  }

  const Job& job_;
  const tile_memory& memory_;
  value* values_;
  column_shared<Job>& s_;
  column_grid grid_;
  int lane_, column_;  // the thread's strip: a lane of the column's
};

}  // namespace onepass::detail
