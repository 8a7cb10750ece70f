// SPDX-License-Identifier: Apache-2.0
// What a run found out: how many particles, how long each stage took, how long the peer took, whether both agree; and
// the tables that say so.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace particle_culling {

struct stage_result {
  std::string name;  // "cull"
  std::string call;  // "onepass::compact"; empty for a stage without a peer
  std::string peer;  // "std::copy_if"
  double milliseconds = 0;
  double peer_milliseconds = 0;
  bool agree = true;
};

struct frame_result {
  std::uint64_t particles = 0;
  std::uint64_t alive = 0;
  std::uint64_t visible = 0;
  std::uint64_t tile_entries = 0;  // spots, each counted once for every tile that it touches
  std::uint64_t fullest_tile = 0;
  std::vector<stage_result> stages;
};

struct run_report {
  std::string backend;               // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<frame_result> frames;  // without the warm-up
};

// The middle value; of an even number the mean of the two in the middle. 0 for none.
double median(std::vector<double> values);

bool all_agree(const run_report& report);

// One row a frame, then one row a stage with the median over the frames.
void print_tables(std::ostream& out, const run_report& report);

}  // namespace particle_culling
