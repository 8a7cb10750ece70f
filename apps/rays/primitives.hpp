// SPDX-License-Identifier: Apache-2.0
// Triangles and spheres, and where a ray hits one. All of this program's arithmetic on host and device is +, -, *, / and square
// roots, which IEEE 754 rounds in one way; it is compiled without contraction to fused multiply-adds.
// Methods: Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997); for spheres Pharr, Jakob and
// Humphreys, "Physically Based Rendering" (PBRT, 4th edition, 2023), section 6.8.
#pragma once

#include <cmath>
#include <cstdint>

#include "../common/vec3.hpp"

namespace rays {

using apps::larger;
using apps::limited;
using apps::smaller;
using apps::vec3;

struct box {
  vec3 low;
  vec3 high;
};

ONEPASS_HOST_DEVICE inline box around(const box& a, const box& b) {
  return {{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
          {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)}};
}

enum class shape : std::uint16_t { triangle, sphere };

struct alignas(16) primitive {
  vec3 a;       // a corner; or the centre
  vec3 ab, ac;  // the edges from it; or the radius, three times
  std::uint32_t
      id;  // in the scene: of two hits at the same distance the lower one counts, whatever order they are found in
  std::uint16_t material;
  shape kind;
};

inline primitive make_triangle(vec3 a, vec3 b, vec3 c, std::uint16_t material) {
  return {a, b - a, c - a, 0, material, shape::triangle};
}

inline primitive make_sphere(vec3 centre, float radius, std::uint16_t material) {
  return {centre, {radius, radius, radius}, {}, 0, material, shape::sphere};
}

ONEPASS_HOST_DEVICE inline box box_of(const primitive& p) {
  if (p.kind == shape::sphere) return {p.a - p.ab, p.a + p.ab};
  const vec3 b = p.a + p.ab, c = p.a + p.ac;
  return around({p.a, p.a}, around({b, b}, {c, c}));
}

constexpr float nearest_hit = 1e-5F;  // rays begin off the surface that they leave
constexpr float nowhere = 1e30F;      // the distance of no hit

// How far along the ray, a unit vector, it hits; `nowhere` if it doesn't.
ONEPASS_HOST_DEVICE inline float distance_to(const primitive& p, vec3 origin, vec3 direction) {
  const vec3 from = origin - p.a;
  if (p.kind == shape::sphere) {
    const float along = dot(from, direction);
    const vec3 beside = from - direction * along;  // from the centre to the ray
    const float depth2 = p.ab.x * p.ab.x - dot(beside, beside);
    if (!(depth2 > 0)) return nowhere;
    const float depth = sqrtf(depth2);
    if (-along - depth > nearest_hit) return -along - depth;
    return depth - along > nearest_hit ? depth - along : nowhere;
  }
  const vec3 across = cross(direction, p.ac);
  const float volume = dot(p.ab, across);
  if (volume == 0) return nowhere;
  const float scale = 1 / volume;
  const float u = dot(from, across) * scale;
  if (!(u >= 0 && u <= 1)) return nowhere;
  const vec3 other = cross(from, p.ab);
  const float v = dot(direction, other) * scale;
  if (!(v >= 0 && u + v <= 1)) return nowhere;
  const float distance = dot(p.ac, other) * scale;
  return distance > nearest_hit ? distance : nowhere;
}

// Of a sphere it points outwards.
ONEPASS_HOST_DEVICE inline vec3 normal_at(const primitive& p, vec3 position) {
  return normalized(p.kind == shape::sphere ? position - p.a : cross(p.ab, p.ac));
}

}  // namespace rays
