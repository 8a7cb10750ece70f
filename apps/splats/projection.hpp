// SPDX-License-Identifier: Apache-2.0
// A splat on the picture: a Gaussian of three dimensions becomes one of two, by the perspective's derivative at its centre
// (Zwicker et al., "EWA Splatting", 2002), as in Kerbl et al., "3D Gaussian Splatting for Real-Time Radiance Field Rendering"
// (2023), section 4; its colour is that of its spherical harmonics in the direction of the view.
#pragma once

#include <cstdint>

#include "../common/tiles.hpp"
#include "scene.hpp"

namespace splats {

using apps::larger;
using apps::limited;
using apps::smaller;
using apps::tile_grid;
using apps::tile_range;
using apps::tile_size;

constexpr float low_pass = 0.3F;  // pixels squared, added to a variance, so that no splat falls between pixels

// Of 48 bytes. It is drawn on the pixels from `left` to before `right` and from `top` to before `bottom`.
struct alignas(16) flat_splat {
  float x, y;  // pixels from the upper left corner
  float opacity;
  float depth;
  float xx, xy, yy;  // inverse of the covariance
  std::uint16_t left, top, right, bottom;
  vec3 colour;
};

ONEPASS_HOST_DEVICE inline tile_range tiles_of(const flat_splat& s) {
  return {s.left / tile_size, s.top / tile_size, (s.right + tile_size - 1) / tile_size,
          (s.bottom + tile_size - 1) / tile_size};
}

// a's product with the covariance, times b.
ONEPASS_HOST_DEVICE inline float covariance_along(const solid_splat& s, vec3 a, vec3 b) {
  const vec3 product{s.xx * b.x + s.xy * b.y + s.xz * b.z, s.xy * b.x + s.yy * b.y + s.yz * b.z,
                     s.xz * b.x + s.yz * b.y + s.zz * b.z};
  return dot(a, product);
}

// How the pixel of a point moves with the point: (across, down) by these vectors. Far outside of the picture the derivative
// at its border is taken, as the one there would make splats too large.
struct pixel_motion {
  vec3 across, down;

  ONEPASS_HOST_DEVICE pixel_motion(const camera& view, float right, float below, float depth) {
    const float most_right = 0.65F * static_cast<float>(view.width) / view.focal;
    const float most_below = 0.65F * static_cast<float>(view.height) / view.focal;
    const float scale = view.focal / depth;
    across = view.right * scale - view.forward * (scale * limited(right, -most_right, most_right));
    down = view.up * -scale - view.forward * (scale * limited(below, -most_below, most_below));
  }
};

// False for a splat that is not seen: behind the eye or too near, too faint, or beside the picture. Its colour is left out.
ONEPASS_HOST_DEVICE inline bool flatten(const solid_splat& s, const camera& view, flat_splat& flat) {
  const vec3 away = s.position - view.eye;
  flat.depth = dot(away, view.forward);
  if (!(flat.depth >= view.nearest) || !(s.reach >= 0)) return false;
  const float right = dot(away, view.right) / flat.depth, below = -dot(away, view.up) / flat.depth;
  const auto width = static_cast<float>(view.width), height = static_cast<float>(view.height);
  flat.x = 0.5F * width + view.focal * right;
  flat.y = 0.5F * height + view.focal * below;
  flat.opacity = s.opacity;

  const pixel_motion moves(view, right, below, flat.depth);
  const float xx = covariance_along(s, moves.across, moves.across), xy = covariance_along(s, moves.across, moves.down),
              yy = covariance_along(s, moves.down, moves.down);
  // The determinant with the low-pass, as a sum of what is not negative: a difference could be.
  const float determinant = larger(xx * yy - xy * xy, 0.0F) + low_pass * (xx + yy) + low_pass * low_pass;
  flat.xx = (yy + low_pass) / determinant;
  flat.xy = -xy / determinant;
  flat.yy = (xx + low_pass) / determinant;

  // The box around the ellipse where its alpha is 1/255: pixel i is seen at i + 0.5. What is no number is not seen.
  const float half_width = s.reach * sqrtf(xx + low_pass), half_height = s.reach * sqrtf(yy + low_pass);
  const float left = flat.x - half_width - 0.5F, last_x = flat.x + half_width - 0.5F;
  const float top = flat.y - half_height - 0.5F, last_y = flat.y + half_height - 0.5F;
  if (!(left <= width - 1) || !(last_x >= 0) || !(top <= height - 1) || !(last_y >= 0)) return false;
  if (!(flat.xx * flat.yy >= 0)) return false;
  flat.left = static_cast<std::uint16_t>(ceilf(larger(left, 0.0F)));
  flat.top = static_cast<std::uint16_t>(ceilf(larger(top, 0.0F)));
  flat.right = static_cast<std::uint16_t>(floorf(smaller(last_x, width - 1)) + 1);
  flat.bottom = static_cast<std::uint16_t>(floorf(smaller(last_y, height - 1)) + 1);
  return flat.left < flat.right && flat.top < flat.bottom;
}

// The sum of `coefficients` times the real spherical harmonics up to `degree`, in the direction d of length 1.
ONEPASS_HOST_DEVICE inline vec3 harmonics(const vec3* coefficients, int degree, vec3 d) {
  vec3 sum = coefficients[0] * 0.28209479F;
  if (degree < 1) return sum;
  sum = sum - coefficients[1] * (0.48860251F * d.y) + coefficients[2] * (0.48860251F * d.z) -
        coefficients[3] * (0.48860251F * d.x);
  if (degree < 2) return sum;
  const float xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
  sum = sum + coefficients[4] * (1.0925484F * (d.x * d.y)) - coefficients[5] * (1.0925484F * (d.y * d.z)) +
        coefficients[6] * (0.31539157F * (2 * zz - xx - yy)) - coefficients[7] * (1.0925484F * (d.x * d.z)) +
        coefficients[8] * (0.54627422F * (xx - yy));
  if (degree < 3) return sum;
  return sum - coefficients[9] * (0.59004359F * d.y * (3 * xx - yy)) +
         coefficients[10] * (2.8906114F * d.x * d.y * d.z) -
         coefficients[11] * (0.45704580F * d.y * (4 * zz - xx - yy)) +
         coefficients[12] * (0.37317633F * d.z * (2 * zz - 3 * xx - 3 * yy)) -
         coefficients[13] * (0.45704580F * d.x * (4 * zz - xx - yy)) +
         coefficients[14] * (1.4453057F * d.z * (xx - yy)) - coefficients[15] * (0.59004359F * d.x * (xx - 3 * yy));
}

ONEPASS_HOST_DEVICE inline vec3 colour_of(const vec3* coefficients, int degree, vec3 direction) {
  const vec3 sum = harmonics(coefficients, degree, direction);
  return {larger(sum.x + 0.5F, 0.0F), larger(sum.y + 0.5F, 0.0F), larger(sum.z + 0.5F, 0.0F)};
}

}  // namespace splats
