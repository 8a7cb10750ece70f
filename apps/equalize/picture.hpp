// SPDX-License-Identifier: Apache-2.0
// A picture in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace equalize {

struct picture {
  int width = 0, height = 0;
  int channels = 1;                    // grey, grey and opacity, red green blue, these and opacity
  int depth = 8;                       // bits of a sample: 8 or 16
  std::vector<std::uint16_t> samples;  // row by row, a pixel's channels side by side

  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  bool operator==(const picture& other) const {
    return width == other.width && height == other.height && channels == other.channels && depth == other.depth &&
           samples == other.samples;
  }
};

}  // namespace equalize
