// SPDX-License-Identifier: Apache-2.0
// Shapes of tiles by the bytes of a key and of its value; the measurements behind them, on an H200, are in
// docs/history/performance-log.md, "Radix sort".
#pragma once

#include "../../../core/cuda/runtime/launch.cuh"
#include "onesweep/plan.cuh"

namespace onepass::detail {

// The shared memory that a block has on every device from sm_80 on: 99 KB, less what kernels have of it that is static.
constexpr std::size_t room_everywhere = 98 * 1024;

// Large tiles hide the look-back; what limits them are registers (every item is in one) and shared memory.
template <std::size_t key_bytes, std::size_t value_bytes>
struct split_tuning {
  static constexpr int threads = digit_values;
  static constexpr std::size_t bytes = key_bytes + value_bytes;
  // An item in shared memory: its key, its value, and its origin, which keys without values may need, too.
  static constexpr std::size_t shared_bytes = bytes + sizeof(std::uint16_t);
  // Items a thread, so that two blocks of 256 threads have room in a multiprocessor: keys in half of 128 registers,
  // items in 103 KB of shared memory, as a block needs 11 KB beside them.
  static constexpr int fits = std::clamp(static_cast<int>(std::min(256 / key_bytes, 412 / shared_bytes)), 1, 40);

  // Keys alone. Of 4 bytes: 512 threads, 5 to 9 % faster on an H100; tiles of 15,360, up to 3 % on an H200 beside 14,336.
  using keys = std::conditional_t<key_bytes <= 4, pass_shape<512, 30, 2>, pass_shape<threads, 32, 2>>;
  // With values, 35 and not the 40 that fit: on an H100 9 to 14 % faster when reversed, 1 to 2 % slower from 2^26 on.
  // Keys of 8 bytes with values of 4, 27 and not 28: 3 to 5 % faster.
  static constexpr int rounded = fits > 8 ? fits / 4 * 4 : fits, resident = key_bytes <= 32 ? 2 : 1;
  using others = pass_shape<threads, (fits == 40 ? 35 : key_bytes == 8 && value_bytes == 4 ? 27 : rounded), resident>;
  using large = std::conditional_t<(key_bytes > 8 || value_bytes > 0), others, keys>;
  // In little memory a tile is some whole pages.
  using large_of_pages =
      std::conditional_t<(key_bytes > 8 || value_bytes > 0), pass_shape<threads, rounded, resident>, keys>;
  // Where all of these are resident at once, and not all large ones: 4-byte keys at 2^22 gain 10 %.
  using one_wave = std::conditional_t<key_bytes == 4 && value_bytes == 0, pass_shape<512, 32, 2>, large>;
  // For so many items that descriptors have 64 bits: tiles for which sm_86, sm_89 and sm_120 have room, too.
  static constexpr int fits_99_kb = std::clamp(static_cast<int>(std::min(256 / key_bytes, 348 / shared_bytes)), 1, 40);
  using wide_keys = std::conditional_t<key_bytes <= 4, pass_shape<512, 26, 2>, keys>;
  using wide_others = pass_shape<threads, (fits_99_kb > 8 ? fits_99_kb / 4 * 4 : fits_99_kb), key_bytes <= 32 ? 2 : 1>;
  using wide = std::conditional_t<(key_bytes > 8 || value_bytes > 0), wide_others, wide_keys>;
  // At least what a block needs of shared memory. Devices that have less for large tiles take small ones.
  template <class Shape>
  static constexpr std::size_t shared_of = Shape::items* shared_bytes + Shape::warps* digit_values * sizeof(unsigned) +
                                           3072;
  static constexpr std::size_t shared_of_large = shared_of<large>, shared_of_wide = shared_of<wide>;
  // Small tiles of 4,096 items or less, so that few items, too, keep many multiprocessors busy.
  using small =
      std::conditional_t<bytes <= 4, pass_shape<threads, 16, 3>,
                         std::conditional_t<(key_bytes > 8 || fits < 8), pass_shape<threads, std::min(fits, 8), 2>,
                                            pass_shape<512, (shared_bytes < 19 ? 8 : 6), 2>>>;
  static constexpr std::size_t shared_of_small = shared_of<small>;
  static_assert(bytes > 28 || shared_of_small <= room_everywhere);
  // Of keys of 8 bytes two tiles for each of 132 multiprocessors.
  static constexpr index_t most_wide_in_small = value_bytes > 8  ? 1 << 19
                                                : key_bytes == 8 ? 264 * small::items
                                                                 : 1 << 20;
  static constexpr index_t most_in_small = bytes <= 4 ? 1 << 21 : most_wide_in_small;
  // For sorts of so few items that a tile a multiprocessor takes them all. 16 items a thread, if they fit 136 KB of shared
  // memory. Keys of 4 bytes leave it 64 registers, so that blocks find room beside the histogram's.
  static constexpr int fits_alone = std::clamp(static_cast<int>(272 / shared_bytes), 1, 16);
  static constexpr int a_thread_alone = fits_alone > 8 ? fits_alone / 4 * 4 : fits_alone;
  using few = pass_shape<512, a_thread_alone, (key_bytes * a_thread_alone <= 64 ? 2 : 1)>;
  static constexpr index_t most_in_few = most_tiles;  // there is room for less

  // Up to this many items, if they have three digits or more, are merged (small/merge_tiles.cuh).
  static constexpr index_t most_merged = key_bytes <= 4                       ? 1 << 14
                                         : key_bytes == 8 && value_bytes == 0 ? 1 << 17
                                                                              : 1 << 15;

  // How many descriptors a look-back reads at once. Tiles of the first waves find only aggregates before them and walk far
  // back. In later waves one of the nearest tiles has its inclusive prefix, and reading more is only traffic.
  static constexpr int window = most_window, window_of_many_waves = value_bytes == 0 || bytes > 8 ? 2 : 1;
  static constexpr unsigned few_waves = 8;

  // From this many keys of 4 bytes on, the lowest positions may be left out.
  static constexpr index_t least_msd_first = value_bytes == 0 ? index_t{1} << 24 : index_t{3} << 22;
  // From this many on, sorting buckets by blocks may replace two passes (sort_buckets.cuh), and before, a fix-up of ties the
  // last pass of keys alone (fix_many_ties.cuh). At least how many bits say a key's bucket: keys alone move their other bits in
  // 16 bits, pairs in 32 with the index of the value. And how many keys a block has room for at least.
  static constexpr index_t least_in_buckets = value_bytes == 0 ? index_t{3} << 26 : least_msd_first;
  static constexpr int least_bucket_bits = value_bytes == 0 ? 16 : 13;
  static constexpr int least_bucket_room = value_bytes == 0 ? medium_bucket : small_bucket;

  // A 32-bit descriptor has 30 bits for a count.
  static constexpr index_t most_in_narrow_words = (index_t{1} << 30) - 1;
};

template <class Tuning>
bool has_room_for_large_tiles(const char* call) {
  return Tuning::shared_of_large <= most_shared_memory(call);
}
// Whether n items are split by small tiles, unless their descriptors are wide: as they are few, or as the device has no
// shared memory for large tiles.
template <class Tuning>
bool tiles_are_small(const char* call, index_t n) {
  return n <= Tuning::most_in_small || !has_room_for_large_tiles<Tuning>(call);
}
// Whether n items need descriptors of 64 bits. Throws if there are more than one call can take.
template <class Tuning>
bool descriptors_are_wide(const char* call, index_t n) {
  if (n <= Tuning::most_in_narrow_words) return false;
  if (Tuning::shared_of_wide > most_shared_memory(call) || tiles_of<typename Tuning::wide>(n) >= most_tiles)
    throw invalid_argument(call, "more items than one call can take");
  return true;
}

}  // namespace onepass::detail
