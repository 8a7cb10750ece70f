// SPDX-License-Identifier: Apache-2.0
// Shrinks the pictures, and draws histograms as bars with the running sum as a line.
#include "figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../common/canvas.hpp"
#include "../common/png_writer.hpp"
#include "../common/text.hpp"
#include "plain_equalize.hpp"

namespace equalize {
namespace {

constexpr int width = 1200, height = 900;
constexpr int margin = 30, gap = 40, panel = (width - 2 * margin - gap) / 2;
constexpr int picture_top = 90, picture_height = 500, bars_top = 640, bars_bottom = 850;
constexpr apps::colour ink{40, 40, 40}, bar{120, 135, 160}, line{200, 60, 40};

// In a box of the panel's size, the largest that keeps the picture's shape.
struct box {
  int x, y, width, height;
};
box box_for(const picture& what, int left) {
  const double scale =
      std::min(static_cast<double>(panel) / what.width, static_cast<double>(picture_height) / what.height);
  const int w = std::max(1, static_cast<int>(what.width * scale)),
            h = std::max(1, static_cast<int>(what.height * scale));
  return {left + (panel - w) / 2, picture_top + (picture_height - h) / 2, w, h};
}

// The mean of the pixels that one of the box shows, or the one pixel; opaque.
std::uint8_t shown(const picture& what, const box& to, int x, int y, int channel) {
  const auto range = [](int at, int size, int from) {
    const auto begin = static_cast<std::int64_t>(at) * from / size;
    return std::pair(begin, std::max(begin + 1, static_cast<std::int64_t>(at + 1) * from / size));
  };
  const auto [left, right] = range(x, to.width, what.width);
  const auto [top, bottom] = range(y, to.height, what.height);
  const int c = what.channels >= 3 ? channel : 0;
  std::uint64_t sum = 0;
  for (std::int64_t row = top; row < bottom; ++row) {
    for (std::int64_t column = left; column < right; ++column) {
      sum += what.samples[static_cast<std::size_t>((row * what.width + column) * what.channels + c)];
    }
  }
  const auto mean = sum / static_cast<std::uint64_t>((right - left) * (bottom - top));
  return static_cast<std::uint8_t>(what.depth == 16 ? mean >> 8 : mean);
}

void copy_picture(std::vector<std::uint8_t>& rgb, const picture& what, int left) {
  const box to = box_for(what, left);
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        rgb[static_cast<std::size_t>(((to.y + y) * width + to.x + x) * 3 + c)] = shown(what, to, x, y, c);
      }
    }
  }
}

void draw_histogram(apps::canvas& on, const picture& what, int left) {
  constexpr std::size_t bars = 256;
  std::vector<double> counts(bars);
  const std::vector<std::uint64_t> all = histogram_of(what);
  for (std::size_t bin = 0; bin < all.size(); ++bin) counts[bin * bars / all.size()] += static_cast<double>(all[bin]);
  const double most = *std::max_element(counts.begin(), counts.end()), step = static_cast<double>(panel) / bars;
  const double tall = bars_bottom - bars_top;
  double sum = 0, last_y = bars_bottom;
  for (std::size_t i = 0; i < bars; ++i) {
    const double x = left + static_cast<double>(i) * step;
    on.box(x, bars_bottom - tall * counts[i] / most, x + step, bars_bottom, bar);
    sum += counts[i];
    const double y = bars_bottom - tall * sum / static_cast<double>(what.pixels());
    on.line(x, last_y, x + step, y, 2, line);
    last_y = y;
  }
  on.line(left, bars_bottom, left + panel, bars_bottom, 1.5, ink);
  on.text(left, bars_bottom + 10, "0", ink);
  const std::string end = std::to_string(all.size() - 1);
  on.text(left + panel - apps::canvas::text_width(end), bars_bottom + 10, end, ink);
}

}  // namespace

void write_figure(const std::string& file, const std::string& title, const picture& before, const picture& after) {
  apps::canvas on(width, height);
  const int lefts[] = {margin, margin + panel + gap};
  on.text(margin, 16, title, ink);
  on.text(lefts[0], 52, "before", ink);
  on.text(lefts[1], 52, "after", ink);
  on.text(lefts[0], bars_top - 36, "pixels of each luminance; their running sum", ink);
  draw_histogram(on, before, lefts[0]);
  draw_histogram(on, after, lefts[1]);
  std::vector<std::uint8_t> rgb = on.rgb();
  copy_picture(rgb, before, lefts[0]);
  copy_picture(rgb, after, lefts[1]);
  apps::write_png(file, rgb, width, height);
}

}  // namespace equalize
