// SPDX-License-Identifier: Apache-2.0
// What equalisation does with one pixel, one tile or one bin, in whole numbers, so that every backend gets the same bits.
// Source of the equalisation by tiles: K. Zuiderveld, "Contrast Limited Adaptive Histogram Equalization", Graphics Gems IV
// (1994). Excess over the limit is given back as OpenCV does it.
#pragma once

#include <onepass/config.hpp>

#include <cstdint>

namespace equalize {

using sample = std::uint16_t;

// A grid of tiles over a picture, as even as whole pixels allow. One tile is the whole picture.
struct tile_grid {
  std::int64_t width, height;  // of the picture
  std::int64_t columns, rows;  // tiles

  ONEPASS_HOST_DEVICE std::int64_t tiles() const { return columns * rows; }
  ONEPASS_HOST_DEVICE std::int64_t tile_of(std::int64_t pixel) const {
    return pixel / width * rows / height * columns + pixel % width * columns / width;
  }
  // How many of `pixels` in a line lie in tile t of `tiles`: those x with x * tiles / pixels == t.
  ONEPASS_HOST_DEVICE static std::int64_t length(std::int64_t t, std::int64_t tiles, std::int64_t pixels) {
    return ((t + 1) * pixels + tiles - 1) / tiles - (t * pixels + tiles - 1) / tiles;
  }
  ONEPASS_HOST_DEVICE std::int64_t area(std::int64_t tile) const {
    return length(tile % columns, columns, width) * length(tile / columns, rows, height);
  }
};

// Red, green and blue as weights of 1000ths add up to the eye's brightness (BT.601), rounded; a grey pixel is its own.
ONEPASS_HOST_DEVICE inline sample luminance(const sample* pixel, int channels) {
  if (channels < 3) return pixel[0];
  return static_cast<sample>((299U * pixel[0] + 587U * pixel[1] + 114U * pixel[2] + 500) / 1000);
}

struct find_light {
  const sample* samples;
  int channels;
  sample* light;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { light[i] = luminance(samples + i * channels, channels); }
};

// The bin that a pixel counts in: its tile's bin for its luminance.
struct bin_of_pixel {
  const sample* light;
  tile_grid grid;
  std::int64_t bins;  // of a tile
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const {
    const std::int64_t tile = grid.tiles() == 1 ? 0 : grid.tile_of(i);
    return static_cast<std::uint32_t>(tile * bins + light[i]);
  }
};

// The most that a bin of a tile may count, of which no slope of the map is steeper than `clip` times the even one's.
struct bin_limit {
  tile_grid grid;
  std::int64_t bins;
  double clip;  // 0: none
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t tile) const {
    const std::int64_t area = grid.area(tile);
    if (clip == 0) return area;
    const auto limit = static_cast<std::int64_t>(clip * static_cast<double>(area) / static_cast<double>(bins));
    return limit < 1 ? 1 : limit;
  }
};

struct excess_of_bin {
  const std::uint32_t* histogram;
  bin_limit limit;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t j) const {
    const std::int64_t over = histogram[j] - limit(j / limit.bins);
    return static_cast<std::uint32_t>(over > 0 ? over : 0);
  }
};

// A bin's count, cut at the limit, and its part of the tile's excess: the same for each, and of the remainder 1 for one in
// `step`.
struct clipped_bin {
  const std::uint32_t* histogram;
  const std::uint32_t* excess;  // of tiles
  bin_limit limit;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t j) const {
    const std::int64_t tile = j / limit.bins, bin = j % limit.bins, most = limit(tile);
    const std::int64_t count = histogram[j] < most ? histogram[j] : most;
    const std::int64_t each = excess[tile] / limit.bins, rest = excess[tile] % limit.bins;
    const std::int64_t step = rest == 0 ? 1 : limit.bins / rest;
    return static_cast<std::uint32_t>(count + each + (bin % step == 0 && bin / step < rest ? 1 : 0));
  }
};

// The new luminance for an old one in a tile: the share of its pixels up to there, of the largest luminance, rounded.
struct level_of_bin {
  const std::uint32_t* sums;
  tile_grid grid;
  std::int64_t bins;
  sample* levels;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t j) const {
    const auto area = static_cast<std::uint64_t>(grid.area(j / bins));
    levels[j] = static_cast<sample>((sums[j] * static_cast<std::uint64_t>(bins - 1) + area / 2) / area);
  }
};

// Two tiles whose centres are on both sides of a pixel, along one axis, and the weight of the second one, in 2 * pixels parts.
struct tile_pair {
  std::int64_t first, second, weight;
};
ONEPASS_HOST_DEVICE inline tile_pair tiles_beside(std::int64_t x, std::int64_t tiles, std::int64_t pixels) {
  const std::int64_t whole = 2 * pixels,
                     at = 2 * x * tiles - pixels;  // in tiles from the first one's centre, times whole
  if (at < 0) return {0, 0, 0};
  const std::int64_t first = at / whole;
  return {first, first + 1 < tiles ? first + 1 : first, at % whole};
}

// Writes a pixel with its new luminance: all colours move as far as the luminance does, and stop at the ends of their range.
struct map_pixel {
  const sample* samples;
  const sample* light;
  const sample* levels;
  int channels;
  tile_grid grid;
  std::int64_t bins;
  sample* result;

  ONEPASS_HOST_DEVICE std::int64_t new_light(std::int64_t i) const {
    if (grid.tiles() == 1) return levels[light[i]];
    const tile_pair x = tiles_beside(i % grid.width, grid.columns, grid.width);
    const tile_pair y = tiles_beside(i / grid.width, grid.rows, grid.height);
    const auto level = [&](std::int64_t row, std::int64_t column) {
      return static_cast<std::int64_t>(levels[(row * grid.columns + column) * bins + light[i]]);
    };
    const std::int64_t across = 2 * grid.width, down = 2 * grid.height;
    const std::int64_t above = level(y.first, x.first) * (across - x.weight) + level(y.first, x.second) * x.weight;
    const std::int64_t below = level(y.second, x.first) * (across - x.weight) + level(y.second, x.second) * x.weight;
    return (above * (down - y.weight) + below * y.weight + across * down / 2) / (across * down);
  }

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t to = new_light(i), move = to - light[i];
    for (int c = 0; c < channels; ++c) {
      const std::int64_t old = samples[i * channels + c];
      const bool opacity = c == 3 || (c == 1 && channels == 2);
      const std::int64_t moved = old + move < 0 ? 0 : old + move >= bins ? bins - 1 : old + move;
      result[i * channels + c] = static_cast<sample>(opacity ? old : moved);
    }
  }
};

struct is_lit_at {
  const sample* light;
  ONEPASS_HOST_DEVICE bool operator()(std::uint32_t i) const { return light[i] != 0; }
};

}  // namespace equalize
