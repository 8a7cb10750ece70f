// SPDX-License-Identifier: Apache-2.0
// Picks the backend and runs the frame pipeline on it. A CUDA build compiles this file with nvcc, and nothing else of
// this program.
#include "run.hpp"

#include "../common/camera.hpp"
#include "cpu_peers.hpp"
#include "cuda_peers.hpp"
#include "frame_pipeline.hpp"

namespace particle_culling {
namespace {

template <class Backend>
run_report run_on(const Backend& backend, const scene& what, const options& wanted, const frame_done& done) {
  const auto view = [&](int frame) {
    return orbit(what.centre, what.radius, what.elevation, frame, wanted.frames, wanted.width, wanted.height);
  };
  frame_pipeline<Backend> pipeline(backend, what, wanted.seed);
  std::vector<vec3> image;
  pipeline.render(view(0), image);  // warms up caches, memory pools and the GPU's code

  run_report report;
  report.backend = backend.name();
  for (int frame = 0; frame < wanted.frames; ++frame) {
    report.frames.push_back(pipeline.render(view(frame), image));
    done(frame, image);
  }
  return report;
}

}  // namespace

run_report run_frames(const scene& what, const options& wanted, const frame_done& done) {
  const apps::backend_kind backend = apps::chosen_backend(wanted.backend);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return run_on(cuda_backend(), what, wanted, done);
#endif
  (void)backend;
  return run_on(cpu_backend(wanted.threads), what, wanted, done);
}

}  // namespace particle_culling
