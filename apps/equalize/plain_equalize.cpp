// SPDX-License-Identifier: Apache-2.0
// Loops over tiles and pixels, with a histogram that is counted up.
#include "plain_equalize.hpp"

#include <algorithm>

namespace equalize {
namespace {

using counts = std::vector<std::int64_t>;

bool coloured(const picture& what) { return what.channels >= 3; }

// What is over the limit goes to all bins alike, and the remainder to some, evenly spread.
void cut_off(counts& histogram, std::int64_t area, double clip) {
  const auto bins = static_cast<std::int64_t>(histogram.size());
  const auto limit = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(clip * static_cast<double>(area) / static_cast<double>(bins)));
  std::int64_t excess = 0;
  for (std::int64_t& count : histogram) {
    excess += std::max<std::int64_t>(0, count - limit);
    count = std::min(count, limit);
  }
  for (std::int64_t& count : histogram) count += excess / bins;
  std::int64_t rest = excess % bins;
  if (rest == 0) return;
  const std::int64_t step = bins / rest;
  for (std::int64_t bin = 0; bin < bins && rest > 0; bin += step, --rest) ++histogram[static_cast<std::size_t>(bin)];
}

class plain_equalizer {
 public:
  plain_equalizer(const picture& what, int columns, int rows, double clip)
      : what_(what), columns_(columns), rows_(rows), bins_(std::int64_t{1} << what.depth), light_(what.pixels()) {
    for (std::size_t pixel = 0; pixel < light_.size(); ++pixel) light_[pixel] = light_at(what, pixel);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) maps_.push_back(map_of(column, row, clip));
    }
  }

  plain_result result() const {
    plain_result all{what_.samples, {}};
    const int channels = what_.channels, shown = coloured(what_) ? 3 : 1;
    for (std::size_t pixel = 0; pixel < light_.size(); ++pixel) {
      const std::int64_t move = new_light(static_cast<std::int64_t>(pixel)) - light_[pixel];
      for (int c = 0; c < shown; ++c) {
        std::uint16_t& sample = all.samples[pixel * static_cast<std::size_t>(channels) + static_cast<std::size_t>(c)];
        sample = static_cast<std::uint16_t>(std::clamp<std::int64_t>(sample + move, 0, bins_ - 1));
      }
      if (light_[pixel] != 0) all.lit.push_back(static_cast<std::uint32_t>(pixel));
    }
    return all;
  }

 private:
  // The first x that is in tile t of `tiles`.
  static std::int64_t begin_of(std::int64_t t, std::int64_t tiles, std::int64_t size) {
    std::int64_t x = t * size / tiles;
    while (x * tiles < t * size) ++x;
    return x;
  }

  counts map_of(int column, int row, double clip) const {
    counts histogram(static_cast<std::size_t>(bins_));
    const std::int64_t left = begin_of(column, columns_, what_.width),
                       right = begin_of(column + 1, columns_, what_.width);
    const std::int64_t top = begin_of(row, rows_, what_.height), bottom = begin_of(row + 1, rows_, what_.height);
    for (std::int64_t y = top; y < bottom; ++y) {
      for (std::int64_t x = left; x < right; ++x) ++histogram[static_cast<std::size_t>(light(x, y))];
    }
    const std::int64_t area = (right - left) * (bottom - top);
    if (clip > 0) cut_off(histogram, area, clip);
    std::int64_t sum = 0;
    for (std::int64_t& count : histogram) {
      sum += count;
      count = (sum * (bins_ - 1) + area / 2) / area;
    }
    return histogram;
  }

  int light(std::int64_t x, std::int64_t y) const { return light_[static_cast<std::size_t>(y * what_.width + x)]; }

  // Between the maps of the four tiles around, each weighted by how near its centre is; of one tile by its map.
  std::int64_t new_light(std::int64_t pixel) const {
    if (maps_.size() == 1) {
      return maps_.front()[static_cast<std::size_t>(light_[static_cast<std::size_t>(pixel)])];
    }
    const std::int64_t x = pixel % what_.width, y = pixel / what_.width, across = 2 * what_.width,
                       down = 2 * what_.height;
    const std::int64_t u = std::max<std::int64_t>(0, 2 * x * columns_ - what_.width);
    const std::int64_t v = std::max<std::int64_t>(0, 2 * y * rows_ - what_.height);
    const auto map = [&](std::int64_t column, std::int64_t row) {
      const std::int64_t tile =
          std::min<std::int64_t>(row, rows_ - 1) * columns_ + std::min<std::int64_t>(column, columns_ - 1);
      return maps_[static_cast<std::size_t>(tile)][static_cast<std::size_t>(light(x, y))];
    };
    const std::int64_t i = u / across, j = v / down, p = u % across, q = v % down;
    return (map(i, j) * (across - p) * (down - q) + map(i + 1, j) * p * (down - q) + map(i, j + 1) * (across - p) * q +
            map(i + 1, j + 1) * p * q + across * down / 2) /
           (across * down);
  }

  const picture& what_;
  const std::int64_t columns_, rows_, bins_;
  std::vector<int> light_;
  std::vector<counts> maps_;
};

}  // namespace

int light_at(const picture& what, std::size_t pixel) {
  const std::uint16_t* at = what.samples.data() + pixel * static_cast<std::size_t>(what.channels);
  return coloured(what) ? (299 * at[0] + 587 * at[1] + 114 * at[2] + 500) / 1000 : at[0];
}

plain_result plainly_equalized(const picture& what, int columns, int rows, double clip) {
  return plain_equalizer(what, columns, rows, clip).result();
}

std::vector<std::uint64_t> histogram_of(const picture& what) {
  std::vector<std::uint64_t> histogram(std::size_t{1} << what.depth);
  for (std::size_t pixel = 0; pixel < what.pixels(); ++pixel)
    ++histogram[static_cast<std::size_t>(light_at(what, pixel))];
  return histogram;
}

}  // namespace equalize
