// SPDX-License-Identifier: Apache-2.0
// Shapes of tiles by the bytes of a key and of its value; docs/performance.md has the measurements on an H200 behind them.
#pragma once

#include "cuda_job.cuh"

namespace onepass::detail {

// Large tiles hide the look-back; what limits them are registers (every item is in one) and shared memory.
template <std::size_t key_bytes, std::size_t value_bytes>
struct split_tuning {
  static constexpr int threads = digit_values;
  static constexpr std::size_t bytes = key_bytes + value_bytes;
  // Others than the common ones: what 96 KB of shared memory and half of 128 registers hold.
  static constexpr int fits = static_cast<int>(std::min<std::size_t>(96 * 1024 / (threads * bytes), 256 / bytes));

  template <int ballots, int lane_order, int blocks>
  using both = pass_shapes<pass_shape<threads, ballots, blocks>, pass_shape<threads, lane_order, blocks>>;
  template <int ballots, int blocks>
  using one = pass_shapes<pass_shape<threads, ballots, blocks>>;

  using keys = std::conditional_t<key_bytes <= 4, both<36, 40, 3>, both<28, 32, 2>>;
  using pairs = std::conditional_t<key_bytes <= 4, one<40, 2>, one<32, 2>>;
  using others = one<std::clamp(fits, 1, 28), bytes <= 16 ? 2 : 1>;
  using large =
      std::conditional_t<(key_bytes > 8 || value_bytes > 4), others, std::conditional_t<value_bytes == 0, keys, pairs>>;
  // So that few items, too, keep many multiprocessors busy.
  using small = one<std::clamp(fits, 1, key_bytes <= 4 ? 16 : 8), bytes <= 4 ? 3 : 2>;
  static constexpr index_t most_in_small = 1 << 19;

  // 30 bits of a 32-bit descriptor hold a count below 2^30.
  static constexpr index_t most_in_narrow_words = (index_t{1} << 30) - 1;

  // Where no digit has a larger share of the items than this, lane order is faster than ballots.
  static constexpr double share_for_lane_order = 0.3;
};

}  // namespace onepass::detail
