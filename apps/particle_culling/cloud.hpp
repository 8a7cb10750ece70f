// SPDX-License-Identifier: Apache-2.0
// What a scene is made of: points, each the birthplace and the look of one particle. A PLY file and the galaxy both
// end up as this, so everything after them knows one kind of input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/vec3.hpp"

namespace particle_culling {

using apps::vec3;

struct point {
  vec3 position;
  vec3 velocity;         // of the particle at its birth, units a second
  vec3 normal;           // null: shines by itself and is seen from all sides
  vec3 colour{1, 1, 1};  // linear, not gamma
  float radius = 0.01F;  // in the scene's units
  float opacity = 0;     // how much of what lies behind its centre it hides, 0 to 1
};

struct cloud {
  std::vector<point> points;
  std::uint64_t left_out = 0;  // of the file's points: those with a value that can't be drawn
  bool has_normals = false;
  bool has_colours = false;
};

struct bounds {
  vec3 low;
  vec3 high;
  vec3 centre() const { return (low + high) * 0.5F; }
  float radius() const { return length(high - low) * 0.5F; }
};

// What a whole scene needs besides its points.
struct scene {
  cloud source;
  std::string name;          // for the report: "galaxy (seed 1)" or the file's name
  vec3 centre;               // what the camera looks at and turns around
  float radius = 1;          // what the camera keeps in view
  float elevation = 0;       // the camera's height over the ground, as an angle in radians
  float gravity = 0;         // pull towards the axis of rotation: squared speed of a circular orbit
  float fixed_exposure = 0;  // 0: find one from the first picture
  vec3 background;
};

// The smallest box around all points; a box of size 0 around the origin when there are none.
bounds bounds_of(const std::vector<point>& points);

// A scene of a cloud from a file: centred, lit, its points as large as their distance asks for, drifting slowly along
// their normals. Normals that the file doesn't give are estimated. `particles` 0 keeps the number of points.
scene scene_of_cloud(cloud source, std::string name, std::size_t particles);

// The scene of a spiral galaxy of `particles` stars and dust clouds, the same for the same seed.
scene scene_of_galaxy(std::size_t particles, std::uint64_t seed);

}  // namespace particle_culling
