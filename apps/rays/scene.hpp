// SPDX-License-Identifier: Apache-2.0
// What there is to be seen: primitives, their materials, lights, the sky and the camera.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mesh_file.hpp"
#include "primitives.hpp"

namespace rays {

enum class surface : std::uint32_t { light, matte, metal, glass };

struct material {
  surface kind = surface::matte;
  vec3 colour;      // what is reflected or let through, 0 to 1; of a light what it sends out
  float rough = 0;  // of a metal
};

// A sphere of one of the materials.
struct light {
  vec3 centre;
  float radius;
  vec3 colour;
};

// A thin lens.
struct camera {
  vec3 eye;
  vec3 right, up, forward;  // unit vectors at right angles
  float pixel = 1;          // how large a pixel is at distance 1
  float focus = 1;          // the distance that is sharp
  float lens = 0;           // its radius
  int width = 1, height = 1;
};

struct scene {
  std::string name;
  std::vector<primitive> primitives;  // at least two
  std::vector<material> materials;
  std::vector<light> lights;
  box middle;            // around all but the ground and the lights
  vec3 horizon, zenith;  // the sky's colours
  camera view;
};

enum class axis { x, y, z };

struct arrangement {
  int spheres = 400;  // small ones on the ground
  axis up = axis::y;  // of the mesh
  double turn = 0;    // of the camera around the middle, in degrees
  int width = 960, height = 600;
  std::uint64_t seed = 1;
};

// A mesh on the ground, two units large, with small spheres around it under two lamps; without triangles a third large
// sphere instead of it.
scene make_scene(const mesh& what, const std::string& name, const arrangement& wanted);

}  // namespace rays
