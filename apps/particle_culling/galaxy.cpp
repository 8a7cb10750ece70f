// SPDX-License-Identifier: Apache-2.0
// A barless spiral galaxy of radius about 1 in the plane y = 0: an old bulge, a disc, two arms of young stars with
// clusters of red-glowing gas, dust along the arms' inner edge, and a thin halo. All go round on circular orbits at
// one speed (a flat rotation curve). Each particle is made from its number alone, so the galaxy is the same every time.
#include <algorithm>
#include <cmath>
#include <string>

#include "cloud.hpp"
#include "../common/random.hpp"

namespace particle_culling {
namespace {

using apps::random_stream;

constexpr float pi = 3.14159265F;
constexpr float orbit_speed = 0.10F;  // units a second
constexpr float arm_pitch = 0.33F;    // tangent of the angle between arm and circle: about 18 degrees
constexpr float arm_start = 0.10F;    // radius at which the arms leave the bulge
constexpr float dust_share = 0.05F;

// The angle of an arm's ridge at a radius.
float arm_angle(float radius, int arm) {
  return std::log(radius / arm_start) / arm_pitch + pi * static_cast<float>(arm);
}

vec3 on_disc(float radius, float angle, float height) {
  return {radius * std::cos(angle), height, radius * std::sin(angle)};
}

// A radius of the exponential disc, none beyond the edge of the picture's interest.
float disc_radius(random_stream& random, float scale) {
  const float radius = scale * (random.exponential() + random.exponential());
  return radius < 1.7F ? radius : 1.7F * random.uniform();
}

// A star that gives as much light as one of the usual size, but from a larger spot: many of them make a smooth glow.
void set_size(point& star, float times) {
  constexpr float usual = 0.0016F;
  star.radius = usual * times;
  star.colour = star.colour * (1 / (times * times));
}

vec3 mixed_colour(vec3 a, vec3 b, float share) { return a * (1 - share) + b * share; }

point bulge_star(random_stream& random) {
  const float radius = 0.035F * (random.exponential() + random.exponential());
  const float up = 2 * random.uniform() - 1;
  const float flat = std::sqrt(1 - up * up);
  const float angle = 2 * pi * random.uniform();
  point star;
  star.position = {radius * flat * std::cos(angle), 0.6F * radius * up, radius * flat * std::sin(angle)};
  star.colour = mixed_colour({1.0F, 0.78F, 0.48F}, {1.0F, 0.60F, 0.30F}, random.uniform()) * 0.6F;
  set_size(star, 1.5F);
  return star;
}

point disc_star(random_stream& random) {
  point star;
  star.position = on_disc(disc_radius(random, 0.19F), 2 * pi * random.uniform(), 0.022F * random.normal());
  star.colour = mixed_colour({1.0F, 0.80F, 0.58F}, {0.85F, 0.85F, 1.0F}, random.uniform()) * 0.40F;
  set_size(star, 4.0F);
  return star;
}

point arm_star(random_stream& random) {
  const float radius = arm_start + disc_radius(random, 0.25F) * 0.9F;
  const int arm = random.uniform() < 0.5F ? 0 : 1;
  const bool ridge = random.uniform() < 0.4F;  // and the rest makes its wide foot
  const float width = (ridge ? 0.11F : 0.30F) / std::sqrt(radius + 0.15F);
  point star;
  star.position = on_disc(radius * (1 + 0.03F * random.normal()), arm_angle(radius, arm) + width * random.normal(),
                          0.012F * random.normal());
  star.colour = mixed_colour({0.34F, 0.52F, 1.0F}, {0.72F, 0.82F, 1.0F}, random.uniform()) * 0.75F;
  const bool giant = random.uniform() < 0.002F;  // a few that stand out
  if (giant) star.colour = star.colour * 30;
  set_size(star, giant ? 1.0F : ridge ? 1.5F : 3.0F);
  return star;
}

// Clusters of young stars in glowing gas: a few hundred places on the arms share all particles of this kind.
point cluster_star(random_stream& random, std::uint64_t seed) {
  constexpr float clusters = 260;
  random_stream place(seed ^ 0xc105e5ULL, static_cast<std::uint64_t>(clusters * random.uniform()));
  const float radius = arm_start + 0.08F + 0.85F * std::sqrt(place.uniform()) * (0.6F + 0.4F * place.uniform());
  const int arm = place.uniform() < 0.5F ? 0 : 1;
  const float angle = arm_angle(radius, arm) + 0.09F * place.normal();
  const float size = 0.004F + 0.008F * place.uniform() * place.uniform();
  const bool blue = place.uniform() < 0.35F;
  point star;
  star.position = on_disc(radius, angle, 0.006F * place.normal()) +
                  vec3{random.normal(), 0.6F * random.normal(), random.normal()} * size;
  star.colour = blue ? vec3{0.45F, 0.70F, 1.3F} : vec3{1.25F, 0.30F, 0.46F};
  set_size(star, 1.5F);
  return star;
}

// Dust glows faintly brown and dims what lies behind it. The fewer grains there are, the more each must hide.
point dust_grain(random_stream& random, float grains) {
  const float radius = arm_start * 0.7F + disc_radius(random, 0.22F) * 0.9F;
  const int arm = random.uniform() < 0.5F ? 0 : 1;
  const float lag = 0.30F + 0.05F / (radius + 0.1F);  // behind the ridge, where the gas piles up
  point grain;
  grain.position = on_disc(radius, arm_angle(radius, arm) - lag + 0.13F * random.normal(), 0.004F * random.normal());
  grain.colour = {0.010F, 0.006F, 0.004F};
  grain.radius = 0.006F + 0.010F * random.uniform();
  grain.opacity = std::min(0.6F, 0.16F * 1.0e5F / std::max(grains, 1.0F));
  return grain;
}

point halo_star(random_stream& random) {
  point star;
  const float radius = 0.25F * (random.exponential() + random.exponential());
  star.position = normalized(vec3{random.normal(), random.normal(), random.normal()}) * radius;
  star.colour = vec3{1.0F, 0.85F, 0.70F} * 0.35F;
  set_size(star, 1.0F);
  return star;
}

point galaxy_particle(std::uint64_t seed, std::size_t index, std::size_t count) {
  random_stream random(seed, index);
  const float kind = random.uniform();
  point p;
  if (kind < dust_share) {
    p = dust_grain(random, dust_share * static_cast<float>(count));
  } else if (kind < 0.19F) {
    p = bulge_star(random);
  } else if (kind < 0.50F) {
    p = disc_star(random);
  } else if (kind < 0.94F) {
    p = arm_star(random);
  } else if (kind < 0.98F) {
    p = cluster_star(random, seed);
  } else {
    p = halo_star(random);
  }
  p.velocity = normalized(vec3{-p.position.z, 0, p.position.x}) * orbit_speed;
  return p;
}

}  // namespace

scene scene_of_galaxy(std::size_t particles, std::uint64_t seed) {
  scene result;
  result.name = "galaxy (seed " + std::to_string(seed) + ")";
  result.radius = 0.72F;
  result.elevation = 0.62F;
  result.gravity = orbit_speed * orbit_speed;
  result.background = {0, 0, 0};
  result.source.points.resize(particles);
  for (std::size_t i = 0; i < particles; ++i) result.source.points[i] = galaxy_particle(seed, i, particles);
  return result;
}

}  // namespace particle_culling
