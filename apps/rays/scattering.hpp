// SPDX-License-Identifier: Apache-2.0
// What happens to a path where it hits something: the same functions for the waves and for the serial program. Random numbers
// belong to a pixel, a sample and a bounce, so no order of the work changes them.
// Methods: PBRT (4th edition, 2023), chapters 9 (materials), 12 and 13 (lights, paths); for lights that are spheres section
// 6.2.4; Duff et al., "Building an Orthonormal Basis, Revisited" (2017); Schlick, "An Inexpensive BRDF Model" (1994).
#pragma once

#include <cstdint>

#include "../common/random.hpp"
#include "primitives.hpp"
#include "scene.hpp"

namespace rays {

struct path {
  vec3 origin;
  vec3 direction;
  vec3 weight;               // what the light that comes from there counts
  std::uint32_t slot;        // of the wave; ended_slot: there is no path here any more
  std::uint32_t sees_lamps;  // not after a matte surface, for which lamps have been asked
};

constexpr std::uint32_t ended_slot = 0xFFFFFFFF;

// Light on its way to where a path is now, unless something is between.
struct shadow_ray {
  vec3 direction;
  float distance;
  vec3 light;  // null: no ray
};

// What the steps need of a scene, in the backend's memory.
struct scene_view {
  const material* materials;
  const light* lights;
  std::uint32_t light_count;
  vec3 horizon, zenith;
};

// Which pixel and sample a slot of a wave is.
struct wave {
  std::uint64_t seed;
  std::uint64_t first_sample;
  std::uint32_t pixels;

  // `draw` tells uses on the same path apart: for each bounce two, and the camera's.
  ONEPASS_HOST_DEVICE apps::random_stream random(std::uint32_t slot, std::uint32_t draw) const {
    const std::uint64_t pixel = slot % pixels, sample = first_sample + slot / pixels;
    return {seed, sample << 36 | pixel << 8 | draw};
  }
};

constexpr std::uint32_t camera_draw = 255;
constexpr int most_bounces = 100;
ONEPASS_HOST_DEVICE inline std::uint32_t ending_draw(int bounce) { return 2 * static_cast<std::uint32_t>(bounce); }
ONEPASS_HOST_DEVICE inline std::uint32_t scattering_draw(int bounce) { return ending_draw(bounce) + 1; }

// A point on the unit circle: by rejection, as sines and cosines differ between host and device.
ONEPASS_HOST_DEVICE inline void draw_on_circle(apps::random_stream& random, float& x, float& y) {
  float length2 = 0;
  do {
    x = 2 * random.uniform() - 1;
    y = 2 * random.uniform() - 1;
    length2 = x * x + y * y;
  } while (!(length2 <= 1 && length2 > 1e-6F));
  const float scale = 1 / sqrtf(length2);
  x *= scale;
  y *= scale;
}

// The direction at this cosine from `axis`, and at a drawn angle around it.
ONEPASS_HOST_DEVICE inline vec3 draw_around(vec3 axis, float cosine, apps::random_stream& random) {
  float x = 0, y = 0;
  draw_on_circle(random, x, y);
  const float sine = sqrtf(larger(1 - cosine * cosine, 0.0F));
  const float sign = axis.z < 0 ? -1.0F : 1.0F, a = -1 / (sign + axis.z), b = axis.x * axis.y * a;
  const vec3 right{1 + sign * axis.x * axis.x * a, sign * b, -sign * axis.x},
      up{b, sign + axis.y * axis.y * a, -axis.y};
  return normalized(right * (sine * x) + up * (sine * y) + axis * cosine);
}

ONEPASS_HOST_DEVICE inline path begin_path(const camera& view, const wave& which, std::uint32_t slot) {
  apps::random_stream random = which.random(slot, camera_draw);
  const auto pixel = static_cast<int>(slot % which.pixels);
  const float x = (static_cast<float>(pixel % view.width) + random.uniform() - 0.5F * static_cast<float>(view.width)),
              y = (static_cast<float>(pixel / view.width) + random.uniform() - 0.5F * static_cast<float>(view.height));
  const vec3 sharp = view.forward + view.right * (x * view.pixel) - view.up * (y * view.pixel);  // at distance 1
  float lens_x = 0, lens_y = 0;
  draw_on_circle(random, lens_x, lens_y);
  const float reach = view.lens * sqrtf(random.uniform());
  const vec3 on_lens = view.right * (lens_x * reach) + view.up * (lens_y * reach);
  return {view.eye + on_lens, normalized(sharp * view.focus - on_lens), {1, 1, 1}, slot, 1};
}

ONEPASS_HOST_DEVICE inline vec3 sky(const scene_view& scene, vec3 direction) {
  const float height = limited(direction.y, 0.0F, 1.0F), share = 1 - (1 - height) * (1 - height);
  return scene.horizon * (1 - share) + scene.zenith * share;
}

// Whether a path that hits `p` (null: nothing) ends there. What it sees is then added to `radiance`. From the fourth bounce on
// paths of little weight end by lot, and the others stand for them ("Russian roulette").
ONEPASS_HOST_DEVICE inline bool ends(const scene_view& scene, const wave& which, int bounce, int bounces,
                                     const primitive* p, path& one, vec3& radiance) {
  if (p == nullptr) {
    radiance = radiance + one.weight * sky(scene, one.direction);
    return true;
  }
  const material& what = scene.materials[p->material];
  if (what.kind == surface::light) {
    if (one.sees_lamps != 0) radiance = radiance + one.weight * what.colour;
    return true;
  }
  if (bounce == bounces) return true;
  if (bounce < 3) return false;
  const float stays = limited(larger(larger(one.weight.x, one.weight.y), one.weight.z), 0.05F, 0.95F);
  if (which.random(one.slot, ending_draw(bounce)).uniform() >= stays) return true;
  one.weight = one.weight * (1 / stays);
  return false;
}

// Asks one of the lamps, from a matte surface: a direction in the cone under which it is seen.
ONEPASS_HOST_DEVICE inline shadow_ray ask_lamp(const scene_view& scene, vec3 position, vec3 normal, vec3 weight,
                                               apps::random_stream& random) {
  const auto chosen = static_cast<std::uint32_t>(random.uniform() * static_cast<float>(scene.light_count));
  const light& lamp = scene.lights[smaller(chosen, scene.light_count - 1)];
  const float height = random.uniform();
  const vec3 towards = lamp.centre - position;
  const float distance2 = dot(towards, towards), sine2 = lamp.radius * lamp.radius / distance2;
  if (!(sine2 < 1)) return {};
  const float cap = sine2 / (1 + sqrtf(1 - sine2));  // 1 - cosine, without cancellation
  const float cosine = 1 - height * cap, distance = sqrtf(distance2);
  const vec3 direction = draw_around(towards * (1 / distance), cosine, random);
  const float facing = dot(direction, normal);
  if (!(facing > 0)) return {};
  const float depth2 = lamp.radius * lamp.radius - distance2 * (1 - cosine * cosine);
  const float before = distance * cosine - sqrtf(larger(depth2, 0.0F));
  // Over pi, of a matte surface; times 2 * pi * cap, the solid angle; times the lamps, of which one is asked.
  const float share = 2 * cap * facing * static_cast<float>(scene.light_count);
  return {direction, before * 0.999F, weight * lamp.colour * share};
}

ONEPASS_HOST_DEVICE inline vec3 mirrored(vec3 direction, vec3 normal) {
  return direction - normal * (2 * dot(direction, normal));
}

// Through glass or off it; `normal` is turned towards where the path comes from, which is outside or not.
ONEPASS_HOST_DEVICE inline vec3 through_glass(vec3 direction, vec3 normal, bool outside, apps::random_stream& random) {
  constexpr float refraction = 1.5F,
                  straight = (refraction - 1) / (refraction + 1) * (refraction - 1) / (refraction + 1);
  const float ratio = outside ? 1 / refraction : refraction;
  const float cosine = smaller(-dot(direction, normal), 1.0F), sine2 = ratio * ratio * (1 - cosine * cosine);
  if (sine2 >= 1) return mirrored(direction, normal);
  const float inner = sqrtf(1 - sine2), flat = 1 - (outside ? cosine : inner), flat2 = flat * flat;
  const float reflected = straight + (1 - straight) * flat2 * flat2 * flat;
  if (random.uniform() < reflected) return mirrored(direction, normal);
  return normalized(direction * ratio + normal * (ratio * cosine - inner));
}

// Sends the path on from what it hit.
ONEPASS_HOST_DEVICE inline shadow_ray scatter(const scene_view& scene, const wave& which, int bounce,
                                              const primitive& p, float distance, path& one) {
  constexpr float off_surface = 2e-4F;
  apps::random_stream random = which.random(one.slot, scattering_draw(bounce));
  const material what = scene.materials[p.material];
  const vec3 position = one.origin + one.direction * distance;
  vec3 normal = normal_at(p, position);
  const bool outside = dot(normal, one.direction) < 0;
  if (!outside) normal = normal * -1;
  shadow_ray shadow{};
  one.weight = one.weight * what.colour;
  one.sees_lamps = what.kind == surface::matte ? 0 : 1;
  if (what.kind == surface::matte) {
    one.origin = position + normal * off_surface;
    shadow = ask_lamp(scene, one.origin, normal, one.weight, random);
    one.direction = draw_around(normal, sqrtf(1 - random.uniform()), random);
  } else if (what.kind == surface::metal) {
    const vec3 away = draw_around(mirrored(one.direction, normal), 2 * random.uniform() - 1, random);
    const vec3 direction = normalized(mirrored(one.direction, normal) + away * (what.rough * random.uniform()));
    one.direction = dot(direction, normal) > 0 ? direction : mirrored(one.direction, normal);
    one.origin = position + normal * off_surface;
  } else {
    one.direction = through_glass(one.direction, normal, outside, random);
    one.origin = position + normal * (dot(one.direction, normal) > 0 ? off_surface : -off_surface);
  }
  return shadow;
}

}  // namespace rays
