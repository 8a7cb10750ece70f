// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../common/backend.hpp"
#include "scene.hpp"

namespace splats {

// How entries come into the order of tiles and depths: all at once by both; by tile, and then each tile's by depth; or splats
// by depth first, and then their entries by tile.
enum class sort_way : int { global, segmented, depth };

struct options {
  std::string input;              // a PLY file; "-": standard input; empty: a knot
  std::uint32_t splats = 200000;  // of the knot
  std::optional<axis> up;         // default: y of the knot, minus_y of a file
  double turn = 0;                // degrees
  double elevation = 17;          // degrees
  double distance = 1;            // a factor
  int frames = 8;
  int width = 1280, height = 720;
  sort_way sort = sort_way::global;
  int compare = 3;
  std::string out = "splats_frames";
  std::string ply;  // file to write the scene to; empty: none
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace splats
