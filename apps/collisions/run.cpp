// SPDX-License-Identifier: Apache-2.0
// Picks the backend and runs the steps on it. A CUDA build compiles this file with nvcc, and nothing else of this program.
#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cpu_peers.hpp"
#include "cuda_peers.hpp"
#include "ray_caster.hpp"
#include "step_pipeline.hpp"

namespace collisions {

camera camera_at(vec3 box, int width, int height) {
  camera view;
  view.forward = normalized(vec3{-0.22F, 1, -0.36F});
  view.right = normalized(cross(view.forward, vec3{0, 0, 1}));
  view.up = cross(view.right, view.forward);
  const vec3 centre = box * 0.5F;
  view.eye = centre - view.forward * (2.1F * length(box));
  view.width = width;
  view.height = height;
  float across = 0, above = 0;  // the farthest corner, at distance 1
  for (int corner = 0; corner < 8; ++corner) {
    const vec3 at{(corner & 1) != 0 ? box.x : 0, (corner & 2) != 0 ? box.y : 0, (corner & 4) != 0 ? box.z : 0};
    const vec3 away = at - view.eye;
    across = std::max(across, std::abs(dot(away, view.right)) / dot(away, view.forward));
    above = std::max(above, std::abs(dot(away, view.up)) / dot(away, view.forward));
  }
  view.focal = 0.48F * std::min(static_cast<float>(width) / across, static_cast<float>(height) / above);
  return view;
}

namespace {

constexpr int steps_of_check = 400;

template <class Backend>
class drawing {
 public:
  drawing(const Backend& backend, const scene& what, int width, int height)
      : backend_(backend),
        box_(what.by.box),
        view_(camera_at(box_, width, height)),
        colours_(what.colours.begin(), what.colours.end()),
        marks_(static_cast<std::size_t>(grid_of(box_).count())),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  std::vector<vec3> draw(const arranged_spheres& spheres) {
    backend_.for_each(spheres.grid.count(), mark_cell{spheres.grid, spheres.begins, apps::pointer_to(marks_)});
    const ray_caster caster(spheres, apps::pointer_to(marks_), box_);
    backend_.for_each(static_cast<std::int64_t>(pixels_.size()),
                      draw_pixel{view_, caster, spheres, box_, apps::pointer_to(colours_), apps::pointer_to(pixels_)});
    backend_.wait();
    return apps::to_host(pixels_);
  }

 private:
  const Backend& backend_;
  vec3 box_;
  camera view_;
  typename Backend::template vector<vec3> colours_;
  typename Backend::template vector<std::uint8_t> marks_;
  typename Backend::template vector<vec3> pixels_;
};

template <class Backend>
check_report check_on(const Backend& backend, const scene& what, int steps) {
  check_report report;
  report.spheres = static_cast<std::uint32_t>(what.bodies.size());
  report.steps = steps;
  step_pipeline<Backend> pipeline(backend, what);
  std::vector<body> plain = what.bodies;
  report.energy_before = all_energies_of(plain, what.by).sum();
  for (int i = 0; i < steps; ++i) {
    const step_result expected = all_pairs_step(plain, what.by);
    const steps_result got = pipeline.run(1);
    report.agrees = report.agrees && got.contacts == expected.contacts && pipeline.deepest() == expected.deepest &&
                    same_bits(pipeline.bodies(), plain);
    report.contacts += expected.contacts;
    report.deepest = std::max(report.deepest, expected.deepest);
  }
  report.energy_after = all_energies_of(plain, what.by).sum();
  return report;
}

// A few more steps, stage by stage, and the same steps by the plain grid: the medians, and whether all agree.
template <class Backend>
void compare_on(step_pipeline<Backend>& pipeline, const rules& by, run_report& report) {
  constexpr int steps = 3;
  std::vector<std::vector<apps::comparison>> compared;
  for (int i = 0; i < steps; ++i) {
    std::vector<body> plain = pipeline.bodies();
    std::vector<apps::comparison> stages = pipeline.compare();
    apps::comparison all{"step", "all of these", "a serial grid"};
    for (const apps::comparison& stage : stages) all.milliseconds += stage.milliseconds;
    const auto begin = std::chrono::steady_clock::now();
    report.candidates = plain_grid_step(plain, by).candidates;
    all.peer_milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    all.agree = same_bits(pipeline.bodies(), plain);
    stages.push_back(all);
    compared.push_back(stages);
  }
  report.stages = apps::medians_of(compared);
}

template <class Backend>
run_report run_on(const Backend& backend, const scene& what, const options& wanted, const frame_done& done) {
  run_report report;
  report.backend = backend.name();
  step_pipeline<Backend> pipeline(backend, what);
  drawing<Backend> pictures(backend, what, wanted.width, wanted.height);
  for (int frame = 0; frame < wanted.frames; ++frame) {
    frame_report now;
    if (frame > 0) {
      const steps_result steps = pipeline.run(wanted.steps);
      now = {wanted.steps, steps.seconds, steps.candidates, steps.contacts, {}, pipeline.deepest()};
    }
    now.energy = energies_of(pipeline.bodies(), what.by);
    report.frames.push_back(now);
    done(frame, pictures.draw(pipeline.arranged()));
  }
  compare_on(pipeline, what.by, report);
  if (wanted.check > 0) {
    report.check = check_on(backend, falling_scene(wanted.check, wanted.seed, wanted.bounce), steps_of_check);
  }
  return report;
}

// work(backend) on the backend that was asked for.
template <class Work>
auto on_backend(apps::backend_kind asked, int threads, Work work) {
  const apps::backend_kind backend = apps::chosen_backend(asked);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return work(cuda_backend());
#endif
  (void)backend;
  return work(cpu_backend(threads));
}

}  // namespace

run_report run_frames(const scene& what, const options& wanted, const frame_done& done) {
  return on_backend(wanted.backend, wanted.threads,
                    [&](const auto& backend) { return run_on(backend, what, wanted, done); });
}

check_report check_steps(const scene& what, int steps, apps::backend_kind backend, int threads) {
  return on_backend(backend, threads, [&](const auto& chosen) { return check_on(chosen, what, steps); });
}

std::vector<body> bodies_after(const scene& what, int steps, apps::backend_kind backend, int threads,
                               std::int64_t room) {
  return on_backend(backend, threads, [&](const auto& chosen) {
    step_pipeline<std::decay_t<decltype(chosen)>> pipeline(chosen, what, room);
    pipeline.run(steps);
    return pipeline.bodies();
  });
}

}  // namespace collisions
