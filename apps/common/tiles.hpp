// SPDX-License-Identifier: Apache-2.0
// A picture as rows of square tiles, which what is drawn is listed by.
#pragma once

#include "vec3.hpp"

namespace apps {

constexpr int tile_size = 16;  // pixels along a tile's edge

struct tile_grid {
  int width = 0;
  int height = 0;
  int columns = 0;
  int rows = 0;

  tile_grid(int picture_width, int picture_height)
      : width(picture_width),
        height(picture_height),
        columns((picture_width + tile_size - 1) / tile_size),
        rows((picture_height + tile_size - 1) / tile_size) {}

  ONEPASS_HOST_DEVICE int count() const { return columns * rows; }

  // Bits that tell all tiles apart.
  int bits() const {
    int needed = 1;
    while (needed < 31 && count() >> needed > 0) ++needed;
    return needed;
  }
};

// Tiles from column `left` to before `right` and row `top` to before `bottom`.
struct tile_range {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  ONEPASS_HOST_DEVICE int count() const { return (right - left) * (bottom - top); }
};

}  // namespace apps
