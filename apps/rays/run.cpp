// SPDX-License-Identifier: Apache-2.0
// Picks the backend, draws on it, times and checks. A CUDA build compiles this file with nvcc, and nothing else of this
// program.
#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "../common/cpu_peers.hpp"
#include "../common/cuda_peers.hpp"
#include "../common/progress.hpp"
#include "plain_rays.hpp"
#include "wave_pipeline.hpp"

namespace rays {
namespace {

// Paths of a wave: as many samples of a small picture as make about so many. A GPU has work for all its threads only with
// many, and gives a third of its free memory.
constexpr std::uint64_t paths_on_cpu = 1U << 20, most_paths_on_gpu = 1U << 25;
std::uint32_t most_samples(const options& wanted, std::uint64_t paths) {
  const auto pixels = static_cast<std::uint64_t>(wanted.scene.width) * static_cast<std::uint64_t>(wanted.scene.height);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(paths / pixels, 1), wanted.samples));
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

bool same_bits(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(vec3)) == 0;
}

double noise_of(const std::vector<exposed_pixel>& film, std::uint64_t samples) {
  const auto n = static_cast<double>(samples);
  double errors = 0, light = 0;
  for (const exposed_pixel& pixel : film) {
    const double mean = luminance(pixel.sum) / n;
    errors += std::max(pixel.squares / n - mean * mean, 0.0) / (n - 1);
    light += mean;
  }
  const auto pixels = static_cast<double>(film.size());
  return light > 0 ? std::sqrt(errors / pixels) / (light / pixels) : 0;
}

// Each step's times over all bounces; it agrees if it did in each.
std::vector<apps::comparison> by_name(const std::vector<apps::comparison>& stages) {
  std::vector<apps::comparison> sums;
  for (const apps::comparison& stage : stages) {
    const auto known =
        std::find_if(sums.begin(), sums.end(), [&](const apps::comparison& sum) { return sum.name == stage.name; });
    if (known == sums.end()) {
      sums.push_back(stage);
      continue;
    }
    known->milliseconds += stage.milliseconds;
    known->peer_milliseconds += stage.peer_milliseconds;
    known->agree = known->agree && stage.agree;
  }
  return sums;
}

template <class Backend>
class drawing {
 public:
  drawing(const Backend& backend, const scene& what, const options& wanted, std::uint64_t paths)
      : scene_(what),
        wanted_(wanted),
        most_samples_(most_samples(wanted, paths)),
        pixels_(static_cast<std::uint32_t>(what.view.width * what.view.height)),
        pipeline_(backend, what, wanted.scene.seed, wanted.bounces, std::int64_t{pixels_} * most_samples_) {
    report_.backend = backend.name();
    report_.hierarchy = pipeline_.stages();
  }

  run_report draw(const picture_done& done) {
    if (wanted_.compare > 0) compare();
    report_.living.assign(static_cast<std::size_t>(wanted_.bounces) + 1, 0);
    const auto begin = std::chrono::steady_clock::now();
    apps::progress_bar progress("sample", wanted_.samples);
    std::uint64_t shown = 1;  // the number of samples of the next picture
    for (std::uint64_t drawn = 0; drawn < wanted_.samples;) {
      const std::uint64_t next = std::min(shown, wanted_.samples);
      const auto samples = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_samples_, next - drawn));
      const std::vector<std::int64_t> living = pipeline_.trace(drawn, samples, path_order::sorted);
      pipeline_.expose_film();
      for (std::size_t i = 0; i < living.size(); ++i) report_.living[i] += static_cast<std::uint64_t>(living[i]);
      drawn += samples;
      progress.show(drawn);
      if (drawn < next) continue;
      shown = 2 * next;
      develop(drawn);
      done(report_.picture);
    }
    report_.seconds = milliseconds_since(begin) / 1000;
    return std::move(report_);
  }

 private:
  void develop(std::uint64_t samples) {
    const std::vector<exposed_pixel> film = pipeline_.film();
    report_.picture.clear();
    for (const exposed_pixel& pixel : film) {
      report_.picture.push_back(pixel.sum * (1 / static_cast<float>(samples)));
    }
    if (samples > 1) report_.noise.push_back({samples, noise_of(film, samples)});
  }

  // The first wave in each way: the median of three, after one to warm up caches and the GPU's code.
  double milliseconds_of(path_order order, std::vector<vec3>& radiance) {
    std::vector<double> times;
    for (int time = 0; time < 4; ++time) {
      const auto begin = std::chrono::steady_clock::now();
      pipeline_.trace(0, most_samples_, order);
      if (time > 0) times.push_back(milliseconds_since(begin));
    }
    radiance = pipeline_.radiance();
    return apps::median(times);
  }

  void compare() {
    std::vector<vec3> sorted, compacted, as_begun;
    const double none = milliseconds_of(path_order::as_begun, as_begun);
    const double one = milliseconds_of(path_order::compacted, compacted);
    const double both = milliseconds_of(path_order::sorted, sorted);
    report_.compared_paths = std::int64_t{pixels_} * most_samples_;
    report_.ways.push_back({"a wave", "compaction", "neither", one, none, same_bits(compacted, as_begun)});
    report_.ways.push_back({"a wave", "compaction and sorting", "neither", both, none, same_bits(sorted, as_begun)});
    for (int time = 0; time < 2; ++time) pipeline_.trace(0, most_samples_, path_order::sorted, true);
    report_.steps = by_name(pipeline_.stages());
    beside_plain(sorted, both);
  }

  // Pixels all over the picture, whose first sample must have the same bits.
  void beside_plain(const std::vector<vec3>& radiance, double milliseconds) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted_.compare, pixels_));
    std::vector<vec3> traced, plain;
    apps::progress_bar progress("comparing pixel", count);
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto pixel = static_cast<std::uint32_t>((2 * std::uint64_t{i} + 1) * pixels_ / (2 * std::uint64_t{count}));
      plain.push_back(plainly_traced(scene_, wanted_.scene.seed, wanted_.bounces, pixel, 0));
      traced.push_back(radiance[pixel]);
      progress.show(i);
    }
    const double paths = static_cast<double>(report_.compared_paths);
    report_.ways.push_back({"1,000 paths", "all of these", "a serial program", milliseconds * 1000 / paths,
                            milliseconds_since(begin) * 1000 / count, same_bits(traced, plain)});
  }

  const scene& scene_;
  const options& wanted_;
  std::uint32_t most_samples_;  // of a wave
  std::uint32_t pixels_;
  wave_pipeline<Backend> pipeline_;
  run_report report_;
};

}  // namespace

run_report draw(const scene& what, const options& wanted, const picture_done& done) {
  const apps::backend_kind backend = apps::chosen_backend(wanted.backend);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) {
    const apps::cuda_with_peers gpu;
    const auto paths = std::min<std::uint64_t>(most_paths_on_gpu, gpu.free_memory() / 3 / bytes_of_path);
    return drawing<apps::cuda_with_peers>(gpu, what, wanted, paths).draw(done);
  }
#endif
  (void)backend;
  const apps::cpu_with_peers cpu(wanted.threads);
  return drawing<apps::cpu_with_peers>(cpu, what, wanted, paths_on_cpu).draw(done);
}

}  // namespace rays
