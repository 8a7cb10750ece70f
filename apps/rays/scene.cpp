// SPDX-License-Identifier: Apache-2.0
// Arranges a scene. The ground is at height 0.
#include "scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "../common/random.hpp"

namespace rays {
namespace {

constexpr float ground_reach = 60;
constexpr double pi = 3.14159265358979;

// The materials by their index.
enum : std::uint16_t { warm_lamp, cool_lamp, ground, clay, gold, steel, clear, first_paint, paints = 6 };

std::vector<material> all_materials() {
  std::vector<material> result(first_paint);
  result[warm_lamp] = {surface::light, {10.5F, 8.2F, 5.7F}};
  result[cool_lamp] = {surface::light, {3.4F, 5, 7.8F}};
  result[ground] = {surface::matte, {0.46F, 0.45F, 0.44F}};
  result[clay] = {surface::matte, {0.80F, 0.72F, 0.62F}};
  result[gold] = {surface::metal, {0.95F, 0.70F, 0.33F}, 0.08F};
  result[steel] = {surface::metal, {0.86F, 0.87F, 0.90F}, 0.02F};
  result[clear] = {surface::glass, {0.97F, 0.99F, 0.98F}};
  for (const vec3 colour : {vec3{0.72F, 0.16F, 0.12F}, vec3{0.10F, 0.32F, 0.58F}, vec3{0.85F, 0.56F, 0.12F},
                            vec3{0.10F, 0.45F, 0.36F}, vec3{0.80F, 0.78F, 0.74F}, vec3{0.34F, 0.18F, 0.42F}}) {
    result.push_back({surface::matte, colour});
  }
  return result;
}

void add_ground(std::vector<primitive>& to) {
  const vec3 a{-ground_reach, 0, -ground_reach}, b{ground_reach, 0, -ground_reach}, c{ground_reach, 0, ground_reach},
      d{-ground_reach, 0, ground_reach};
  to.push_back(make_triangle(a, b, c, ground));
  to.push_back(make_triangle(a, c, d, ground));
}

void add_lamp(scene& to, vec3 centre, float radius, std::uint16_t lamp) {
  to.primitives.push_back(make_sphere(centre, radius, lamp));
  to.lights.push_back({centre, radius, to.materials[lamp].colour});
}

// Turned so that `up` is y.
vec3 upright(vec3 p, axis up) {
  if (up == axis::x) return {-p.y, p.x, p.z};
  return up == axis::z ? vec3{p.x, p.z, -p.y} : p;
}

// Its largest side becomes two units, and its lowest point touches the ground.
void add_mesh(std::vector<primitive>& to, const mesh& what, axis up) {
  std::array<double, 3> low, high;
  low.fill(1e30), high.fill(-1e30);
  const auto coordinates = [up](vec3 p) {
    p = upright(p, up);
    return std::array<double, 3>{p.x, p.y, p.z};
  };
  for (const triangle& one : what.triangles) {
    for (const vec3 corner : one) {
      const std::array<double, 3> at = coordinates(corner);
      for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], at[i]), high[i] = std::max(high[i], at[i]);
    }
  }
  const double largest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  const double scale = largest > 0 ? 2 / largest : 1;
  const auto placed = [&](vec3 corner) {
    const std::array<double, 3> at = coordinates(corner);
    return vec3{static_cast<float>((at[0] - 0.5 * (low[0] + high[0])) * scale),
                static_cast<float>((at[1] - low[1]) * scale),
                static_cast<float>((at[2] - 0.5 * (low[2] + high[2])) * scale)};
  };
  for (const triangle& one : what.triangles) {
    to.push_back(make_triangle(placed(one[0]), placed(one[1]), placed(one[2]), clay));
  }
}

// In the middle, or beside the mesh that is there.
void add_large_spheres(std::vector<primitive>& to, bool middle) {
  if (middle) to.push_back(make_sphere({0, 0.8F, 0}, 0.8F, first_paint));
  to.push_back(make_sphere({-1.25F, 0.42F, 0.85F}, 0.42F, clear));
  to.push_back(make_sphere({1.4F, 0.6F, -0.5F}, 0.6F, gold));
}

std::uint16_t drawn_material(apps::random_stream& random) {
  const float kind = random.uniform();
  if (kind < 0.16F) return gold;
  if (kind < 0.30F) return steel;
  if (kind < 0.42F) return clear;
  return static_cast<std::uint16_t>(first_paint + static_cast<int>(random.uniform() * paints));
}

// As seeds of a sunflower lie, around what is in the middle: neighbours are about as far from each other everywhere.
void add_small_spheres(std::vector<primitive>& to, int count, std::uint64_t seed) {
  constexpr double golden_angle = 2.39996322972865, gap = 0.29, clearing = 2.0;
  for (int i = 0; i < count; ++i) {
    apps::random_stream random(seed, static_cast<std::uint64_t>(i));
    const double reach = std::sqrt(clearing * clearing + gap * gap * i), angle = golden_angle * i;
    const float radius = 0.06F + 0.11F * random.uniform();
    const vec3 centre{static_cast<float>(reach * std::cos(angle)), radius, static_cast<float>(reach * std::sin(angle))};
    to.push_back(make_sphere(centre, radius, drawn_material(random)));
  }
}

camera looking_at(vec3 target, vec3 eye, const arrangement& wanted) {
  camera view;
  view.eye = eye;
  view.forward = normalized(target - eye);
  view.right = normalized(cross(view.forward, vec3{0, 1, 0}));
  view.up = cross(view.right, view.forward);
  view.pixel = static_cast<float>(2 * std::tan(0.5 * 27 * pi / 180) / std::min(wanted.width, wanted.height));
  view.focus = length(target - eye) - 0.6F;  // the front of what is in the middle
  view.lens = 0.035F;
  view.width = wanted.width, view.height = wanted.height;
  return view;
}

}  // namespace

scene make_scene(const mesh& what, const std::string& name, const arrangement& wanted) {
  scene result;
  result.name = name;
  result.materials = all_materials();
  if (!what.triangles.empty()) add_mesh(result.primitives, what, wanted.up);
  add_large_spheres(result.primitives, what.triangles.empty());
  add_small_spheres(result.primitives, wanted.spheres, wanted.seed);
  result.middle = box_of(result.primitives.front());
  for (const primitive& p : result.primitives) result.middle = around(result.middle, box_of(p));
  add_ground(result.primitives);
  const double angle = wanted.turn * pi / 180;
  const auto turned = [angle](double x, double y, double z) {
    return vec3{static_cast<float>(x * std::cos(angle) + z * std::sin(angle)), static_cast<float>(y),
                static_cast<float>(z * std::cos(angle) - x * std::sin(angle))};
  };
  add_lamp(result, turned(-3.4, 5.2, 3.6), 1.5F, warm_lamp);
  add_lamp(result, turned(5.2, 3.6, -2.8), 1.3F, cool_lamp);
  for (std::size_t i = 0; i < result.primitives.size(); ++i) result.primitives[i].id = static_cast<std::uint32_t>(i);
  result.horizon = {0.30F, 0.27F, 0.26F};
  result.zenith = {0.07F, 0.11F, 0.20F};
  result.view = looking_at({0, 0.82F, 0}, turned(0.9, 2.8, 6.4), wanted);
  return result;
}

}  // namespace rays
