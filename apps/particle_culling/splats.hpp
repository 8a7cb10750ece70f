// SPDX-License-Identifier: Apache-2.0
// How a particle looks on the picture: a soft round spot, in which tiles of the picture it lies, and how spots are
// blended: additively, each first dimming what lies behind it by its opacity (0 for stars: plain addition).
#pragma once

#include <cstdint>

#include "../common/camera.hpp"
#include "../common/tiles.hpp"
#include "cloud.hpp"
#include "particles.hpp"

namespace particle_culling {

using apps::larger;
using apps::limited;
using apps::screen_point;
using apps::smaller;
using apps::tile_grid;
using apps::tile_range;
using apps::tile_size;

constexpr float smallest_radius = 1.4F;  // pixels: below it spots would flicker between pixels, so they get dimmer

struct splat {
  float x = 0;  // centre and radius in pixels
  float y = 0;
  float radius = 0;
  float opacity = 0;
  vec3 emission;
};

// A number of pixels, rounded down, and far outside of any picture where an int has no room for it.
ONEPASS_HOST_DEVICE inline int whole_pixels(float pixels) {
  constexpr float far = 1 << 30;
  return static_cast<int>(floorf(pixels > far ? far : pixels > -far ? pixels : -far));
}

// None when the spot misses the picture.
ONEPASS_HOST_DEVICE inline tile_range tiles_of(const splat& s, const tile_grid& grid) {
  const auto tile = [](float pixel) { return whole_pixels(pixel / tile_size); };
  const tile_range range{larger(tile(s.x - s.radius), 0), larger(tile(s.y - s.radius), 0),
                         smaller(tile(s.x + s.radius) + 1, grid.columns), smaller(tile(s.y + s.radius) + 1, grid.rows)};
  return range.left < range.right && range.top < range.bottom ? range : tile_range{};
}

// The light that a surface with this normal sends to the viewer: warm from above the left shoulder, with a gloss, and a
// little of the sky's blue from the right, so that no side is quite dark.
ONEPASS_HOST_DEVICE inline vec3 lit(const camera& view, vec3 normal) {
  const vec3 lamp = normalized(view.up * 0.70F - view.right * 0.60F - view.forward * 0.70F);
  const vec3 sky = normalized(view.right * 0.90F + view.up * 0.20F - view.forward * 0.25F);
  const float diffuse = larger(dot(normal, lamp), 0.0F);
  const float filling = larger(dot(normal, sky), 0.0F);
  const float gloss2 = larger(dot(normal, normalized(lamp - view.forward)), 0.0F) * dot(normal, lamp - view.forward);
  const float gloss = 0.02F * gloss2 * gloss2 * gloss2;
  return vec3{1.0F, 0.95F, 0.88F} * (0.03F + 0.85F * diffuse + gloss) + vec3{0.55F, 0.75F, 1.0F} * (0.16F * filling);
}

// Particles fade in after their birth and out before their death.
ONEPASS_HOST_DEVICE inline float fade(const body& b) {
  return smaller(1.0F, smaller(8 * b.age, 8 * (b.lifetime - b.age)) + 0.15F);
}

ONEPASS_HOST_DEVICE inline splat splat_of(const point& look, const body& b, const camera& view, float largest) {
  const screen_point at = project(view, b.position);
  const float radius = look.radius * view.focal / at.depth;
  splat s{at.x, at.y, limited(radius, smallest_radius, largest), look.opacity * fade(b), look.colour * fade(b)};
  if (dot(look.normal, look.normal) > 0) {
    const vec3 light = lit(view, look.normal);
    s.emission = vec3{s.emission.x * light.x, s.emission.y * light.y, s.emission.z * light.z} * look.opacity;
  } else if (radius < s.radius) {
    const float share = (radius / s.radius) * (radius / s.radius);
    s.emission = s.emission * share;
    s.opacity *= share;
  }
  return s;
}

// Spot number k of the sorted particles, and in how many tiles it lies.
struct make_splat {
  const point* points;
  const body* bodies;
  const std::uint32_t* order;
  camera view;
  tile_grid grid;
  float largest;
  splat* splats;
  std::uint32_t* touched;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t k) const {
    const std::uint32_t slot = order[k];
    const splat s = splat_of(points[slot], bodies[slot], view, largest);
    splats[k] = s;
    touched[k] = static_cast<std::uint32_t>(tiles_of(s, grid).count());
  }
};

// Writes one (tile, spot) pair for every tile that spot k lies in, up to place ends[k] of the list.
struct list_tiles {
  const splat* splats;
  const std::uint32_t* ends;
  tile_grid grid;
  std::uint32_t* tiles;
  std::uint32_t* spots;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t k) const {
    const tile_range range = tiles_of(splats[k], grid);
    std::uint32_t place = ends[k] - static_cast<std::uint32_t>(range.count());
    for (int row = range.top; row < range.bottom; ++row) {
      for (int column = range.left; column < range.right; ++column, ++place) {
        tiles[place] = static_cast<std::uint32_t>(row * grid.columns + column);
        spots[place] = static_cast<std::uint32_t>(k);
      }
    }
  }
};

// Puts each spot where its tile's drawing reads it.
struct gather_splat {
  const splat* from;
  const std::uint32_t* spots;
  splat* to;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[spots[i]]; }
};

struct set_zero {
  std::uint32_t* items;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { items[i] = 0; }
};

// The running number within a tile is at the tile's last pair the tile's count.
struct store_count {
  const std::uint32_t* tiles;
  const std::uint32_t* running;
  std::uint32_t pairs;
  std::uint32_t* counts;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const bool last = i + 1 == pairs || tiles[i + 1] != tiles[i];
    if (last) counts[tiles[i]] = running[i];
  }
};

ONEPASS_HOST_DEVICE inline void blend(vec3& pixel, const splat& s, float x, float y) {
  const float dx = x + 0.5F - s.x;
  const float dy = y + 0.5F - s.y;
  const float inside = 1 - (dx * dx + dy * dy) / (s.radius * s.radius);
  if (inside <= 0) return;
  const float weight = inside * inside;
  pixel = pixel * (1 - s.opacity * weight) + s.emission * weight;
}

// What drawing needs: the spots tile by tile, back to front, and where each tile's spots end.
struct picture_plan {
  const splat* splats;
  const std::uint32_t* ends;
  tile_grid grid;
  vec3 background;
  vec3* pixels;

  ONEPASS_HOST_DEVICE std::uint32_t begin_of(int tile) const { return tile == 0 ? 0 : ends[tile - 1]; }
};

// Draws one pixel: many of these at once suit a GPU.
struct draw_pixel {
  picture_plan plan;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const int x = static_cast<int>(i % plan.grid.width);
    const int y = static_cast<int>(i / plan.grid.width);
    const int tile = (y / tile_size) * plan.grid.columns + x / tile_size;
    vec3 pixel = plan.background;
    for (std::uint32_t s = plan.begin_of(tile); s < plan.ends[tile]; ++s) {
      blend(pixel, plan.splats[s], static_cast<float>(x), static_cast<float>(y));
    }
    plan.pixels[i] = pixel;
  }
};

// Draws one tile, spot by spot: on a CPU cheaper than asking every pixel about every spot.
struct draw_tile {
  picture_plan plan;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t tile) const {
    const int number = static_cast<int>(tile);
    const int left = number % plan.grid.columns * tile_size;
    const int top = number / plan.grid.columns * tile_size;
    const int right = smaller(left + tile_size, plan.grid.width);
    const int bottom = smaller(top + tile_size, plan.grid.height);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) at(x, y) = plan.background;
    }
    for (std::uint32_t i = plan.begin_of(number); i < plan.ends[number]; ++i) {
      const splat s = plan.splats[i];
      const int first_x = larger(left, whole_pixels(s.x - s.radius));
      const int first_y = larger(top, whole_pixels(s.y - s.radius));
      const int last_x = smaller(right - 1, whole_pixels(s.x + s.radius));
      const int last_y = smaller(bottom - 1, whole_pixels(s.y + s.radius));
      for (int y = first_y; y <= last_y; ++y) {
        for (int x = first_x; x <= last_x; ++x) blend(at(x, y), s, static_cast<float>(x), static_cast<float>(y));
      }
    }
  }

  ONEPASS_HOST_DEVICE vec3& at(int x, int y) const {
    return plan.pixels[static_cast<std::int64_t>(y) * plan.grid.width + x];
  }
};

}  // namespace particle_culling
