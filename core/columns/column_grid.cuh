// SPDX-License-Identifier: Apache-2.0
// How columns are cut into tiles on CUDA (core/columns/column_block.cuh).
#pragma once

#include "../lookback/descriptor.hpp"
#include "column_job.hpp"

namespace onepass::detail {

// The sizes of a tile, by the size of a value. None of them was measured.
template <class Value>
struct column_tuning {
  static constexpr int size = static_cast<int>(sizeof(Value));
  // An odd number of items, 128 bytes and one more for sizes that divide 128: the strips of a warp then begin in
  // different banks, however many columns there are.
  static constexpr int strip = (size < 128 ? 128 / size : 0) | 1;
  static constexpr int threads = size <= 16 ? 256 : size <= 128 ? 128 : 32;
  static constexpr int blocks = size <= 4 ? 4 : size <= 16 ? 3 : 1;  // of a multiprocessor, at least
  static constexpr int items = threads * strip;
  static constexpr int most_columns = threads < 64 ? threads : 64;
  static constexpr int batch = size <= 8 ? 8 : 4;  // how many loads a thread has on their way at once
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
  // Descriptors of a launch. The tags of those that it does not publish are cleared in turn (scrub).
  ONEPASS_HOST_DEVICE index_t slots() const { return chunks > 1 ? tiles() * columns : 1; }
};

template <class Job>
struct column_shared {
  using value = typename Job::value_type;
  using tuning = column_tuning<value>;
  alignas(value) unsigned char items[tuning::items * sizeof(value)];
  alignas(value) unsigned char totals[2][tuning::threads * sizeof(value)];
  tile_t tile;
  epoch_t epoch;
};

}  // namespace onepass::detail
