// SPDX-License-Identifier: Apache-2.0
// A torus knot: a tube along a curve that goes round a torus, of flat splats that lie on its surface and stretch along it.
// What they send depends on the direction of the view by harmonics of degree 1. Each splat is made from its number alone.
#include <algorithm>
#include <cmath>

#include "../common/random.hpp"
#include "scene.hpp"

namespace splats {
namespace {

using apps::random_stream;

constexpr float pi = 3.14159265F;
constexpr float tube = 0.17F;  // radius
constexpr float dust_share = 0.06F;
constexpr int degree = 1;
const vec3 lamp = apps::normalized({-0.4F, 0.8F, 0.5F});

// The middle of the tube: twice round the axis, while it goes three times round the ring.
vec3 curve_at(float t) {
  const float ring = 0.72F + 0.32F * std::cos(3 * t);
  return {ring * std::cos(2 * t), 0.40F * std::sin(3 * t), ring * std::sin(2 * t)};
}

struct frame {
  vec3 at, along, out, side;  // the last three are unit vectors at right angles
};

frame frame_at(float t) {
  constexpr float step = 0.001F;
  frame result;
  result.at = curve_at(t);
  result.along = normalized(curve_at(t + step) - curve_at(t - step));
  const vec3 off_the_ring{std::cos(3 * t) * std::cos(2 * t), std::sin(3 * t), std::cos(3 * t) * std::sin(2 * t)};
  result.side = normalized(cross(result.along, off_the_ring));
  result.out = cross(result.side, result.along);
  return result;
}

// The rotation whose columns are three unit vectors at right angles, as a quaternion (Shepperd, 1978, by its largest part).
std::array<float, 4> quaternion_of(vec3 a, vec3 b, vec3 c) {
  const float parts[4] = {1 + a.x + b.y + c.z, 1 + a.x - b.y - c.z, 1 - a.x + b.y - c.z, 1 - a.x - b.y + c.z};
  switch (std::max_element(parts, parts + 4) - parts) {
    case 0: return {parts[0], b.z - c.y, c.x - a.z, a.y - b.x};
    case 1: return {b.z - c.y, parts[1], b.x + a.y, c.x + a.z};
    case 2: return {c.x - a.z, b.x + a.y, parts[2], c.y + b.z};
    default: return {a.y - b.x, c.x + a.z, c.y + b.z, parts[3]};
  }
}

vec3 rainbow(float t) {
  return {0.5F + 0.45F * std::cos(t), 0.5F + 0.45F * std::cos(t - 2.1F), 0.5F + 0.45F * std::cos(t + 2.1F)};
}

float logit_of(float share) { return std::log(share / (1 - share)); }

// The colour `c`, and on top `gloss` where the view goes against `normal`: coefficients of the harmonics.
void add_colour(std::vector<vec3>& colours, vec3 c, vec3 normal, float gloss) {
  constexpr float constant = 0.28209479F, linear = 0.48860251F;
  const vec3 white{gloss / linear, gloss / linear, gloss / linear};
  colours.push_back((c - vec3{0.5F, 0.5F, 0.5F}) * (1 / constant));
  colours.push_back(white * normal.y);
  colours.push_back(white * -normal.z);
  colours.push_back(white * normal.x);
}

void add_surface(scene& to, random_stream& random, float size) {
  const float t = 2 * pi * random.uniform(), around = 2 * pi * random.uniform();
  const frame at = frame_at(t);
  const vec3 normal = at.out * std::cos(around) + at.side * std::sin(around);
  const vec3 across = cross(normal, at.along);
  const float groove = 0.94F + 0.06F * std::cos(3 * around + 40 * t);
  const bool stripe = std::cos(3 * around + 40 * t) > 0.55F;
  const float light = 0.25F + 0.75F * std::max(dot(normal, lamp), 0.0F);
  const vec3 paint = stripe ? vec3{0.95F, 0.88F, 0.70F} : rainbow(2 * t);
  const float shade = light * (0.85F + 0.3F * random.uniform());
  const float length = size * (0.8F + random.uniform());
  to.gaussians.push_back({at.at + normal * (tube * groove),
                          {std::log(2.2F * length), std::log(0.8F * length), std::log(0.15F * length)},
                          quaternion_of(at.along, across, normal),
                          logit_of(0.75F + 0.2F * random.uniform())});
  add_colour(to.colours, paint * shade, normal, 0.22F * light);
}

void add_dust(scene& to, random_stream& random, float size) {
  const vec3 direction = normalized(vec3{random.normal(), random.normal(), random.normal()});
  const vec3 at = direction * (0.5F + 1.1F * random.uniform());
  const float length = size * (0.4F + random.exponential());
  to.gaussians.push_back({at,
                          {std::log(length), std::log(length), std::log(length)},
                          {1, 0, 0, 0},
                          logit_of(0.05F + 0.3F * random.uniform())});
  add_colour(to.colours, vec3{0.65F, 0.75F, 1.0F} * (0.4F + 0.6F * random.uniform()), {}, 0);
}

}  // namespace

scene knot_scene(std::size_t count, std::uint64_t seed) {
  scene result;
  result.name = "knot (seed " + std::to_string(seed) + ")";
  result.degree = degree;
  result.background = {0.015F, 0.018F, 0.030F};
  result.gaussians.reserve(count);
  result.colours.reserve(count * static_cast<std::size_t>(coefficients_of(degree)));
  // So that they cover the tube some five times, however many there are.
  const float size = std::min(0.05F, 1.7F / std::sqrt(static_cast<float>(count)));
  for (std::size_t i = 0; i < count; ++i) {
    random_stream random(seed, i);
    if (random.uniform() < dust_share) add_dust(result, random, 0.5F * size);
    else add_surface(result, random, size);
  }
  return result;
}

}  // namespace splats
