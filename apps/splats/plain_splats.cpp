// SPDX-License-Identifier: Apache-2.0
// Loops over splats.
#include "plain_splats.hpp"

#include <algorithm>

#include "blending.hpp"

namespace splats {

std::vector<vec3> plainly_drawn(const scene& what, const std::vector<solid_splat>& splats, const camera& view) {
  std::vector<flat_splat> seen;
  const auto coefficients = static_cast<std::size_t>(coefficients_of(what.degree));
  for (std::size_t i = 0; i < splats.size(); ++i) {
    flat_splat one;
    if (!flatten(splats[i], view, one)) continue;
    one.colour =
        colour_of(what.colours.data() + i * coefficients, what.degree, normalized(splats[i].position - view.eye));
    seen.push_back(one);
  }
  std::stable_sort(seen.begin(), seen.end(),
                   [](const flat_splat& a, const flat_splat& b) { return a.depth < b.depth; });

  const auto width = static_cast<std::size_t>(view.width);
  std::vector<pixel> pixels(width * static_cast<std::size_t>(view.height));
  for (const flat_splat& s : seen) {
    for (int y = s.top; y < s.bottom; ++y) {
      for (int x = s.left; x < s.right; ++x) {
        pixel& one = pixels[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
        if (!one.done) blend(one, s, x, y);
      }
    }
  }
  std::vector<vec3> picture;
  for (const pixel& one : pixels) picture.push_back(one.over(what.background));
  return picture;
}

}  // namespace splats
