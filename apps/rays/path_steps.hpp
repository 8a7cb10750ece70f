// SPDX-License-Identifier: Apache-2.0
// The steps of a wave of paths, each for one path, on host and device.
#pragma once

#include <cstdint>

#include "bvh.hpp"
#include "scattering.hpp"

namespace rays {

// How a path goes on, its direction first and then where on the Morton curve it begins, over the path's index in the wave's
// arrays: paths are sorted by the upper half and found by the lower one.
using ray_key = std::uint64_t;
constexpr ray_key ended_key = ~ray_key{0};
constexpr int first_key_bit = 32, last_key_bit = 64, place_bits = 23;

// A direction's cell among 8 x 8 x 8, of which a few more than 200 are on the sphere.
ONEPASS_HOST_DEVICE inline ray_key direction_cell(vec3 direction) {
  const auto eighth = [](float x) { return static_cast<ray_key>((x * 0.5F + 0.5F) * 7.99F) & 7; };
  return eighth(direction.x) << 6 | eighth(direction.y) << 3 | eighth(direction.z);
}

struct is_living {
  ONEPASS_HOST_DEVICE bool operator()(ray_key key) const { return key != ended_key; }
};

struct begin_paths {
  camera view;
  wave which;
  path* paths;
  vec3* radiance;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    paths[i] = begin_path(view, which, static_cast<std::uint32_t>(i));
    radiance[i] = {};
  }
};

struct find_hits {
  bvh_view bvh;
  const path* paths;
  hit* hits;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const path& one = paths[i];
    if (one.slot != ended_slot) hits[i] = trace<false>(bvh, one.origin, one.direction, nowhere);
  }
};

struct end_paths {
  bvh_view bvh;
  scene_view scene;
  wave which;
  int bounce, bounces;
  path* paths;
  const hit* hits;
  vec3* radiance;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    path one = paths[i];
    if (one.slot == ended_slot) return;
    const hit found = hits[i];
    const primitive* const p = found.leaf == no_leaf ? nullptr : bvh.primitives + found.leaf;
    if (ends(scene, which, bounce, bounces, p, one, radiance[one.slot])) {
      paths[i].slot = ended_slot;
      return;
    }
    paths[i].weight = one.weight;
  }
};

struct move_paths {
  const ray_key* keys;
  const path* paths;
  path* paths_out;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const ray_key from = keys[i] & 0xFFFFFFFFU;
    paths_out[i] = paths[from];
  }
};

struct scatter_paths {
  bvh_view bvh;
  scene_view scene;
  wave which;
  morton_curve curve;
  int bounce;
  path* paths;
  const hit* hits;
  shadow_ray* shadows;
  ray_key* keys;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = ended_key;
    if (paths[i].slot == ended_slot) return;
    shadows[i] = scatter(scene, which, bounce, bvh.primitives[hits[i].leaf], hits[i].distance, paths[i]);
    const ray_key place = curve(paths[i].origin) >> (63 - place_bits);
    keys[i] = (direction_cell(paths[i].direction) << place_bits | place) << first_key_bit | static_cast<ray_key>(i);
  }
};

struct light_paths {
  bvh_view bvh;
  const path* paths;
  const shadow_ray* shadows;
  vec3* radiance;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::uint32_t slot = paths[i].slot;
    if (slot == ended_slot) return;
    const shadow_ray one = shadows[i];
    if (dot(one.light, one.light) == 0) return;
    if (trace<true>(bvh, paths[i].origin, one.direction, one.distance).leaf != no_leaf) return;
    radiance[slot] = radiance[slot] + one.light;
  }
};

// A pixel's samples so far: their sum, and the sum of their squares' luminances, which says how much they vary.
struct exposed_pixel {
  vec3 sum;
  float squares;
};

ONEPASS_HOST_DEVICE inline float luminance(vec3 c) { return 0.2126F * c.x + 0.7152F * c.y + 0.0722F * c.z; }

// Adds a wave's samples in their order.
struct expose {
  const vec3* radiance;
  std::uint32_t pixels, samples;
  exposed_pixel* film;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    exposed_pixel pixel = film[i];
    for (std::uint32_t sample = 0; sample < samples; ++sample) {
      const vec3 seen = radiance[static_cast<std::int64_t>(sample) * pixels + i];
      pixel.sum = pixel.sum + seen;
      pixel.squares += luminance(seen) * luminance(seen);
    }
    film[i] = pixel;
  }
};

}  // namespace rays
