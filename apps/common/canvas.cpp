// SPDX-License-Identifier: Apache-2.0
// Draws on a grid three times as fine as the picture. Text is stb_easy_font's, which makes letters of boxes.
#include "canvas.hpp"

#include <stb/stb_easy_font.h>

#include <algorithm>
#include <cmath>

namespace apps {
namespace {

constexpr int finer = 3;
constexpr float text_scale = 2;  // pixels for one of the font's
constexpr double font_height = 12;

// Quads of four corners (x, y, z, colour), as stb_easy_font makes them.
struct corner {
  float x, y, z;
  std::uint8_t rgba[4];
};

std::string ascii(std::string words) {
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return words;
}

}  // namespace

canvas::canvas(int width, int height)
    : width_(width), height_(height), fine_(static_cast<std::size_t>(width) * height * finer * finer * 3, 255) {}

void canvas::dot(int x, int y, colour paint) {
  if (x < 0 || y < 0 || x >= width_ * finer || y >= height_ * finer) return;
  std::uint8_t* at = fine_.data() + (static_cast<std::size_t>(y) * width_ * finer + static_cast<std::size_t>(x)) * 3;
  at[0] = paint.red, at[1] = paint.green, at[2] = paint.blue;
}

void canvas::box(double x0, double y0, double x1, double y1, colour paint) {
  const auto grid = [](double at, int end) {
    return static_cast<int>(std::lround(std::clamp<double>(at * finer, -1, end * finer + 1)));
  };
  for (int y = grid(y0, height_); y < grid(y1, height_); ++y) {
    for (int x = grid(x0, width_); x < grid(x1, width_); ++x) dot(x, y, paint);
  }
}

void canvas::line(double x0, double y0, double x1, double y1, double thickness, colour paint) {
  const double reach = 0.5 * thickness;
  const int steps = static_cast<int>(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0)) * finer)) + 1;
  for (int step = 0; step <= steps; ++step) {
    const double x = x0 + (x1 - x0) * step / steps, y = y0 + (y1 - y0) * step / steps;
    box(x - reach, y - reach, x + reach, y + reach, paint);
  }
}

void canvas::text(double x, double y, const std::string& words, colour paint) {
  std::string letters = ascii(words);
  std::vector<corner> corners(letters.size() * 4 * 32 + 4);  // no letter of the font takes more than 32 quads
  const int quads = stb_easy_font_print(0, 0, letters.data(), nullptr, corners.data(),
                                        static_cast<int>(corners.size() * sizeof(corner)));
  for (int quad = 0; quad < quads; ++quad) {
    const corner& first = corners[static_cast<std::size_t>(quad) * 4];
    const corner& third = corners[static_cast<std::size_t>(quad) * 4 + 2];
    box(x + text_scale * first.x, y + text_scale * first.y, x + text_scale * third.x, y + text_scale * third.y, paint);
  }
}

double canvas::text_width(const std::string& words) {
  std::string letters = ascii(words);
  return text_scale * stb_easy_font_width(letters.data());
}

double canvas::text_height() { return text_scale * font_height; }

std::vector<std::uint8_t> canvas::rgb() const {
  std::vector<std::uint8_t> result;
  result.reserve(static_cast<std::size_t>(width_) * height_ * 3);
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_ * 3; ++x) {
      const int pixel = x / 3, channel = x % 3;
      int sum = 0;
      for (int i = 0; i < finer * finer; ++i) {
        const std::size_t row = static_cast<std::size_t>(y) * finer + i / finer;
        sum += fine_[(row * width_ * finer + static_cast<std::size_t>(pixel) * finer + i % finer) * 3 + channel];
      }
      result.push_back(static_cast<std::uint8_t>((sum + finer * finer / 2) / (finer * finer)));
    }
  }
  return result;
}

}  // namespace apps
