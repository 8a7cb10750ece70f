// SPDX-License-Identifier: Apache-2.0
// From files' numbers to covariances, and where the camera is put.
#include "scene.hpp"

#include <algorithm>
#include <cmath>

namespace splats {
namespace {

solid_splat solid_splat_of(const gaussian& from) {
  const double length =
      std::sqrt(double{from.rotation[0]} * from.rotation[0] + double{from.rotation[1]} * from.rotation[1] +
                double{from.rotation[2]} * from.rotation[2] + double{from.rotation[3]} * from.rotation[3]);
  const double w = from.rotation[0] / length, x = from.rotation[1] / length, y = from.rotation[2] / length,
               z = from.rotation[3] / length;
  const double axes[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  // Row i by row j of the axes, each as long as its deviation.
  const auto covariance = [&](int i, int j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += axes[i][k] * axes[j][k] * std::exp(2 * double{from.log_scale[k]});
    return static_cast<float>(sum);
  };
  const double opacity = 1 / (1 + std::exp(-double{from.logit}));
  const double squared = 2 * std::log(255 * opacity);
  return {from.position,
          static_cast<float>(squared >= 0 ? std::sqrt(squared) : -1.0),
          covariance(0, 0),
          covariance(0, 1),
          covariance(0, 2),
          covariance(1, 1),
          covariance(1, 2),
          covariance(2, 2),
          static_cast<float>(opacity)};
}

float middle_one(std::vector<float>& values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The vector that `v` becomes when the y axis is rotated to `up`.
vec3 rotated(vec3 v, axis up) {
  switch (up) {
    case axis::minus_y: return {v.x, -v.y, -v.z};
    case axis::z: return {v.x, -v.z, v.y};
    case axis::minus_z: return {v.x, v.z, -v.y};
    default: return v;
  }
}

}  // namespace

std::vector<solid_splat> solid_splats(const std::vector<gaussian>& gaussians) {
  std::vector<solid_splat> result(gaussians.size());
  std::transform(gaussians.begin(), gaussians.end(), result.begin(), solid_splat_of);
  return result;
}

middle middle_of(const scene& what) {
  if (what.gaussians.empty()) return {{}, 1};
  std::vector<float> values(what.gaussians.size());
  const auto over_all = [&](auto value, double share) {
    std::transform(what.gaussians.begin(), what.gaussians.end(), values.begin(), value);
    return middle_one(values, share);
  };
  const vec3 centre{over_all([](const gaussian& g) { return g.position.x; }, 0.5),
                    over_all([](const gaussian& g) { return g.position.y; }, 0.5),
                    over_all([](const gaussian& g) { return g.position.z; }, 0.5)};
  const float radius = over_all([&](const gaussian& g) { return length(g.position - centre); }, 0.8);
  return {centre, radius > 0 ? radius : 1};
}

camera rotated_upright(const camera& view, vec3 centre, axis up) {
  camera result = view;
  result.eye = centre + rotated(view.eye - centre, up);
  result.right = rotated(view.right, up);
  result.up = rotated(view.up, up);
  result.forward = rotated(view.forward, up);
  return result;
}

}  // namespace splats
