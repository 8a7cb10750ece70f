// SPDX-License-Identifier: Apache-2.0
// How columns are cut into tiles on CUDA (core/columns/column_block.cuh).
#pragma once

#include <algorithm>

#include "../lookback/descriptor.hpp"
#include "column_job.hpp"

namespace onepass::detail {

// The sizes of a tile, by the size of a value. Measured for random floats:
// docs/history/performance-log.md, "Columns"; not for other sizes.
template <class Value>
struct column_tuning {
  static constexpr int size = static_cast<int>(sizeof(Value));
  static constexpr int strip = size > 128 ? 1 : size > 4 ? 128 / size : 32;  // items that a thread has in registers
  static constexpr int threads = size <= 16 ? 256 : size <= 128 ? 128 : 32;
  static constexpr int blocks = size <= 16 ? 3 : 1;  // of a multiprocessor, at least
  // Tiles have so many columns. They have fewer where there are few chains: a tile then has more rows, a chain fewer tiles,
  // and a column more threads to look back. But a row of a tile fills two sectors of memory, or one if there would be
  // only one chain.
  static constexpr int most_columns = threads < 64 ? threads : 64;
  static constexpr int few_columns = 64 / size, least_columns = size >= 32 ? 1 : size > 1 ? 32 / size : 32;
  static constexpr int few_chains = 128;
  static_assert(size <= 1024, "onepass: columns of values of more than 1,024 bytes do not fit a block on CUDA");
};

// How an array is cut into tiles.
struct column_grid {
  column_shape shape;
  int columns;                    // of a tile; the last tile of a row may have fewer
  int lanes;                      // threads for each column
  int rows;                       // of a tile
  index_t bands, chunks, chains;  // tiles side by side; tiles in a chain; chains
  tile_t group;                   // tiles

  // By the tuning of a kernel's value (column_tuning).
  template <class Tuning>
  static ONEPASS_HOST_DEVICE column_grid of(const column_shape& shape) {
    column_grid grid(shape, Tuning::threads, Tuning::strip, Tuning::most_columns);
    for (int most = Tuning::most_columns / 2; most >= Tuning::least_columns; most /= 2) {
      if (grid.chunks == 1 || grid.chains >= Tuning::few_chains) break;
      if (grid.columns <= Tuning::few_columns && grid.chains > 1) break;
      grid = column_grid(shape, Tuning::threads, Tuning::strip, most);
    }
    return grid;
  }
  ONEPASS_HOST_DEVICE column_grid(const column_shape& s, int threads, int strip, int most_columns) : shape(s) {
    bands = divide_up(s.width, static_cast<index_t>(most_columns));
    columns = static_cast<int>(divide_up(s.width, bands));
    lanes = threads / columns;
    rows = lanes * strip;
    chunks = divide_up(s.most_rows(), static_cast<index_t>(rows));
    chains = bands * s.arrays();
    group = 1;
    while (static_cast<index_t>(group) * group < chunks) group *= 2;
  }
  ONEPASS_HOST_DEVICE index_t tiles() const { return chains * chunks; }
  // The most descriptors that a launch for this shape, or for fewer items of it, may take. With fewer items there are no
  // more chains, so tiles that publish are no wider. The tags of those that it does not publish are cleared in turn (scrub).
  template <class Tuning>
  static index_t slots(const column_shape& shape) {
    const int widest = of<Tuning>(shape).columns;
    index_t most_slots = 1;
    for (int most = Tuning::most_columns; most >= Tuning::least_columns; most /= 2) {
      const column_grid grid(shape, Tuning::threads, Tuning::strip, most);
      if (grid.columns <= widest && grid.chunks > 1) most_slots = std::max(most_slots, grid.tiles() * grid.columns);
    }
    return most_slots;
  }
};

template <class Job>
struct column_shared {
  using value = typename Job::value_type;
  using tuning = column_tuning<value>;
  alignas(value) unsigned char totals[2][tuning::threads * sizeof(value)];
  tile_t tile;
  epoch_t epoch;
};

}  // namespace onepass::detail
