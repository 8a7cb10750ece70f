// SPDX-License-Identifier: Apache-2.0
// The same paths by a serial program: one after the other, each ray against each primitive.
#pragma once

#include <cstdint>

#include "scene.hpp"

namespace rays {

// What sample number `sample` of a pixel, counted row by row, sees.
vec3 plainly_traced(const scene& what, std::uint64_t seed, int bounces, std::uint32_t pixel, std::uint64_t sample);

}  // namespace rays
