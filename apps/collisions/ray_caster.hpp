// SPDX-License-Identifier: Apache-2.0
// A picture of the spheres in their box, a ray for each part of a pixel. Rays walk through the cells that the steps sort by
// (Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", 1987) and try the spheres around those cells.
#pragma once

#include <cmath>
#include <cstdint>

#include "../common/random.hpp"
#include "cell_grid.hpp"
#include "step_functions.hpp"

namespace collisions {

struct camera {
  vec3 eye;
  vec3 right, up, forward;  // unit vectors at right angles
  float focal = 1;          // pixels that a unit at distance 1 takes
  int width = 1, height = 1;
};

// Looks into the box from one of its long sides and from above, so that all of it is in the picture.
camera camera_at(vec3 box, int width, int height);

// Whether there is a sphere in a cell or in one around it.
struct mark_cell {
  cell_grid grid;
  const std::uint32_t* begins;
  std::uint8_t* marks;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const auto columns = static_cast<std::int64_t>(grid.columns);
    const cell c{static_cast<int>(i % columns), static_cast<int>(i / columns % grid.rows),
                 static_cast<int>(i / columns / grid.rows)};
    std::uint8_t mark = 0;
    for (int row = 0; row < 9; ++row) {
      const sphere_range near = grid.around(c, row, begins);
      if (near.first < near.last) mark = 1;
    }
    marks[i] = mark;
  }
};

struct ray {
  vec3 from, along;  // along: of length 1, no component of which is 0
};

struct hit {
  float distance = 1e30F;
  std::uint32_t sphere = 0;
  ONEPASS_HOST_DEVICE bool found() const { return distance < 1e30F; }
};

struct span {
  float begin, end;
};

class ray_caster {
 public:
  ONEPASS_HOST_DEVICE ray_caster(const arranged_spheres& spheres, const std::uint8_t* marks, vec3 box)
      : spheres_(spheres), marks_(marks), box_(box) {}

  // Which part of the ray, from its begin on, is in the box.
  ONEPASS_HOST_DEVICE span inside(const ray& r) const {
    const vec3 a = over({0 - r.from.x, 0 - r.from.y, 0 - r.from.z}, r.along), b = over(box_ - r.from, r.along);
    const float begin =
        apps::larger(apps::larger(apps::smaller(a.x, b.x), apps::smaller(a.y, b.y)), apps::smaller(a.z, b.z));
    const float end =
        apps::smaller(apps::smaller(apps::larger(a.x, b.x), apps::larger(a.y, b.y)), apps::larger(a.z, b.z));
    return {apps::larger(begin, 0.0F), end};
  }

  // The first sphere that the ray meets in the box and closer than `farthest`.
  ONEPASS_HOST_DEVICE hit first_hit(const ray& r, float farthest) const {
    const cell_grid& grid = spheres_.grid;
    const span part = inside(r);
    const float end = apps::smaller(part.end, farthest);
    hit best;
    if (!(part.begin < end)) return best;
    cell c = grid.cell_of(r.from + r.along * part.begin);
    const cell step{r.along.x > 0 ? 1 : -1, r.along.y > 0 ? 1 : -1, r.along.z > 0 ? 1 : -1};
    const vec3 corner{static_cast<float>(c.x + (step.x > 0)), static_cast<float>(c.y + (step.y > 0)),
                      static_cast<float>(c.z + (step.z > 0))};
    vec3 next = over(corner - r.from, r.along);  // where the ray leaves the cell along each axis
    const vec3 each{std::fabs(1 / r.along.x), std::fabs(1 / r.along.y), std::fabs(1 / r.along.z)};
    for (;;) {
      if (marks_[grid.key_of(c)] != 0) meet(r, c, best);
      const float leaves = apps::smaller(next.x, apps::smaller(next.y, next.z));
      if (best.distance <= leaves || leaves >= end) break;
      if (next.x == leaves) c.x += step.x, next.x += each.x;
      else if (next.y == leaves) c.y += step.y, next.y += each.y;
      else c.z += step.z, next.z += each.z;
      if (c.x < 0 || c.y < 0 || c.z < 0 || c.x >= grid.columns || c.y >= grid.rows || c.z >= grid.layers) break;
    }
    return best.distance < farthest ? best : hit{};
  }

 private:
  ONEPASS_HOST_DEVICE static vec3 over(vec3 a, vec3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }

  // The spheres around cell c.
  ONEPASS_HOST_DEVICE void meet(const ray& r, cell c, hit& best) const {
    for (int row = 0; row < 9; ++row) {
      const sphere_range near = spheres_.grid.around(c, row, spheres_.begins);
      for (std::uint32_t i = near.first; i < near.last; ++i) {
        const sphere s = spheres_.bodies.shapes[i];
        const vec3 to = s.at - r.from;
        const float middle = dot(to, r.along);
        const float half = s.radius * s.radius - (dot(to, to) - middle * middle);
        if (half <= 0) continue;
        const float distance = middle - std::sqrt(half);
        if (distance > 1e-3F && distance < best.distance) best = {distance, i};
      }
    }
  }

  arranged_spheres spheres_;
  const std::uint8_t* marks_;
  vec3 box_;
};

// ---- light ----------------------------------------------------------------------------------------------------------------
constexpr int rays_along = 3;  // a pixel's side

struct draw_pixel {
  camera view;
  ray_caster caster;
  arranged_spheres spheres;
  vec3 box;
  const vec3* colours;  // by id
  vec3* pixels;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    apps::random_stream random(0, static_cast<std::uint64_t>(i));
    const int x = static_cast<int>(i % view.width), y = static_cast<int>(i / view.width);
    vec3 sum;
    for (int part = 0; part < rays_along * rays_along; ++part) {
      const float right = static_cast<float>(x) + (static_cast<float>(part % rays_along) + 0.5F) / rays_along;
      const float down = static_cast<float>(y) + (static_cast<float>(part / rays_along) + 0.5F) / rays_along;
      const float across = (right - 0.5F * static_cast<float>(view.width)) / view.focal;
      const float above = (0.5F * static_cast<float>(view.height) - down) / view.focal;
      sum = sum + seen({view.eye, direction(view.forward + view.right * across + view.up * above)}, random);
    }
    pixels[i] = sum * (1.0F / (rays_along * rays_along));
  }

 private:
  ONEPASS_HOST_DEVICE static float not_zero(float value) {
    return std::fabs(value) < 1e-6F ? (value < 0 ? -1e-6F : 1e-6F) : value;
  }
  ONEPASS_HOST_DEVICE static vec3 direction(vec3 of) {
    const vec3 unit = normalized(of);
    return {not_zero(unit.x), not_zero(unit.y), not_zero(unit.z)};
  }

  ONEPASS_HOST_DEVICE vec3 seen(const ray& r, apps::random_stream& random) const {
    const hit met = caster.first_hit(r, 1e30F);
    if (met.found()) {
      const body b = spheres.bodies[met.sphere];
      const vec3 at = r.from + r.along * met.distance;
      return lit(at, normalized(at - b.shape.at), colours[b.move.id], random);
    }
    const span part = caster.inside(r);
    if (!(part.begin < part.end)) return {0.93F, 0.94F, 0.96F};
    const vec3 at = r.from + r.along * part.end;  // on the floor, or on a wall behind the spheres
    const vec3 inwards = wall_at(at);
    const float shade = inwards.z > 0 ? 0.62F : 0.74F;
    return lit(at + inwards * 1e-3F, inwards, vec3{0.98F, 1.0F, 1.03F} * shade, random);
  }

  ONEPASS_HOST_DEVICE vec3 wall_at(vec3 at) const {
    const float edge = 1e-3F * box.x;
    if (at.z < edge) return {0, 0, 1};
    if (at.y > box.y - edge) return {0, -1, 0};
    if (at.x < edge) return {1, 0, 0};
    if (at.x > box.x - edge) return {-1, 0, 0};
    return at.y < edge ? vec3{0, 1, 0} : vec3{0, 0, -1};
  }

  // Sun, shadowed by spheres, and a sky that spheres near by hide in part.
  ONEPASS_HOST_DEVICE vec3 lit(vec3 at, vec3 normal, vec3 colour, apps::random_stream& random) const {
    const vec3 scattered{random.uniform() - 0.5F, random.uniform() - 0.5F, random.uniform() - 0.5F};
    const vec3 sun = direction(vec3{-0.45F, -0.65F, 1.0F} + scattered * 0.12F);
    const float height = 1 - 2 * random.uniform(), turn = 6.2831853F * random.uniform();
    const float around = std::sqrt(apps::larger(1 - height * height, 0.0F));
    const vec3 any = direction(normal + vec3{around * std::cos(turn), around * std::sin(turn), height} * 0.999F);
    float bright = dot(normal, sun);
    if (bright > 0 && caster.first_hit({at, sun}, 1e30F).found()) bright = 0;
    const float sky = caster.first_hit({at, any}, 8).found() ? 0.25F : 1.0F;
    const vec3 light = vec3{1.0F, 0.95F, 0.86F} * (0.85F * apps::larger(bright, 0.0F)) +
                       vec3{0.80F, 0.90F, 1.0F} * (0.42F * sky * (0.75F + 0.25F * normal.z));
    return {colour.x * light.x, colour.y * light.y, colour.z * light.z};
  }
};

}  // namespace collisions
