// SPDX-License-Identifier: Apache-2.0
// What a run found out: how many particles, how long each stage took, how long the peer took, whether both agree; and
// the tables that say so.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "../common/comparison.hpp"

namespace particle_culling {

struct frame_result {
  std::uint64_t particles = 0;
  std::uint64_t alive = 0;
  std::uint64_t visible = 0;
  std::uint64_t tile_entries = 0;  // spots, each counted once for every tile that it touches
  std::uint64_t fullest_tile = 0;
  std::vector<apps::comparison> stages;
};

struct run_report {
  std::string backend;               // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<frame_result> frames;  // without the warm-up
};

bool all_agree(const run_report& report);

// One row a frame, then one row a stage with the median over the frames.
void print_tables(std::ostream& out, const run_report& report);

}  // namespace particle_culling
