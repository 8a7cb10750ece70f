// SPDX-License-Identifier: Apache-2.0
// Runs all frames on one backend. The only door to the code that is compiled for the GPU.
#pragma once

#include <functional>
#include <vector>

#include "options.hpp"
#include "report.hpp"
#include "cloud.hpp"

namespace particle_culling {

// Called after each frame with its number from 0 and its picture in linear colours.
using frame_done = std::function<void(int frame, const std::vector<vec3>& image)>;

// Draws wanted.frames frames, after one to warm up that isn't counted. Throws user_error as
// apps::chosen_backend does.
run_report run_frames(const scene& what, const options& wanted, const frame_done& done);

}  // namespace particle_culling
