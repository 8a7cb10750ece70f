// SPDX-License-Identifier: Apache-2.0
// Puts spheres on the points of a lattice, each a little off its point, with colours by where they begin.
#include "scene.hpp"

#include <algorithm>
#include <cmath>

#include "../common/random.hpp"

namespace collisions {
namespace {

constexpr float spacing = 1.06F, jitter = 0.02F;  // so no two are closer than 1.02

// Of a box with 2 x 1 x 1.25 times `length`: the lengths are relative to it.
constexpr float block_end = 0.65F, block_top = 1.15F;
constexpr vec3 ball_centre{1.40F, 0.5F, 0.85F};
constexpr float ball_radius = 0.34F;

bool in_ball(vec3 at, float length) {
  const vec3 away = at - ball_centre * length;
  return dot(away, away) <= ball_radius * ball_radius * length * length;
}

bool in_block(vec3 at, float length) { return at.x <= block_end * length && at.z <= block_top * length; }

vec3 mixture(const vec3* stops, int last, float share) {
  const float position = std::clamp(share, 0.0F, 1.0F) * static_cast<float>(last);
  const int below = std::min(static_cast<int>(position), last - 1);
  const float rest = position - static_cast<float>(below);
  return stops[below] * (1 - rest) + stops[below + 1] * rest;
}

// The block from blue at its foot to yellow at its top; the ball red.
vec3 colour_of(vec3 at, float length, float shade) {
  static const vec3 heights[] = {
      {0.02F, 0.09F, 0.33F}, {0.02F, 0.33F, 0.50F}, {0.10F, 0.55F, 0.33F}, {0.90F, 0.62F, 0.08F}};
  const vec3 colour =
      in_ball(at, length) ? vec3{0.72F, 0.07F, 0.05F} : mixture(heights, 3, at.z / (block_top * length));
  return colour * (0.85F + 0.3F * shade);
}

// The lattice's points inside the shapes: the ball first, then the block from below, until there are `most`.
std::vector<vec3> sites_of(vec3 box, float length, std::size_t most) {
  std::vector<vec3> sites;
  const auto along = [](float size) {
    return static_cast<int>((size - 2 * largest_radius - 2 * jitter) / spacing) + 1;
  };
  for (const bool ball : {true, false}) {
    for (int k = 0; k < along(box.z); ++k) {
      for (int j = 0; j < along(box.y); ++j) {
        for (int i = 0; i < along(box.x); ++i) {
          const float nearest = largest_radius + jitter;
          const vec3 at{nearest + static_cast<float>(i) * spacing, nearest + static_cast<float>(j) * spacing,
                        nearest + static_cast<float>(k) * spacing};
          const bool taken = ball ? in_ball(at, length) : in_block(at, length) && !in_ball(at, length);
          if (taken && sites.size() < most) sites.push_back(at);
        }
      }
    }
  }
  return sites;
}

}  // namespace

rules rules_of(vec3 box, double bounce) {
  rules by;
  by.box = box;
  // A spring with a damper: e = exp(-pi d / sqrt(1 - d^2)), where d is the damping over the critical one.
  const double pi = 3.14159265358979, loss = -std::log(std::max(bounce, 1e-3));
  const double share = loss / std::sqrt(pi * pi + loss * loss);
  const double reduced_mass = 0.5 * mass_of(0.5F * (smallest_radius + largest_radius));
  by.damping = static_cast<float>(2 * share * std::sqrt(by.stiffness * reduced_mass));
  by.wall_damping = std::sqrt(2.0F) * by.damping;
  by.friction = 0.25F * by.damping;
  return by;
}

scene falling_scene(std::uint32_t spheres, std::uint64_t seed, double bounce) {
  std::vector<vec3> sites;
  vec3 box;
  float length = std::max(4.0F, std::floor(std::cbrt(static_cast<float>(spheres) * 1.2F)));
  for (; sites.size() < spheres; length += std::max(1.0F, std::floor(length / 64))) {
    box = {2 * length, length, std::floor(1.25F * length)};
    sites = sites_of(box, length, spheres);
  }
  scene result;
  result.by = rules_of(box, bounce);
  for (std::uint32_t id = 0; id < spheres; ++id) {
    apps::random_stream random(seed, id);
    const auto offset = [&] { return jitter * (2 * random.uniform() - 1); };
    body b;
    const float x = offset(), y = offset(), z = offset();
    b.shape.at = sites[id] + vec3{x, y, z};
    b.shape.radius = smallest_radius + (largest_radius - smallest_radius) * random.uniform();
    b.move.id = id;
    result.bodies.push_back(b);
    result.colours.push_back(colour_of(sites[id], box.y, random.uniform()));
  }
  return result;
}

}  // namespace collisions
