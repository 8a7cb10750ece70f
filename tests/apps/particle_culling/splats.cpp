// SPDX-License-Identifier: Apache-2.0
// Spots on the picture: their tiles, their colour, and the two ways of drawing.
#include "../../../apps/particle_culling/splats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace particle_culling;

splat random_splat(std::mt19937& random, int width, int height) {
  std::uniform_real_distribution<float> unit(0, 1);
  splat s;
  s.x = -20 + (static_cast<float>(width) + 40) * unit(random);
  s.y = -20 + (static_cast<float>(height) + 40) * unit(random);
  s.radius = 0.5F + 24 * unit(random) * unit(random);
  s.opacity = unit(random);
  s.emission = {unit(random), unit(random), unit(random)};
  return s;
}

TEST(splats, tiles_hold_every_pixel_of_a_spot) {
  std::mt19937 random(11);
  const tile_grid grid(100, 70);
  EXPECT_EQ(grid.count(), 7 * 5);
  for (int i = 0; i < 500; ++i) {
    const splat s = random_splat(random, grid.width, grid.height);
    const tile_range range = tiles_of(s, grid);
    EXPECT_GE(range.count(), 0);
    for (int y = 0; y < grid.height; ++y) {
      for (int x = 0; x < grid.width; ++x) {
        vec3 pixel{-1, 0, 0};
        blend(pixel, s, static_cast<float>(x), static_cast<float>(y));
        if (pixel.x == -1) continue;
        const int column = x / tile_size, row = y / tile_size;
        EXPECT_TRUE(column >= range.left && column < range.right && row >= range.top && row < range.bottom);
      }
    }
  }
}

// No int has room for these.
TEST(splats, pixels_far_outside) {
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(whole_pixels(2.5F), 2);
  EXPECT_EQ(whole_pixels(-2.5F), -3);
  EXPECT_GE(whole_pixels(most), 1 << 20);
  EXPECT_LE(whole_pixels(-most), -(1 << 20));
  EXPECT_LE(whole_pixels(std::numeric_limits<float>::quiet_NaN()), -(1 << 20));
}

TEST(splats, blending) {
  splat s;
  s.x = s.y = 0.5F;
  s.radius = 2;
  s.emission = {1, 2, 3};
  vec3 pixel{1, 1, 1};
  blend(pixel, s, 0, 0);  // without opacity: plain addition
  EXPECT_FLOAT_EQ(pixel.x, 2);
  EXPECT_FLOAT_EQ(pixel.z, 4);
  s.opacity = 1;
  blend(pixel, s, 0, 0);  // fully opaque: nothing behind is left
  EXPECT_FLOAT_EQ(pixel.x, 1);
  EXPECT_FLOAT_EQ(pixel.z, 3);
  const vec3 before = pixel;
  blend(pixel, s, 2, 0);  // on its rim
  EXPECT_EQ(pixel.x, before.x);
}

TEST(splats, by_pixel_like_by_tile) {
  std::mt19937 random(13);
  const tile_grid grid(90, 50);
  std::vector<splat> splats;
  std::vector<std::uint32_t> ends;
  for (int tile = 0; tile < grid.count(); ++tile) {
    for (int i = 0; i < 40; ++i) {
      const splat s = random_splat(random, grid.width, grid.height);
      const tile_range range = tiles_of(s, grid);
      const int column = tile % grid.columns, row = tile / grid.columns;
      if (column >= range.left && column < range.right && row >= range.top && row < range.bottom) splats.push_back(s);
    }
    ends.push_back(static_cast<std::uint32_t>(splats.size()));
  }
  std::vector<vec3> by_tile(90 * 50), by_pixel(90 * 50);
  const vec3 background{0.1F, 0.2F, 0.3F};
  const draw_tile tiles{{splats.data(), ends.data(), grid, background, by_tile.data()}};
  const draw_pixel pixels{{splats.data(), ends.data(), grid, background, by_pixel.data()}};
  for (int i = 0; i < grid.count(); ++i) tiles(i);
  for (int i = 0; i < 90 * 50; ++i) pixels(i);
  int lit = 0;
  for (std::size_t i = 0; i < by_tile.size(); ++i) {
    EXPECT_NEAR(by_tile[i].x, by_pixel[i].x, 1e-5F);
    EXPECT_NEAR(by_tile[i].y, by_pixel[i].y, 1e-5F);
    lit += by_tile[i].x != background.x;
  }
  EXPECT_GT(lit, 1000);
}

camera straight_view() {
  camera view;
  view.width = view.height = 200;
  view.focal = 100;
  return view;
}

TEST(splats, far_stars_are_smaller_then_dimmer) {
  point star;
  star.colour = {1, 0.5F, 0.25F};
  star.radius = 0.1F;
  body b;
  b.age = 0.5F;
  b.lifetime = 1;
  float last_light = 1e9F;
  for (const float distance : {1.0F, 2.0F, 4.0F, 8.0F, 16.0F}) {
    b.position = {0, 0, -distance};
    const splat s = splat_of(star, b, straight_view(), 50);
    EXPECT_FLOAT_EQ(s.radius, std::max(10 / distance, smallest_radius));
    EXPECT_FLOAT_EQ(s.emission.y, 0.5F * s.emission.x);
    const float light = s.emission.x * s.radius * s.radius;
    EXPECT_NEAR(light, 100 / (distance * distance), 1e-3F);  // falls with the square of the distance throughout
    EXPECT_LT(light, last_light);
    last_light = light;
  }
}

TEST(splats, lit_from_the_viewers_side) {
  const camera view = straight_view();
  const vec3 towards = lit(view, {0, 0, 1});
  const vec3 away = lit(view, {0, 0, -1});
  EXPECT_GT(towards.x, 0.4F);
  EXPECT_LT(away.x, 0.1F);
  EXPECT_GT(lit(view, normalized(vec3{-1, 1, 1})).x, lit(view, normalized(vec3{1, -1, 1})).x);
}

TEST(splats, fading) {
  body b;
  b.lifetime = 2;
  b.age = 1;
  EXPECT_EQ(fade(b), 1);
  b.age = 0;
  EXPECT_LT(fade(b), 0.5F);
  b.age = 1.99F;
  EXPECT_LT(fade(b), 0.5F);
  EXPECT_GT(fade(b), 0);
}

}  // namespace
