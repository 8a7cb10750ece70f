// SPDX-License-Identifier: Apache-2.0
// Picks the backend and runs the frame pipeline on it. A CUDA build compiles this file with nvcc, and nothing else of
// this program.
#include "run.hpp"

#include "camera.hpp"
#include "cpu_backend.hpp"
#include "cuda_backend.hpp"
#include "frame_pipeline.hpp"
#include "user_error.hpp"

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

std::string why_no_cuda() {
#if ONEPASS_HAS_CUDA
  return why_no_gpu();
#else
  return "this program was built without CUDA";
#endif
}

backend_kind chosen_backend(backend_kind asked) {
  if (asked == backend_kind::cpu) return asked;
  const std::string reason = why_no_cuda();
  if (reason.empty()) return backend_kind::cuda;
  if (asked == backend_kind::cuda) throw user_error("--backend cuda: no GPU to run on (" + reason + ")");
  return backend_kind::cpu;
}

run_report run_frames(const scene& what, const options& wanted, const frame_done& done) {
  const backend_kind backend = chosen_backend(wanted.backend);
#if ONEPASS_HAS_CUDA
  if (backend == backend_kind::cuda) return run_on(cuda_backend(), what, wanted, done);
#endif
  (void)backend;
  return run_on(cpu_backend(wanted.threads), what, wanted, done);
}

}  // namespace particle_culling
