// SPDX-License-Identifier: Apache-2.0
// Projection, the view frustum against a scalar reference, and the orbit.
#include "../../../apps/common/camera.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace {

using apps::camera;
using apps::frustum;
using apps::vec3;

TEST(camera, projects_the_axes) {
  camera view;
  view.width = 200;
  view.height = 100;
  view.focal = 50;
  const auto centre = project(view, {0, 0, -2});
  EXPECT_FLOAT_EQ(centre.x, 100);
  EXPECT_FLOAT_EQ(centre.y, 50);
  EXPECT_FLOAT_EQ(centre.depth, 2);
  const auto corner = project(view, {1, 1, -2});  // right of and above the middle
  EXPECT_FLOAT_EQ(corner.x, 125);
  EXPECT_FLOAT_EQ(corner.y, 25);
  EXPECT_FLOAT_EQ(depth_of(view, {5, 6, -7}), 7);
}

// Inside by the definition: in front, not too far, and projected onto the picture, in double precision. `margin` is how
// far from the nearest border, relative to the distance.
bool inside_by_definition(const camera& view, vec3 p, double& margin) {
  const auto along = [&](vec3 axis) {
    return (static_cast<double>(p.x) - view.eye.x) * axis.x + (static_cast<double>(p.y) - view.eye.y) * axis.y +
           (static_cast<double>(p.z) - view.eye.z) * axis.z;
  };
  const double depth = along(view.forward);
  const double across = 0.5 * view.width / view.focal * depth - std::abs(along(view.right));
  const double upright = 0.5 * view.height / view.focal * depth - std::abs(along(view.up));
  const double borders[] = {depth - view.nearest, view.farthest - depth, across, upright};
  double least = std::numeric_limits<double>::infinity();
  margin = least;
  for (const double border : borders) {
    least = std::min(least, border);
    margin = std::min(margin, std::abs(border));
  }
  return least >= 0;
}

TEST(camera, frustum_like_scalar_reference) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> anywhere(-6, 6);
  int inside = 0, outside = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const camera view = apps::orbit({0.5F, -0.25F, 1}, 2, 0.04F * static_cast<float>(frame) - 0.8F, frame, 40,
                                    100 + 37 * frame, 900 - 20 * frame);
    const frustum planes = frustum_of(view);
    for (int i = 0; i < 2000; ++i) {
      const vec3 p{anywhere(random), anywhere(random), anywhere(random)};
      double margin = 0;
      const bool expected = inside_by_definition(view, p, margin);
      if (margin < 1e-4) continue;  // floats may decide either way there
      EXPECT_EQ(planes.contains(p), expected) << "frame " << frame << ", point " << i;
      ++(expected ? inside : outside);
    }
  }
  EXPECT_GT(inside, 5000);
  EXPECT_GT(outside, 5000);
}

TEST(camera, frustum_has_no_place_for_nan) {
  const frustum planes = frustum_of(apps::orbit({}, 1, 0, 0, 1, 64, 64));
  EXPECT_TRUE(planes.contains({0, 0, 0}));
  EXPECT_FALSE(planes.contains({std::numeric_limits<float>::quiet_NaN(), 0, 0}));
}

TEST(camera, orbit_starts_with_all_in_view) {
  for (const auto& [width, height] : {std::pair{640, 360}, std::pair{360, 640}, std::pair{64, 64}}) {
    const camera view = apps::orbit({1, 2, 3}, 0.5F, 0.4F, 0, 8, width, height);
    const frustum planes = frustum_of(view);
    std::mt19937 random(5);
    std::normal_distribution<float> direction;
    for (int i = 0; i < 1000; ++i) {
      const vec3 away = normalized(vec3{direction(random), direction(random), direction(random)});
      const vec3 p = vec3{1, 2, 3} + away * 0.499F;
      EXPECT_TRUE(planes.contains(p));
      const auto at = project(view, p);
      EXPECT_TRUE(at.x >= 0 && at.x <= static_cast<float>(width) && at.y >= 0 && at.y <= static_cast<float>(height));
    }
  }
}

TEST(camera, orbit_axes_are_at_right_angles) {
  for (int frame = 0; frame < 12; ++frame) {
    const camera view = apps::orbit({}, 1, 1.2F, frame, 12, 640, 360);
    EXPECT_NEAR(length(view.forward), 1, 1e-5);
    EXPECT_NEAR(length(view.right), 1, 1e-5);
    EXPECT_NEAR(length(view.up), 1, 1e-5);
    EXPECT_NEAR(dot(view.forward, view.right), 0, 1e-5);
    EXPECT_NEAR(dot(view.forward, view.up), 0, 1e-5);
    EXPECT_GT(view.up.y, 0);
  }
}

}  // namespace
