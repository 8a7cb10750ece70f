// SPDX-License-Identifier: Apache-2.0
// No hierarchy, no waves.
#include "plain_rays.hpp"

#include "scattering.hpp"

namespace rays {
namespace {

// The nearest before `farthest`, of two the first; null where there is none.
const primitive* nearest(const scene& what, vec3 origin, vec3 direction, float& farthest) {
  const primitive* found = nullptr;
  for (const primitive& p : what.primitives) {
    const float distance = distance_to(p, origin, direction);
    if (!(distance < farthest)) continue;
    farthest = distance;
    found = &p;
  }
  return found;
}

}  // namespace

vec3 plainly_traced(const scene& what, std::uint64_t seed, int bounces, std::uint32_t pixel, std::uint64_t sample) {
  const scene_view view{what.materials.data(), what.lights.data(), static_cast<std::uint32_t>(what.lights.size()),
                        what.horizon, what.zenith};
  const wave which{seed, sample, static_cast<std::uint32_t>(what.view.width * what.view.height)};
  path one = begin_path(what.view, which, pixel);
  vec3 radiance;
  for (int bounce = 0;; ++bounce) {
    float distance = nowhere;
    const primitive* const found = nearest(what, one.origin, one.direction, distance);
    if (ends(view, which, bounce, bounces, found, one, radiance)) return radiance;
    const shadow_ray shadow = scatter(view, which, bounce, *found, distance, one);
    if (dot(shadow.light, shadow.light) == 0) continue;
    float before = shadow.distance;
    if (nearest(what, one.origin, shadow.direction, before) == nullptr) radiance = radiance + shadow.light;
  }
}

}  // namespace rays
