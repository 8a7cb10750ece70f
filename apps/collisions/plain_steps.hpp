// SPDX-License-Identifier: Apache-2.0
// The same steps as serial programs without onepass: of all pairs, and over a grid.
#pragma once

#include <cstdint>
#include <vector>

#include "spheres.hpp"

namespace collisions {

struct step_result {
  std::uint64_t candidates = 0, contacts = 0;  // each pair counts once for either sphere
  float deepest = 0;                           // overlap, before the step
};

// Tries each sphere with every other one, and moves all of them a step on.
step_result all_pairs_step(std::vector<body>& bodies, const rules& by);

// Tries each sphere with those of the cells around it (a counting sort by cell).
step_result plain_grid_step(std::vector<body>& bodies, const rules& by);

// ---- what holds of all spheres --------------------------------------------------------------------------------------------
struct energies {
  double kinetic = 0, height = 0, elastic = 0;
  double sum() const { return kinetic + height + elastic; }
};

// Kinetic energy, and that of the spheres' height above the floor.
energies energies_of(const std::vector<body>& bodies, const rules& by);

// And that of the springs between all pairs and at the walls.
energies all_energies_of(const std::vector<body>& bodies, const rules& by);

// Whether all positions, radii and velocities are equal, bit by bit.
bool same_bits(const std::vector<body>& a, const std::vector<body>& b);

}  // namespace collisions
