// SPDX-License-Identifier: Apache-2.0
// The rungs that make sense on a CPU, in plain loops. There all scan the whole input: a core has no block to scan alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "../../core/cpu/driver/thread_team.hpp"
#include "rung.hpp"

namespace ladder {

using cpu_rung = rung<int>;
constexpr index_t cpu_tile_items = 1 << 14;  // 64 KB: a tile stays in a core's second cache between its two visits

// body(p) for each p in [0, parts), on at most so many threads; parts are drawn in rising order.
template <class Body>
void for_each_part(int threads, index_t parts, Body body) {
  std::atomic<index_t> next{0};
  onepass::detail::run_team(static_cast<int>(std::min<index_t>(threads, parts)), [&] {
    for (index_t p; (p = next.fetch_add(1, std::memory_order_relaxed)) < parts;) body(p);
  });
}
// body(begin, end) for even parts of [0, n), one a thread; what is short is done by one.
template <class Body>
void in_parts(int threads, index_t n, Body body) {
  const index_t parts = n < cpu_tile_items ? 1 : threads;
  for_each_part(threads, parts, [&](index_t p) { body(n * p / parts, n * (p + 1) / parts); });
}

inline item scan_range(const item* in, item* out, index_t begin, index_t end, item sum) {
  for (index_t i = begin; i < end; ++i) out[i] = sum += in[i];
  return sum;
}
inline item sum_of(const item* in, index_t begin, index_t end) {
  item sum = 0;
  for (index_t i = begin; i < end; ++i) sum += in[i];
  return sum;
}

// ---- no parts
namespace on_cpu {

inline void sequential(const item* in, item* out, index_t n, void*, int) { scan_range(in, out, 0, n, 0); }

inline std::size_t scratch_of_copy(index_t n) { return static_cast<std::size_t>(n) * sizeof(item); }

inline void hillis_steele(const item* in, item* out, index_t n, void* scratch, int threads) {
  item *from = out, *to = static_cast<item*>(scratch);
  in_parts(threads, n, [&](index_t begin, index_t end) { std::copy(in + begin, in + end, from + begin); });
  for (index_t step = 1; step < n; step *= 2, std::swap(from, to)) {
    in_parts(threads, n, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < std::min(step, end); ++i) to[i] = from[i];
      for (index_t i = std::max(step, begin); i < end; ++i) to[i] = from[i] + from[i - step];
    });
  }
  if (from != out)
    in_parts(threads, n, [&](index_t begin, index_t end) { std::copy(from + begin, from + end, out + begin); });
}

// In place on `out`, whose length need not be a power of two: after the way up, item i holds the sum of as many items as the
// lowest bit of i + 1 says; on the way down the items between are completed.
inline void blelloch(const item* in, item* out, index_t n, void*, int threads) {
  in_parts(threads, n, [&](index_t begin, index_t end) { std::copy(in + begin, in + end, out + begin); });
  index_t stride = 1;
  for (; stride < n; stride *= 2) {
    in_parts(threads, n / (2 * stride), [&](index_t begin, index_t end) {
      for (index_t k = begin; k < end; ++k) out[2 * stride * (k + 1) - 1] += out[2 * stride * (k + 1) - 1 - stride];
    });
  }
  for (; stride > 0; stride /= 2) {
    in_parts(threads, n / stride / 2, [&](index_t begin, index_t end) {
      for (index_t k = begin; k < end; ++k) {
        const index_t left = 2 * stride * (k + 1) - 1;
        if (left + stride < n) out[left + stride] += out[left];
      }
    });
  }
}

// ---- several passes, as many parts as threads
inline std::size_t scratch_of_parts(index_t) { return 1024 * sizeof(item); }
inline index_t part_count(index_t n, int threads) {
  return std::max<index_t>(1, std::min<index_t>({threads, 1024, n / cpu_tile_items}));
}

inline void scan_then_fan(const item* in, item* out, index_t n, void* scratch, int threads) {
  const auto sums = static_cast<item*>(scratch);
  const index_t parts = part_count(n, threads);
  const auto begin = [&](index_t p) { return n * p / parts; };
  for_each_part(threads, parts, [&](index_t p) { sums[p] = scan_range(in, out, begin(p), begin(p + 1), 0); });
  scan_range(sums, sums, 0, parts, 0);
  for_each_part(threads, parts - 1, [&](index_t p) {
    std::for_each(out + begin(p + 1), out + begin(p + 2), [&](item& x) { x += sums[p]; });
  });
}

inline void reduce_then_scan_two_pass(const item* in, item* out, index_t n, void* scratch, int threads) {
  const auto sums = static_cast<item*>(scratch);
  const index_t parts = part_count(n, threads);
  const auto begin = [&](index_t p) { return n * p / parts; };
  for_each_part(threads, parts, [&](index_t p) { sums[p] = sum_of(in, begin(p), begin(p + 1)); });
  scan_range(sums, sums, 0, parts, 0);
  for_each_part(threads, parts,
                [&](index_t p) { scan_range(in, out, begin(p), begin(p + 1), p == 0 ? 0 : sums[p - 1]); });
}

// ---- one pass, by tiles
// State and value in one word, as on the GPU: 0 nothing yet, 1 the tile's own sum, 2 the sum of all tiles up to it.
using descriptor = std::atomic<std::uint64_t>;
constexpr std::uint64_t aggregate = std::uint64_t{1} << 32, prefix = std::uint64_t{2} << 32;

inline std::size_t scratch_of_tiles(index_t n) {
  return static_cast<std::size_t>(divide_up(n, cpu_tile_items)) * sizeof(descriptor);
}

// scan_tile(descriptors, t, begin, end) for all tiles; numbers are drawn, so all before t are in somebody's hands.
template <class ScanTile>
void for_each_tile(index_t n, void* scratch, int threads, ScanTile scan_tile) {
  const auto tiles = static_cast<descriptor*>(scratch);
  const index_t count = divide_up(n, cpu_tile_items);
  for (index_t t = 0; t < count; ++t) new (tiles + t) descriptor(0);
  for_each_part(threads, count,
                [&](index_t t) { scan_tile(tiles, t, t * cpu_tile_items, std::min(n, (t + 1) * cpu_tile_items)); });
}
inline std::uint64_t wait_for(const descriptor& d, std::uint64_t least) {
  std::uint64_t word;
  while ((word = d.load(std::memory_order_relaxed)) < least) std::this_thread::yield();
  return word;
}

inline void chained(const item* in, item* out, index_t n, void* scratch, int threads) {
  for_each_tile(n, scratch, threads, [&](descriptor* tiles, index_t t, index_t begin, index_t end) {
    const item before = t == 0 ? 0 : static_cast<item>(wait_for(tiles[t - 1], prefix));
    tiles[t].store(prefix | scan_range(in, out, begin, end, before), std::memory_order_relaxed);
  });
}

inline void look_back(const item* in, item* out, index_t n, void* scratch, int threads) {
  for_each_tile(n, scratch, threads, [&](descriptor* tiles, index_t t, index_t begin, index_t end) {
    const item sum = sum_of(in, begin, end);
    if (t > 0) tiles[t].store(aggregate | sum, std::memory_order_relaxed);
    item before = 0;
    for (index_t at = t - 1; at >= 0; --at) {
      const std::uint64_t word = wait_for(tiles[at], aggregate);
      before += static_cast<item>(word);
      if (word >= prefix) break;
    }
    tiles[t].store(prefix | static_cast<item>(before + sum), std::memory_order_relaxed);
    scan_range(in, out, begin, end, before);
  });
}

}  // namespace on_cpu

inline constexpr cpu_rung cpu_rungs[] = {
    {"sequential", "one core", 0, no_scratch, on_cpu::sequential},
    {"hillis_steele", "n log n additions, and as many passes through memory as steps", 0, on_cpu::scratch_of_copy,
     on_cpu::hillis_steele},
    {"blelloch", "strides: each step up or down goes through all of the memory's lines, the long ones too", 0,
     no_scratch, on_cpu::blelloch},
    {"scan_then_fan", "results are read and written again", 0, on_cpu::scratch_of_parts, on_cpu::scan_then_fan},
    {"reduce_then_scan_two_pass", "the input is read from memory twice", 0, on_cpu::scratch_of_parts,
     on_cpu::reduce_then_scan_two_pass},
    {"chained", "one core at a time: each tile is scanned from its predecessor's sum on", 0, on_cpu::scratch_of_tiles,
     on_cpu::chained},
    {"look_back", "plain loops: an addition at a time, and stores that read their lines before", 0,
     on_cpu::scratch_of_tiles, on_cpu::look_back},
};

}  // namespace ladder
