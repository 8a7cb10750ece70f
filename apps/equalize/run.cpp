// SPDX-License-Identifier: Apache-2.0
// Picks the backend, equalises on it, times and checks. A CUDA build compiles this file with nvcc, and nothing else of this
// program.
#include "run.hpp"

#include <chrono>

#include "../common/cpu_peers.hpp"
#include "../common/cuda_peers.hpp"
#include "../common/text.hpp"
#include "../common/timing.hpp"
#include "../common/user_error.hpp"
#include "equalize_pipeline.hpp"
#include "plain_equalize.hpp"

namespace equalize {
namespace {

template <class Backend>
run_report run_on(const Backend& backend, const picture& what, const options& wanted) {
  const tile_grid grid{what.width, what.height, wanted.columns, wanted.rows};
  equalize_pipeline<Backend> pipeline(backend, what, grid, wanted.clip);
  run_report report;
  report.backend = backend.name();
  report.milliseconds = apps::milliseconds_a_call(backend, wanted.repeat, [&] { pipeline.run(false); });
  if (wanted.compare) {
    pipeline.run(true);  // the peers, too, have their first call behind them then
    pipeline.run(true);
    report.rows = pipeline.stages();
  }
  report.result = what;
  report.result.samples = pipeline.result();
  report.lit = pipeline.lit();

  const auto begin = std::chrono::steady_clock::now();
  const plain_result plain = plainly_equalized(what, wanted.columns, wanted.rows, wanted.clip);
  const double plain_time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  const bool agree = plain.samples == report.result.samples && plain.lit == report.lit;
  report.rows.push_back({"all", "all of these", "a serial program", report.milliseconds, plain_time, agree});
  return report;
}

}  // namespace

run_report equalize_and_compare(const picture& what, const options& wanted) {
  if (wanted.columns > what.width || wanted.rows > what.height) {
    throw apps::user_error("--tiles: " + std::to_string(wanted.columns) + "x" + std::to_string(wanted.rows) +
                           " are too many for " + std::to_string(what.width) + " x " + std::to_string(what.height) +
                           " pixels");
  }
  constexpr std::int64_t most_bins = 1 << 24;  // some 400 MB
  const std::int64_t most = most_bins >> what.depth;
  if (std::int64_t{wanted.columns} * wanted.rows > most) {
    throw apps::user_error("--tiles: " + std::to_string(wanted.columns) + "x" + std::to_string(wanted.rows) +
                           " are more than " + std::to_string(most) + " tiles, which is the most for " +
                           std::to_string(what.depth) + " bits");
  }
  const apps::backend_kind backend = apps::chosen_backend(wanted.backend);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return run_on(apps::cuda_with_peers(), what, wanted);
#endif
  (void)backend;
  return run_on(apps::cpu_with_peers(wanted.threads), what, wanted);
}

}  // namespace equalize
