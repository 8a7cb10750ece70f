// SPDX-License-Identifier: Apache-2.0
// Exposure and tone curve. The curve is the inverse hyperbolic sine that astronomers use: linear in the dark, then
// logarithmic (Lupton et al., "Preparing Red-Green-Blue Images from CCD Data", 2004).
#include "tone_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace apps {
namespace {

constexpr float stretch = 8.0F;  // how far the dark parts are lifted: the curve's slope at black over that at white

float luminance(vec3 c) { return 0.2126F * c.x + 0.7152F * c.y + 0.0722F * c.z; }

std::uint8_t eight_bits(float linear) {
  const float value = std::pow(std::clamp(linear, 0.0F, 1.0F), 1 / 2.2F);
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

// What is brighter than full moves towards white, instead of being cut off channel by channel.
vec3 desaturated(vec3 c) {
  const float most = std::max({c.x, c.y, c.z});
  if (most <= 1) return c;
  const float grey = std::min(luminance(c), 1.0F);
  const float share = (1 - grey) / std::max(most - grey, 1e-6F);
  return vec3{grey, grey, grey} + (c - vec3{grey, grey, grey}) * std::clamp(share, 0.0F, 1.0F);
}

}  // namespace

float find_exposure(const std::vector<vec3>& image) {
  std::vector<float> lit;
  for (const vec3 c : image) {
    if (luminance(c) > 0) lit.push_back(luminance(c));
  }
  if (lit.empty()) return 1;
  const auto place = lit.begin() + static_cast<std::ptrdiff_t>((lit.size() - 1) * 993 / 1000);
  std::nth_element(lit.begin(), place, lit.end());
  return 1 / *place;
}

std::vector<std::uint8_t> tone_mapped(const std::vector<vec3>& image, float exposure, bool compress) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(image.size() * 3);
  for (const vec3 pixel : image) {
    vec3 c = pixel * exposure;
    const float bright = luminance(c);
    if (compress && bright > 0) c = c * (std::asinh(stretch * bright) / std::asinh(stretch) / bright);
    c = desaturated(c);
    for (const float channel : {c.x, c.y, c.z}) rgb.push_back(eight_bits(channel));
  }
  return rgb;
}

}  // namespace apps
