// SPDX-License-Identifier: Apache-2.0
// Offsets of segments of all kinds, and what reductions of such segments come to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace test {

using offsets_list = std::vector<std::int64_t>;

// Segments of the lengths that length(k) gives, up to n items.
template <class Length>
offsets_list offsets_of(std::size_t n, Length length) {
  offsets_list offsets{0};
  const auto end = static_cast<std::int64_t>(n);
  for (std::uint64_t k = 0; offsets.back() < end; ++k)
    offsets.push_back(std::min(end, offsets.back() + static_cast<std::int64_t>(length(k))));
  return offsets;
}

constexpr int kinds = 14;
inline offsets_list drawn_offsets(std::size_t n, int kind) {
  const auto random = [=](std::uint64_t k) { return hash(n + 77, k); };
  const auto last = static_cast<std::int64_t>(n);
  switch (kind) {
    case 0: return offsets_of(n, [&](std::uint64_t k) { return random(k) % 3; });       // many empty ones
    case 1: return offsets_of(n, [&](std::uint64_t k) { return 1 + random(k) % 19; });  // of 10 on average
    case 2: return offsets_of(n, [&](std::uint64_t k) { return random(k) % 100; });
    case 3:  // a power law
      return offsets_of(n, [&](std::uint64_t k) { return std::uint64_t{1} << (random(k) % 16 & random(k) / 16 % 16); });
    case 4:  // around strips, warps and tiles
      return offsets_of(n, [&](std::uint64_t k) {
        constexpr std::uint64_t around[] = {5, 13, 15, 29, 32, 416, 928, 1664, 3712, 7424};
        return around[random(k) % 10] + random(k + 1) % 3 - 1;
      });
    case 5:  // one huge one among many short ones
      return offsets_of(n, [&](std::uint64_t k) { return k == n / 20 ? 3 * n / 4 : 1 + random(k) % 3; });
    case 6: {  // all are empty
      return offsets_list(2 * n + 3, last / 2);
    }
    case 7: {  // long rows of empty ones in front, in the middle, and behind; items before all, and behind all
      offsets_list offsets(n / 2 + 20, last / 9);
      offsets.insert(offsets.end(), n + 11, last / 3);
      offsets.insert(offsets.end(), n / 3 + 7, last - last / 8);
      return offsets;
    }
    case 8:  // long ones, which end where tiles of some type end
      return offsets_of(n, [&](std::uint64_t k) {
        constexpr std::uint64_t steps[] = {3712, 1920, 896, 640};
        return (1 + random(k) % 5) * steps[random(n) % 4] - random(k + 1) % 3;
      });
    case 10:  // of 100 on average, and a few that warps, blocks or several blocks take
    case 11:  // the same, of 400
      return offsets_of(n, [&](std::uint64_t k) {
        constexpr std::uint64_t around[] = {512, 2048, 4096, 8192, 16384, 32768, 65536, 100000};
        if (random(k) % 256 == 0) return around[random(k) / 256 % 8] + random(k + 1) % 3 - 1;
        return 1 + random(k) / 256 % (kind == 10 ? 200 : 800);
      });
    case 12: {  // the same ends as in 8, among many segments of one item
      constexpr std::int64_t all_steps[] = {3712, 1920, 896, 640};
      const std::int64_t steps = all_steps[random(n) % 4];
      return offsets_of(n, [&, end = std::int64_t{0}](std::uint64_t k) mutable {
        std::int64_t length = 1;
        if (k % 1000 == 999) {  // the end is the first step of a tile
          const std::int64_t step = end + static_cast<std::int64_t>(k);
          length = (step / steps + 3) * steps - step;
        }
        end += length;
        return static_cast<std::uint64_t>(length);
      });
    }
    case 13: {  // around multiples of 8,192, where CUDA cuts long ones; others share a block's warps; a fourth is empty
      constexpr std::uint64_t chunk = 8192, most_short[] = {40, 400, 4000, 20000};
      return offsets_of(n, [&, at = std::uint64_t{0}](std::uint64_t k) mutable {
        const std::uint64_t draw = random(k), of = draw / 64;
        std::uint64_t length = of % most_short[random(n) % 4];
        if (draw % 64 == 0) length = (of % 4 + 1) * chunk + random(k + 1) % 3 - 1;  // as long as some chunks
        if (draw % 64 == 1)
          length = (of % 4 + 1) * chunk - at % chunk + random(k + 1) % 2;  // up to a border, or one behind
        if (draw % 64 / 8 == 1) length = 1000 + of % chunk;
        if (draw % 4 == 2) length = 0;
        at += length;
        return length;
      });
    }
    default: return {0, last};
  }
}

template <class T, class Op>
std::vector<T> expected_results(const std::vector<T>& values, const offsets_list& offsets, std::size_t n, T init,
                                Op op) {
  std::vector<T> results(offsets.size() - 1, init);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto begin = std::min(static_cast<std::size_t>(offsets[s]), n),
               end = std::min(static_cast<std::size_t>(offsets[s + 1]), n);
    if (begin == end) continue;
    T total = values[begin];
    for (std::size_t i = begin + 1; i < end; ++i) total = static_cast<T>(op(total, values[i]));
    results[s] = static_cast<T>(op(init, total));
  }
  return results;
}

}  // namespace test
