// SPDX-License-Identifier: Apache-2.0
// Draws a scene on one backend. The only door to the code that is compiled for the GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../common/comparison.hpp"
#include "options.hpp"
#include "scene.hpp"

namespace rays {

struct noise_level {
  std::uint64_t samples;
  double noise;  // a pixel's standard error, root mean square over the picture, as a share of the mean luminance
};

struct run_report {
  std::string backend;                      // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<vec3> picture;                // linear colours, row by row
  std::vector<apps::comparison> hierarchy;  // the steps that build it
  std::vector<apps::comparison> steps;      // of one wave, over all bounces
  std::vector<apps::comparison> ways;       // a wave with and without compaction and sorting; and a serial program
  std::vector<std::uint64_t> living;        // paths at first, and that went on after each bounce
  std::vector<noise_level> noise;           // after 2, 4, 8 ... samples, and in the end
  std::int64_t compared_paths = 0;          // of the wave that was compared
  double seconds = 0;                       // for all samples
};

// Called with the picture after 1, 2, 4, 8 ... samples, and with the last one.
using picture_done = std::function<void(const std::vector<vec3>& picture)>;

// Throws apps::user_error as apps::chosen_backend does.
run_report draw(const scene& what, const options& wanted, const picture_done& done);

}  // namespace rays
