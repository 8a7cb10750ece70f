// SPDX-License-Identifier: Apache-2.0
// The camera's orbit and the planes of its view frustum.
#include "camera.hpp"

#include <algorithm>
#include <cmath>

namespace apps {
namespace {

constexpr float pi = 3.14159265F;
constexpr float view_angle = 0.70F;   // over the smaller side of the picture: 40 degrees
constexpr float closest = 0.70F;      // the shortest distance as a share of the longest
constexpr float first_angle = 0.25F;  // of the orbit, so that the first picture isn't seen straight along an axis

}  // namespace

frustum frustum_of(const camera& view) {
  frustum result;
  const float half_width = 0.5F * static_cast<float>(view.width) / view.focal;
  const float half_height = 0.5F * static_cast<float>(view.height) / view.focal;
  const auto set = [&](int plane, vec3 normal, vec3 through) {
    result.normals[plane] = normalized(normal);
    result.offsets[plane] = -dot(result.normals[plane], through);
  };
  set(0, view.forward, view.eye + view.forward * view.nearest);
  set(1, view.forward * -1, view.eye + view.forward * view.farthest);
  set(2, view.forward * half_width + view.right, view.eye);
  set(3, view.forward * half_width - view.right, view.eye);
  set(4, view.forward * half_height + view.up, view.eye);
  set(5, view.forward * half_height - view.up, view.eye);
  return result;
}

camera orbit(vec3 centre, float radius, float elevation, int frame, int frames, int width, int height) {
  const float turn = 2 * pi * static_cast<float>(frame) / static_cast<float>(std::max(frames, 1));
  const float farthest = radius / std::sin(0.5F * view_angle);
  const float distance = farthest * (closest + (1 - closest) * (0.5F + 0.5F * std::cos(turn)));
  const float angle = first_angle + turn;

  camera view;
  view.forward = {-std::cos(elevation) * std::sin(angle), -std::sin(elevation), -std::cos(elevation) * std::cos(angle)};
  view.right = normalized(cross(view.forward, {0, 1, 0}));
  view.up = cross(view.right, view.forward);
  view.eye = centre - view.forward * distance;
  view.focal = 0.5F * static_cast<float>(std::min(width, height)) / std::tan(0.5F * view_angle);
  view.width = width;
  view.height = height;
  view.nearest = 0.05F * radius;
  view.farthest = distance + 3 * radius;
  return view;
}

}  // namespace apps
