// SPDX-License-Identifier: Apache-2.0
// A small picture to draw on: smooth lines, boxes and text, in pixels from the upper left corner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apps {

struct colour {
  std::uint8_t red, green, blue;
};

class canvas {
 public:
  canvas(int width, int height);  // white

  void box(double x0, double y0, double x1, double y1, colour paint);
  void line(double x0, double y0, double x1, double y1, double thickness, colour paint);
  // Its upper left corner is at (x, y). Characters that aren't ASCII come out as '?'.
  void text(double x, double y, const std::string& words, colour paint);

  static double text_width(const std::string& words);
  static double text_height();

  std::vector<std::uint8_t> rgb() const;  // width x height x 3 bytes

 private:
  void dot(int x, int y, colour paint);  // of the finer grid

  int width_, height_;
  std::vector<std::uint8_t> fine_;  // the finer grid, which rgb() averages
};

}  // namespace apps
