// SPDX-License-Identifier: Apache-2.0
// How spheres move: gravity, and springs with dampers where two of them, or one and a wall, overlap (Cundall and Strack, "A
// discrete numerical model for granular assemblies", 1979). Everything here is used by each backend and by the plain programs.
//
// Two spheres push each other with opposite impulses, which are rounded to integers. So the sum over a sphere's contacts is
// the same in every order, and no impulse gets lost. A length of 1 is the diameter of the largest sphere.
#pragma once

#include <cstdint>

#include "../common/vec3.hpp"

namespace collisions {

using apps::vec3;

constexpr float smallest_radius = 0.42F, largest_radius = 0.5F;

struct alignas(16) sphere {
  vec3 at;
  float radius = 0;
};

struct alignas(16) motion {
  vec3 velocity;
  std::uint32_t id = 0;  // which of the scene's spheres it is
};

struct body {
  sphere shape;
  motion move;
};

struct rules {
  vec3 box;                 // its far corner; the near one is the origin, and z goes up
  float seconds = 0.001F;   // of a step: the 15th part of the time that two spheres touch
  float gravity = 10;       // lengths per second squared
  float stiffness = 20000;  // of the springs: force over overlap
  float damping = 0;        // force over the speed at which two surfaces approach
  float wall_damping = 0;   // the same at a wall, which does not give way
  float friction = 0;       // force over the speed at which they slide
};

// The damping under which two spheres that meet go apart at about `bounce` times the speed, from 0 to 1.
rules rules_of(vec3 box, double bounce);

// The largest spheres have a mass of 1.
ONEPASS_HOST_DEVICE inline float mass_of(float radius) { return 8 * radius * radius * radius; }

// ---- contacts -------------------------------------------------------------------------------------------------------------
// The impulse on a sphere, in quanta, and how deep its deepest overlap is.
struct alignas(16) push {
  std::int32_t x = 0, y = 0, z = 0;
  std::int32_t depth = 0;
  ONEPASS_HOST_DEVICE bool operator==(const push& other) const {
    return x == other.x && y == other.y && z == other.z && depth == other.depth;
  }
};

constexpr float quanta = 1048576;      // 2^20 to a unit
constexpr float largest_impulse = 16;  // of one contact, in units: 127 contacts can't overflow a sum

// Wraps around where no spheres could be, in a crowd of more than that.
ONEPASS_HOST_DEVICE inline std::int32_t wrapped_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

struct sum_of_pushes {
  ONEPASS_HOST_DEVICE push operator()(const push& a, const push& b) const {
    return {wrapped_sum(a.x, b.x), wrapped_sum(a.y, b.y), wrapped_sum(a.z, b.z), apps::larger(a.depth, b.depth)};
  }
};

ONEPASS_HOST_DEVICE inline std::int32_t in_quanta(float value) {
  return static_cast<std::int32_t>(apps::limited(value, -largest_impulse, largest_impulse) *
                                   quanta);  // towards 0, so the same for both signs
}

ONEPASS_HOST_DEVICE inline bool touch(const sphere& a, const sphere& b) {
  const vec3 apart = a.at - b.at;
  const float reach = a.radius + b.radius;
  return dot(apart, apart) < reach * reach;
}

// The impulse of a step on a surface that overlaps another by `depth`, where `away` is the direction away from the other
// one and `velocity` is relative to it. Surfaces never pull.
ONEPASS_HOST_DEVICE inline vec3 impulse_of(const rules& by, float damping, vec3 away, float depth, vec3 velocity) {
  const float approach = dot(velocity, away);
  const float force = apps::larger(by.stiffness * depth - damping * approach, 0.0F);
  const vec3 sliding = velocity - away * approach;
  return (away * force - sliding * by.friction) * by.seconds;
}

// What b does to a, which it touches. Exactly the opposite of what a does to b. Nothing if their centres are one point.
ONEPASS_HOST_DEVICE inline push push_between(const rules& by, const body& a, const body& b) {
  const vec3 apart = a.shape.at - b.shape.at;
  const float distance = length(apart);
  if (!(distance > 0)) return {};
  const vec3 away{apart.x / distance, apart.y / distance, apart.z / distance};
  const float depth = a.shape.radius + b.shape.radius - distance;
  const vec3 impulse = impulse_of(by, by.damping, away, depth, a.move.velocity - b.move.velocity);
  return {in_quanta(impulse.x), in_quanta(impulse.y), in_quanta(impulse.z), in_quanta(depth)};
}

// ---- a step ---------------------------------------------------------------------------------------------------------------
ONEPASS_HOST_DEVICE inline vec3 impulse_of_wall(const rules& by, const body& b, vec3 inwards, float distance) {
  const float depth = b.shape.radius - distance;
  return depth > 0 ? impulse_of(by, by.wall_damping, inwards, depth, b.move.velocity) : vec3{};
}

ONEPASS_HOST_DEVICE inline vec3 impulse_of_walls(const rules& by, const body& b) {
  const vec3 at = b.shape.at;
  vec3 sum = impulse_of_wall(by, b, {1, 0, 0}, at.x) + impulse_of_wall(by, b, {-1, 0, 0}, by.box.x - at.x);
  sum = sum + impulse_of_wall(by, b, {0, 1, 0}, at.y) + impulse_of_wall(by, b, {0, -1, 0}, by.box.y - at.y);
  return sum + impulse_of_wall(by, b, {0, 0, 1}, at.z) + impulse_of_wall(by, b, {0, 0, -1}, by.box.z - at.z);
}

// The sphere a step later, where its contacts push it by `sum`: first the velocity, then the position by the new velocity.
ONEPASS_HOST_DEVICE inline body advanced(const rules& by, body b, const push& sum) {
  const vec3 pushed{static_cast<float>(sum.x) / quanta, static_cast<float>(sum.y) / quanta,
                    static_cast<float>(sum.z) / quanta};
  const vec3 impulse = pushed + impulse_of_walls(by, b);
  b.move.velocity = b.move.velocity + impulse * (1 / mass_of(b.shape.radius)) - vec3{0, 0, by.gravity * by.seconds};
  b.shape.at = b.shape.at + b.move.velocity * by.seconds;
  return b;
}

}  // namespace collisions
