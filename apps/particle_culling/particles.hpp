// SPDX-License-Identifier: Apache-2.0
// The life of a particle: born at its point of the scene, moved along, dead after its time, born again. Everything here
// is a function object over particle numbers, for host and device.
#pragma once

#include <cstdint>

#include "../common/camera.hpp"
#include "cloud.hpp"
#include "../common/random.hpp"

namespace particle_culling {

using apps::camera;
using apps::frustum;
using apps::mixed;
using apps::orbit;
using apps::random_stream;

struct body {
  vec3 position;
  float age = 0;
  vec3 velocity;
  float lifetime = 0;  // dead from this age on
};

constexpr float shortest_life = 1.0F;  // seconds
constexpr float longest_life = 3.0F;

// Gives particle `i` a new life at its point; `life` counts a particle's lives, so that each is another length.
ONEPASS_HOST_DEVICE inline body born(const point& origin, std::uint64_t seed, std::uint64_t life, std::uint64_t i) {
  random_stream random(seed + 0x11fe * (life + 1), i);
  const float lifetime = shortest_life + (longest_life - shortest_life) * random.uniform();
  return {origin.position, 0, origin.velocity, lifetime};
}

// The first lives: of any age, and a tenth already dead, as it will be in the long run.
struct begin_life {
  const point* points;
  body* bodies;
  std::uint64_t seed;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    body b = born(points[i], seed, 0, static_cast<std::uint64_t>(i));
    random_stream random(seed ^ 0xa9e5ULL, static_cast<std::uint64_t>(i));
    b.age = 1.1F * b.lifetime * random.uniform();
    bodies[i] = b;
  }
};

// Emits the particle of a free slot anew. Another `life` starts at another place in the list of free slots, so that all
// of them get their turn.
struct emit_particle {
  const point* points;
  body* bodies;
  const std::uint32_t* slots;
  std::uint32_t slot_count;
  std::uint64_t seed;
  std::uint64_t life;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::uint64_t start = mixed(life) % slot_count;
    const std::uint32_t slot = slots[(start + static_cast<std::uint64_t>(i)) % slot_count];
    bodies[slot] = born(points[slot], seed, life, slot);
  }
};

// One step of `seconds`: older, and further on its way around the vertical axis through `centre`. `gravity` is the
// squared speed of a circular orbit, the same at all distances; 0 lets particles fly straight on.
struct move_particle {
  body* bodies;
  vec3 centre;
  float gravity;
  float seconds;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    body b = bodies[i];
    const vec3 out{b.position.x - centre.x, 0, b.position.z - centre.z};
    const float pull = gravity / (dot(out, out) + 1e-4F);  // softened: nobody gets flung out of the centre
    b.velocity = b.velocity - out * (pull * seconds);
    b.position = b.position + b.velocity * seconds;
    b.age += seconds;
    bodies[i] = b;
  }
};

ONEPASS_HOST_DEVICE inline bool is_alive(const body& b) { return b.age < b.lifetime; }

// Whose slots can be emitted from again.
struct is_dead {
  const body* bodies;
  ONEPASS_HOST_DEVICE bool operator()(std::uint32_t slot) const { return !is_alive(bodies[slot]); }
};

// Who gets drawn: alive, inside the view frustum, and not turning its back on the eye.
struct is_visible {
  const body* bodies;
  const point* points;
  frustum view;
  vec3 eye;

  ONEPASS_HOST_DEVICE bool operator()(std::uint32_t slot) const {
    const body& b = bodies[slot];
    if (!is_alive(b) || !view.contains(b.position)) return false;
    return dot(points[slot].normal, b.position - eye) <= 0;  // 0 for a null normal, which has no back
  }
};

// What the visible particles are sorted by: keys[i] of the particle in slots[i].
struct depth_key {
  const body* bodies;
  const std::uint32_t* slots;
  camera view;
  float* keys;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { keys[i] = depth_of(view, bodies[slots[i]].position); }
};

}  // namespace particle_culling
