// SPDX-License-Identifier: Apache-2.0
// A scene of Gaussian splats: as files have them, and as they are drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/camera.hpp"

namespace splats {

using apps::camera;
using apps::vec3;

// A Gaussian as a file has it: numbers that an optimiser may change without bounds.
struct gaussian {
  vec3 position;
  std::array<float, 3> log_scale;  // of the standard deviations along its three axes
  std::array<float, 4> rotation;   // a quaternion w, x, y, z of any length
  float logit;                     // of the opacity
};

constexpr int most_degrees = 3;  // of the spherical harmonics
ONEPASS_HOST_DEVICE constexpr int coefficients_of(int degree) { return (degree + 1) * (degree + 1); }

enum class axis : int { y, minus_y, z, minus_z };

struct scene {
  std::string name;  // "knot (seed 1)" or the file's name
  std::vector<gaussian> gaussians;
  int degree = 0;
  std::vector<vec3> colours;   // coefficients_of(degree) for each Gaussian, one after the other
  std::uint64_t left_out = 0;  // of the file's: those with a value that can't be drawn
  axis up = axis::y;
  vec3 background;
};

// A splat as it is drawn, of 48 bytes.
struct alignas(16) solid_splat {
  vec3 position;
  float reach;  // in standard deviations: farther out its alpha is below 1/255; negative: it has none above
  float xx, xy, xz, yy, yz, zz;  // covariance
  float opacity;
};

std::vector<solid_splat> solid_splats(const std::vector<gaussian>& gaussians);

// What the camera turns around, and the radius that it keeps in view: the medians of all coordinates, and what is as near to
// them as four of five. Scenes from photographs have splats far away.
struct middle {
  vec3 centre;
  float radius;
};
middle middle_of(const scene& what);

// `view`, which looks at `centre` with y upwards, rotated about it so that `up` is.
camera rotated_upright(const camera& view, vec3 centre, axis up);

// A torus knot of `count` splats in glistening stripes, among dust; the same for the same seed.
scene knot_scene(std::size_t count, std::uint64_t seed);

}  // namespace splats
