// SPDX-License-Identifier: Apache-2.0
// What falls: a block that stands at one end of the box, and a ball above the other end.
#pragma once

#include <cstdint>
#include <vector>

#include "spheres.hpp"

namespace collisions {

struct scene {
  rules by;
  std::vector<body> bodies;   // none of which touch; sphere i has the id i
  std::vector<vec3> colours;  // of each sphere, linear
};

// `spheres` of them in a box that has room for about four times as many, the same for the same seed. `bounce`: as for
// rules_of.
scene falling_scene(std::uint32_t spheres, std::uint64_t seed, double bounce);

}  // namespace collisions
