// SPDX-License-Identifier: Apache-2.0
// Picks the backend and draws on it. A CUDA build compiles this file with nvcc, and nothing else of this program.
#include "run.hpp"

#include <chrono>
#include <cmath>
#include <cstring>

#include "../common/progress.hpp"
#include "cpu_peers.hpp"
#include "cuda_peers.hpp"
#include "frame_pipeline.hpp"
#include "plain_splats.hpp"

namespace splats {

camera frame_camera(const middle& of, axis up, const options& wanted, int frame) {
  constexpr int steps = 360000;  // of a turn
  constexpr double radians = 3.14159265 / 180;
  const auto step = static_cast<int>(std::lround(steps * (wanted.turn / 360 + double(frame) / wanted.frames)));
  const camera view =
      apps::orbit(of.centre, of.radius * static_cast<float>(wanted.distance),
                  static_cast<float>(wanted.elevation * radians), step, steps, wanted.width, wanted.height);
  return rotated_upright(view, of.centre, wanted.up.value_or(up));
}

namespace {

struct named_way {
  sort_way way;
  const char* name;
  const char* calls;
};
constexpr named_way all_ways[] = {{sort_way::global, "global", "one global sort"},
                                  {sort_way::segmented, "segmented", "by tile, then in tiles"},
                                  {sort_way::depth, "depth", "by depth, then by tile"}};

bool same_bits(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(vec3)) == 0;
}

// A way's frame and its stages, after one round to warm up: medians.
template <class Backend>
void compare_way(const Backend& backend, const scene& what, const camera& view, const options& wanted,
                 const named_way& by, const apps::comparison& serial, const std::vector<vec3>& plain,
                 run_report& report) {
  frame_pipeline<Backend> pipeline(backend, what, wanted.width, wanted.height, by.way);
  std::vector<double> times;
  std::vector<std::vector<apps::comparison>> rounds;
  apps::progress_bar progress("comparing, round", static_cast<std::uint64_t>(wanted.compare));
  apps::comparison all = serial;
  all.call = by.calls;
  for (int round = 0; round <= wanted.compare; ++round) {
    const double milliseconds = pipeline.draw(view).milliseconds;
    all.agree = all.agree && same_bits(pipeline.picture(), plain);
    const std::vector<apps::comparison> stages = pipeline.compare(view);
    all.agree = all.agree && same_bits(pipeline.picture(), plain);
    if (round > 0) times.push_back(milliseconds), rounds.push_back(stages);
    progress.show(static_cast<std::uint64_t>(round));
  }
  all.milliseconds = apps::median(times);
  report.ways.push_back(all);
  report.stages.push_back({by.name, apps::medians_of(rounds)});
}

template <class Backend>
void compare_on(const Backend& backend, const scene& what, const camera& view, const options& wanted,
                run_report& report) {
  const std::vector<solid_splat> splats = solid_splats(what.gaussians);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<vec3> plain = plainly_drawn(what, splats, view);
  apps::comparison serial{"a frame", "", "a serial program"};
  serial.peer_milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  for (const named_way& by : all_ways) compare_way(backend, what, view, wanted, by, serial, plain, report);
}

template <class Backend>
run_report run_on(const Backend& backend, const scene& what, const options& wanted, const frame_done& done) {
  run_report report;
  report.backend = backend.name();
  const middle of = middle_of(what);
  {
    frame_pipeline<Backend> pipeline(backend, what, wanted.width, wanted.height, wanted.sort);
    pipeline.draw(frame_camera(of, what.up, wanted, 0));  // warms up caches, memory and the GPU's code
    for (int frame = 0; frame < wanted.frames; ++frame) {
      report.frames.push_back(pipeline.draw(frame_camera(of, what.up, wanted, frame)));
      done(frame, pipeline.picture());
    }
  }
  if (wanted.compare > 0) compare_on(backend, what, frame_camera(of, what.up, wanted, 0), wanted, report);
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

run_report draw_frames(const scene& what, const options& wanted, const frame_done& done) {
  return on_backend(wanted.backend, wanted.threads,
                    [&](const auto& backend) { return run_on(backend, what, wanted, done); });
}

std::vector<vec3> drawn(const scene& what, const camera& view, sort_way way, apps::backend_kind backend, int threads,
                        std::int64_t room) {
  return on_backend(backend, threads, [&](const auto& chosen) {
    frame_pipeline<std::decay_t<decltype(chosen)>> pipeline(chosen, what, view.width, view.height, way, room);
    pipeline.draw(view);
    return pipeline.picture();
  });
}

}  // namespace splats
