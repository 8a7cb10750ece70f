// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../common/backend.hpp"
#include "scene.hpp"

namespace rays {

struct options {
  std::string input;  // a PLY file; "-": standard input; empty: spheres alone
  std::string out = "rays.png";
  arrangement scene;  // with the picture's size, and the seed of all random numbers
  std::uint64_t samples = 64;
  int bounces = 8;
  std::uint64_t compare = 100;  // pixels of which the serial program traces a sample, too; 0: nothing is compared
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
};

constexpr int largest_side = 8192;

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace rays
