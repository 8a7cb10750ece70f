// SPDX-License-Identifier: Apache-2.0
// The shapes of tiles, as data: figures that the kernels take as given. They were measured on one architecture, sm_90;
// others use the same rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../io/vector_access.cuh"
#include "../io/warp.cuh"

namespace onepass::detail {

struct tile_tuning {
  int threads;           // of a block
  int bytes_per_thread;  // of values of one tile that a thread has in registers
  int blocks;            // of a multiprocessor, at least: this bounds the registers of a thread
};

// The shape of a tile that a block holds in registers: each warp has `rows` rows, and each lane has `vector` consecutive
// items of a row. Value: what the registers hold. Read: what memory holds, which is read 16 bytes at a time.
template <tile_tuning (*tuning_of)(std::size_t), class Value, class Read = Value>
struct tile_shape {
  static constexpr tile_tuning tuning = tuning_of(sizeof(Value));
  static constexpr int threads = tuning.threads, blocks = tuning.blocks, warps = threads / warp_size;
  static constexpr int least = items_per_vector<Read>, fit = tuning.bytes_per_thread / static_cast<int>(sizeof(Value));
  // To move a value of more than 16 bytes between lanes costs more than to read items that lie apart: then a lane has all
  // of its items in one row.
  static constexpr int vector = sizeof(Value) > 16 && fit > least ? fit - fit % least : least;
  static constexpr int row_items = warp_size * vector, rows = fit < vector ? 1 : fit / vector;
  static constexpr int items = warps * rows * row_items;
  static_assert(rows * vector <= 64, "a lane's flags are bits of one word");
};

// For scans, by the size of the scanned value. A thread has 32 items of small values. From
// docs/history/performance-log.md, "Scan: tile shapes" and "Scan: wide values".
constexpr tile_tuning scan_tuning(std::size_t value_size) {
  return value_size < 4     ? tile_tuning{256, 32 * static_cast<int>(value_size), 2}
         : value_size <= 8  ? tile_tuning{256, 128, 2}
         : value_size <= 16 ? tile_tuning{256, 64, 2}
         : value_size <= 32 ? tile_tuning{256, 128, 2}
         : value_size <= 64 ? tile_tuning{256, 192, 1}
                            : tile_tuning{128, 64, 1};
}

// For scans of few bytes: there are more blocks, and each ends sooner. From docs/history/performance-log.md, "Scan:
// small inputs" and "Scan: wide values". Of more bytes of values than these, scans take scan_tuning.
constexpr std::int64_t short_scan_bytes(std::size_t value_size) { return (value_size <= 16 ? 512 : 4096) * 1024; }
constexpr tile_tuning short_scan_tuning(std::size_t value_size) {
  return value_size <= 16   ? tile_tuning{128, 32, 4}
         : value_size <= 64 ? tile_tuning{256, 64, 2}
                            : scan_tuning(value_size);
}

// For compactions, by the size of an item. From docs/history/performance-log.md, "Compaction: tile shapes". A thread has
// few small items, as it stages them one after another.
constexpr tile_tuning compact_tuning(std::size_t item_size) {
  return item_size <= 2    ? tile_tuning{512, 16, 2}
         : item_size <= 8  ? tile_tuning{512, 64, 2}
         : item_size <= 32 ? tile_tuning{256, 64, 2}
         : item_size <= 96 ? tile_tuning{128, 96, 1}
                           : tile_tuning{32, 96, 1};
}

// For partitions to three ranges, by the size of an item: of up to so many bytes, and of more. From
// docs/history/performance-log.md, "Partitions to three ranges".
constexpr std::int64_t short_three_way_bytes(std::size_t item_size) { return (item_size <= 2 ? 512 : 1024) * 1024; }
constexpr tile_tuning three_way_tuning(std::size_t item_size) {
  return item_size > 8 && item_size <= 16 ? tile_tuning{256, 96, 3} : compact_tuning(item_size);
}
constexpr tile_tuning short_three_way_tuning(std::size_t item_size) {  // up to 16 bytes
  return item_size <= 2 ? tile_tuning{128, 8, 4} : tile_tuning{128, 32, 4};
}

// The pipeline's ring of stages. From docs/history/performance-log.md, "Scan: the pipeline".
constexpr int pipeline_shared_bytes = 227 * 1024;  // the most shared memory that a block may have on sm_90
constexpr int pipeline_stage_bytes = 40 * 1024;    // of input, at most
constexpr int compact_strip_bytes = 144;           // of items that a lane has in registers
// Inputs of least_marked_bytes or more are loaded with the hint that L2 evict their lines last. At the end the hint is
// reset for the last unmarked_bytes of them. Same section.
constexpr std::size_t least_marked_bytes = std::size_t{128} << 20;
constexpr std::size_t unmarked_bytes = std::size_t{16} << 20;
// So many bytes of scanned values, or of items that are compacted, of 4 to 8 bytes each have the tiles that 132
// multiprocessors take at once, two each. Of more, some blocks would take a second tile when the others have ended.
constexpr std::int64_t bytes_in_one_wave = std::int64_t{33} << 18;
// Scans of fewer items than this take the tile driver. That one is slow where scanned values are too wide for descriptors of
// one word, so these take the pipeline earlier. `bits` is what a scan reads of an item, of all its arrays. From
// docs/history/performance-log.md, "Scans of whole rows, and where the pipeline begins".
constexpr std::int64_t pipeline_least_items(int bits, std::size_t value_size) {
  if (value_size > 8) return (std::int64_t{6} << 23) / bits;
  return bytes_in_one_wave / static_cast<std::int64_t>(value_size < 4 ? 4 : value_size);
}

// The same for compactions; item_size 0: of no items. Same section, and "Compaction: the pipeline".
constexpr std::int64_t compact_pipeline_least_items(int bytes_per_item, std::size_t item_size) {
  if (item_size >= 4 && item_size <= 8) return bytes_in_one_wave / static_cast<std::int64_t>(item_size);
  return bytes_per_item < 2   ? std::int64_t{5} << 19
         : bytes_per_item < 4 ? std::int64_t{3} << 19
                              : (std::int64_t{5} << 21) / bytes_per_item;
}

}  // namespace onepass::detail
