// SPDX-License-Identifier: Apache-2.0
// Shapes of tiles by the bytes of a key and of its value; the measurements behind them, on an H200, are in
// docs/history/performance-log.md, "Radix sort".
#pragma once

#include "onesweep/plan.cuh"

namespace onepass::detail {

// Large tiles hide the look-back; what limits them are registers (every item is in one) and shared memory.
template <std::size_t key_bytes, std::size_t value_bytes>
struct split_tuning {
  static constexpr int threads = digit_values;
  static constexpr std::size_t bytes = key_bytes + value_bytes;
  // Others than the common ones: what half of 128 registers hold, and 64 KB of shared memory. Keys and values are never
  // there at once.
  static constexpr int fits = std::clamp(static_cast<int>(256 / std::max(key_bytes, value_bytes)), 1, 32);

  template <int ballots, int lane_order, int blocks>
  using both = pass_shapes<pass_shape<threads, ballots, blocks>, pass_shape<threads, lane_order, blocks>>;
  template <int ballots, int blocks>
  using one = pass_shapes<pass_shape<threads, ballots, blocks>>;

  using keys = std::conditional_t<key_bytes <= 4, both<36, 40, 3>, both<28, 32, 2>>;
  using pairs = one<40, 2>;
  using others = one<fits, std::max(key_bytes, value_bytes) <= 32 ? 2 : 1>;
  using large =
      std::conditional_t<(key_bytes > 8 || value_bytes > 4), others, std::conditional_t<value_bytes == 0, keys, pairs>>;
  // So that few items, too, keep many multiprocessors busy.
  using small = one<std::min(fits, key_bytes <= 4 ? 16 : 8), bytes <= 4 ? 3 : 2>;
  static constexpr index_t most_in_small = bytes <= 4 ? 1 << 21 : 1 << 20;

  // Up to here, blocks of the histogram and of the passes do not wait for a plan (plan_by_rows.cuh). 2^20 at the most: a
  // thread of a pass looks at one row, and a count of a place shares a word with its digit.
  static constexpr index_t most_by_rows = 1 << 18;

  // How many tiles a look-back looks at at once. Where there are few waves of tiles, those that begin together walk far
  // back; later, one of the next tiles knows all, and to look at more is only traffic.
  static constexpr int window = most_window, window_of_many_waves = value_bytes == 0 || bytes > 8 ? 2 : 1;
  static constexpr unsigned few_waves = 8;

  // 30 bits of a 32-bit descriptor hold a count below 2^30.
  static constexpr index_t most_in_narrow_words = (index_t{1} << 30) - 1;

  // Where no digit has a larger share of the items than this, lane order is faster than ballots.
  static constexpr double share_for_lane_order = 0.3;
};

// What one block sorts by itself: as much as shared memory holds, of which a block may have 163 KB on sm_80; 32 KB are for
// counters. An item takes its key twice, its rank, and with a value that and twice where it stood.
template <std::size_t key_bytes, std::size_t value_bytes>
struct block_sort_shape {
  static constexpr std::size_t item_bytes = 2 * key_bytes + 2 + (value_bytes > 0 ? value_bytes + 4 : 0);
  static constexpr int threads = 1024;
  // More than 12 a thread are faster by many blocks.
  static constexpr int items = static_cast<int>(std::min<std::size_t>(128 * 1024 / item_bytes / threads, 12)) * threads;
  static constexpr int rows = 8;  // items a thread, if there are few
};

}  // namespace onepass::detail
