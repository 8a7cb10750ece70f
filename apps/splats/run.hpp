// SPDX-License-Identifier: Apache-2.0
// Draws all frames on one backend, times and checks. The only door to the code that is compiled for the GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../common/comparison.hpp"
#include "options.hpp"
#include "scene.hpp"

namespace splats {

struct frame_report {
  std::uint64_t visible = 0;  // splats
  std::uint64_t entries = 0;  // these, each counted once for every tile that it lies in
  double milliseconds = 0;
};

struct way_report {
  std::string name;
  std::vector<apps::comparison> stages;  // medians
};

struct run_report {
  std::string backend;  // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<frame_report> frames;
  std::vector<apps::comparison> ways;  // the first frame by each sort, beside a serial program
  std::vector<way_report> stages;
};

// Called after each frame with its number from 0 and its picture.
using frame_done = std::function<void(int frame, const std::vector<vec3>& picture)>;

// The view of a frame of a scene with this middle; `up` where the options have none.
camera frame_camera(const middle& of, axis up, const options& wanted, int frame);

// Throws apps::user_error as apps::chosen_backend does.
run_report draw_frames(const scene& what, const options& wanted, const frame_done& done);

// One picture of `view`. `room`: for how many entries at first; 0: for what suits the scene.
std::vector<vec3> drawn(const scene& what, const camera& view, sort_way way, apps::backend_kind backend, int threads,
                        std::int64_t room = 0);

}  // namespace splats
