// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../common/backend.hpp"

namespace particle_culling {

struct options {
  std::string input;                       // a PLY file; "-": standard input; empty: a galaxy
  std::optional<std::uint32_t> particles;  // default: the file's points, or default_particles of a galaxy
  int frames = 8;
  int width = 1280;
  int height = 720;
  std::string out = "particle_culling_frames";
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
};

constexpr std::uint32_t default_particles = 2000000;
constexpr std::uint32_t most_particles = 500000000;  // their spots' tiles are counted with 32 bits
constexpr int largest_side = 16384;

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace particle_culling
