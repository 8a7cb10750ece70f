// SPDX-License-Identifier: Apache-2.0
// Tuning is data: what the kernels take as given about tile shapes. One architecture so far, sm_90; others use its rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onepass::detail {

struct tile_tuning {
  int threads;           // a block
  int bytes_per_thread;  // of values that a thread holds of one tile
  int blocks;            // a multiprocessor, at least: bounds the registers
};

// By the size of the scanned value; 32 items a thread of small ones. From
// docs/history/performance-log.md, "Scan: tile shapes".
constexpr tile_tuning scan_tuning(std::size_t value_size) {
  return value_size < 4     ? tile_tuning{256, 32 * static_cast<int>(value_size), 2}
         : value_size <= 8  ? tile_tuning{256, 128, 2}
         : value_size <= 16 ? tile_tuning{256, 64, 2}
         : value_size <= 64 ? tile_tuning{256, 64, 1}
                            : tile_tuning{128, 64, 1};
}

// For inputs of few bytes: more blocks, each through sooner. From
// docs/history/performance-log.md, "Scan: small inputs".
constexpr std::int64_t short_scan_bytes = 512 * 1024;  // of values
constexpr tile_tuning short_scan_tuning(std::size_t value_size) {
  return value_size <= 16 ? tile_tuning{128, 32, 4} : scan_tuning(value_size);
}

// By the size of an item. From docs/history/performance-log.md, "Compaction: tile shapes".
constexpr tile_tuning compact_tuning(std::size_t item_size) {
  return item_size <= 8    ? tile_tuning{512, 64, 2}
         : item_size <= 32 ? tile_tuning{256, 64, 2}
         : item_size <= 96 ? tile_tuning{128, 96, 1}
                           : tile_tuning{32, 96, 1};
}

// The pipeline's ring. A block may have 227 KB of shared memory on sm_90. From
// docs/history/performance-log.md, "Scan: the pipeline".
constexpr int pipeline_shared_bytes = 227 * 1024;
constexpr int pipeline_stage_bytes = 40 * 1024;  // of input, at most
constexpr int compact_segment_bytes = 144;       // of items, which a lane holds in registers
// From so much input on its lines are marked to stay in L2, and of the last so many the mark is taken away at the end.
constexpr std::size_t least_marked_bytes = std::size_t{128} << 20;
constexpr std::size_t unmarked_bytes = std::size_t{16} << 20;
// Shorter scans take core/cuda/tile_driver/tile_driver.cuh, which is slow where scanned values are too wide for descriptors of one word.
// `bits`: of all that is read of an item.
constexpr std::int64_t pipeline_least_items(int bits, std::size_t value_size) {
  return value_size > 8 ? (std::int64_t{6} << 23) / bits
         : bits < 32    ? std::int64_t{1} << 22
                        : (std::int64_t{1} << 27) / bits;
}

// The same for compaction. From docs/history/performance-log.md, "Compaction: the pipeline".
constexpr std::int64_t compact_pipeline_least_items(int bytes_per_item) {
  return bytes_per_item < 4 ? std::int64_t{5} << 19 : (std::int64_t{5} << 21) / bytes_per_item;
}

}  // namespace onepass::detail
