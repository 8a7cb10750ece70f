// SPDX-License-Identifier: Apache-2.0
// The cells of the box, each as wide as the largest sphere: what touches a sphere has its centre in the sphere's cell or in
// one of the 26 around it. Cells along x are neighbours in memory, so these are nine ranges of spheres in the cells' order.
#pragma once

#include <cstdint>

#include "spheres.hpp"

namespace collisions {

struct cell {
  int x, y, z;
};

// Spheres from `first` to before `last`.
struct sphere_range {
  std::uint32_t first, last;
};

struct cell_grid {
  int columns = 1, rows = 1, layers = 1;  // along x, y, z

  ONEPASS_HOST_DEVICE std::int64_t count() const { return std::int64_t{columns} * rows * layers; }

  // Outside of the box, the nearest cell at its walls: spheres that touch are still in neighbouring cells.
  ONEPASS_HOST_DEVICE cell cell_of(vec3 at) const {
    return {limited(at.x, columns), limited(at.y, rows), limited(at.z, layers)};
  }
  ONEPASS_HOST_DEVICE std::uint32_t key_of(cell c) const {
    return static_cast<std::uint32_t>((c.z * rows + c.y) * columns + c.x);
  }

  // Of the nine rows of three cells around c, number `row`. Cell k's spheres are those from begins[k] to before begins[k + 1].
  ONEPASS_HOST_DEVICE sphere_range around(cell c, int row, const std::uint32_t* begins) const {
    const int y = c.y + row % 3 - 1, z = c.z + row / 3 - 1;
    if (y < 0 || y >= rows || z < 0 || z >= layers) return {0, 0};
    const std::uint32_t left = key_of({apps::larger(c.x - 1, 0), y, z});
    const std::uint32_t right = key_of({apps::smaller(c.x + 1, columns - 1), y, z});
    return {begins[left], begins[right + 1]};
  }

 private:
  ONEPASS_HOST_DEVICE static int limited(float value, int cells) {
    if (!(value > 0)) return 0;
    return value < static_cast<float>(cells) ? static_cast<int>(value) : cells - 1;
  }
};

// The box in whole cells.
inline cell_grid grid_of(vec3 box) {
  return {static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.z)};
}

}  // namespace collisions
