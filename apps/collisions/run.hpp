// SPDX-License-Identifier: Apache-2.0
// Runs all steps on one backend, draws, and checks. The only door to the code that is compiled for the GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../common/comparison.hpp"
#include "options.hpp"
#include "plain_steps.hpp"
#include "scene.hpp"

namespace collisions {

// A picture, and the steps before it.
struct frame_report {
  int steps = 0;
  double seconds = 0;                          // all of these took
  std::uint64_t candidates = 0, contacts = 0;  // in all of these; each pair counts once for either sphere
  energies energy;                             // of the last one
  float deepest = 0;
};

// A run of few spheres beside one that tries all pairs.
struct check_report {
  std::uint32_t spheres = 0;
  int steps = 0;
  std::uint64_t contacts = 0;
  float deepest = 0;  // of all steps
  double energy_before = 0, energy_after = 0;
  bool agrees = true;  // on all bits of the spheres, the contacts and the overlaps, in each step
};

struct run_report {
  std::string backend;  // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<frame_report> frames;
  std::vector<apps::comparison> stages;  // of steps after the last frame; the last row is all of a step
  std::uint64_t candidates = 0;          // of such a step
  check_report check;
};

// Called after each frame with its number from 0 and its picture in linear colours.
using frame_done = std::function<void(int frame, const std::vector<vec3>& image)>;

// Throws user_error as apps::chosen_backend does.
run_report run_frames(const scene& what, const options& wanted, const frame_done& done);

// `steps` steps of the scene on the backend, and the same by all pairs.
check_report check_steps(const scene& what, int steps, apps::backend_kind backend, int threads);

// The spheres after `steps` steps, by their ids. `room`: for how many pairs at first; 0: for what suits the scene.
std::vector<body> bodies_after(const scene& what, int steps, apps::backend_kind backend, int threads,
                               std::int64_t room = 0);

}  // namespace collisions
