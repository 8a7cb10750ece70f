// SPDX-License-Identifier: Apache-2.0
// Splats over a pixel, front to back, as in Kerbl et al. (2023), section 6 and appendix C.
#pragma once

#include <cstring>

#include "projection.hpp"

namespace splats {

constexpr float most_alpha = 0.99F;
constexpr float least_alpha = 1.0F / 255;  // below it a splat is skipped
constexpr float least_through = 1e-4F;     // a pixel that would let less through is done

// e^x for x from -80 to 0, within some 10^-7 of it: by sums and products alone, which are the same everywhere.
ONEPASS_HOST_DEVICE inline float exponential(float x) {
  const float scaled = x * 1.44269504F;  // as a power of two
  const float whole = floorf(scaled + 0.5F);
  const float rest = scaled - whole;  // -0.5 to 0.5
  // After the Cephes library's exp2f.
  const float power =
      (((((1.5353362e-4F * rest + 1.3398874e-3F) * rest + 9.6184373e-3F) * rest + 5.5503325e-2F) * rest + 0.24022648F) *
           rest +
       0.69314720F) *
          rest +
      1;
  const auto bits = (static_cast<std::uint32_t>(static_cast<std::int32_t>(whole)) + 127U) << 23;
  float two_to_whole;
  std::memcpy(&two_to_whole, &bits, sizeof two_to_whole);
  return power * two_to_whole;
}

struct pixel {
  vec3 colour;
  float through = 1;  // the share of the light behind that is still seen
  bool done = false;

  ONEPASS_HOST_DEVICE vec3 over(vec3 background) const { return colour + background * through; }
};

// Pixel (x, y) has to be in the splat's box.
ONEPASS_HOST_DEVICE inline void blend(pixel& under, const flat_splat& s, int x, int y) {
  const float dx = static_cast<float>(x) + 0.5F - s.x, dy = static_cast<float>(y) + 0.5F - s.y;
  const float power = -0.5F * (s.xx * dx * dx + s.yy * dy * dy) - s.xy * dx * dy;
  if (!(power <= 0 && power > -8)) return;  // e^-8 is less than 1/255; positive by rounding alone
  const float alpha = smaller(s.opacity * exponential(power), most_alpha);
  if (alpha < least_alpha) return;
  const float through = under.through * (1 - alpha);
  under.done = through < least_through;
  if (under.done) return;
  under.colour = under.colour + s.colour * (alpha * under.through);
  under.through = through;
}

// What drawing needs: the indices of splats, tile by tile, front to back, and where each tile's begin.
struct picture_plan {
  const flat_splat* splats;
  const std::uint32_t* listed;
  const onepass::index_t* begins;
  tile_grid grid;
  vec3 background;
  vec3* pixels;

  ONEPASS_HOST_DEVICE vec3& at(int x, int y) const { return pixels[static_cast<std::int64_t>(y) * grid.width + x]; }
};

constexpr int tile_pixels = tile_size * tile_size;

// Draws one pixel, number i in the order of the tiles: many of these at once suit a GPU. A warp has 8 x 4 of them.
struct draw_pixel {
  picture_plan plan;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const int tile = static_cast<int>(i / tile_pixels), inside = static_cast<int>(i % tile_pixels);
    const int warp = inside / 32, lane = inside % 32;
    const int x = tile % plan.grid.columns * tile_size + warp % 2 * 8 + lane % 8;
    const int y = tile / plan.grid.columns * tile_size + warp / 2 * 4 + lane / 8;
    if (x >= plan.grid.width || y >= plan.grid.height) return;
    pixel one;
    const onepass::index_t end = plan.begins[tile + 1];
    for (onepass::index_t at = plan.begins[tile]; at < end && !one.done; ++at) {
      const flat_splat& s = plan.splats[plan.listed[at]];
      if (x >= s.left && x < s.right && y >= s.top && y < s.bottom) blend(one, s, x, y);
    }
    plan.at(x, y) = one.over(plan.background);
  }
};

// Draws one tile, splat by splat: on a CPU cheaper than asking every pixel about every splat.
struct draw_tile {
  picture_plan plan;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t number) const {
    const int tile = static_cast<int>(number);
    const int left = tile % plan.grid.columns * tile_size, top = tile / plan.grid.columns * tile_size;
    const int right = smaller(left + tile_size, plan.grid.width), bottom = smaller(top + tile_size, plan.grid.height);
    pixel pixels[tile_pixels];
    const auto at = [&](int x, int y) -> pixel& { return pixels[(y - top) * tile_size + x - left]; };
    int open = (right - left) * (bottom - top);
    for (onepass::index_t i = plan.begins[tile]; i < plan.begins[tile + 1] && open > 0; ++i) {
      const flat_splat& s = plan.splats[plan.listed[i]];
      for (int y = larger<int>(top, s.top); y < smaller<int>(bottom, s.bottom); ++y) {
        for (int x = larger<int>(left, s.left); x < smaller<int>(right, s.right); ++x) {
          if (at(x, y).done) continue;
          blend(at(x, y), s, x, y);
          if (at(x, y).done) --open;
        }
      }
    }
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) plan.at(x, y) = at(x, y).over(plan.background);
    }
  }
};

}  // namespace splats
