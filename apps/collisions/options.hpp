// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../common/backend.hpp"

namespace collisions {

struct options {
  std::uint32_t spheres = 20000;
  int frames = 12;
  int steps = 250;  // from one frame to the next
  double bounce = 0.6;
  std::uint32_t check = 2000;  // spheres of the run beside all pairs; 0: none
  int width = 960, height = 600;
  std::string out = "collisions_frames";
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace collisions
