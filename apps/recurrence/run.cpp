// SPDX-License-Identifier: Apache-2.0
// Picks the backend, filters on it, times and checks. A CUDA build compiles this file with nvcc, and nothing else of this
// program.
#include "run.hpp"

#include <algorithm>
#include <cmath>

#include "../common/cpu_backend.hpp"
#include "../common/cuda_backend.hpp"
#include "../common/text.hpp"
#include "../common/timing.hpp"
#include "../common/vectors.hpp"
#include "recurrence_scan.hpp"

namespace recurrence {
namespace {

const char* name_of(const moving_average&) { return "onepass::inclusive_scan, affine"; }
const char* name_of(const biquad&) { return "onepass::inclusive_scan, compose"; }

template <class Backend>
run_report run_on(const Backend& backend, const filter& any, const std::vector<double>& x_values, int repeat) {
  using vector = typename Backend::template vector<double>;
  const vector x(x_values.begin(), x_values.end());
  vector y(x_values.size());
  const auto n = static_cast<std::int64_t>(x_values.size());

  run_report report;
  report.backend = backend.name();
  report.row.name = "filter";
  report.row.peer = "a serial loop on the CPU";
  std::visit(
      [&](const auto& f) {
        report.row.call = name_of(f);
        report.row.milliseconds = apps::milliseconds_a_call(
            backend, repeat, [&] { scan(backend.policy(), f, apps::pointer_to(x), n, apps::pointer_to(y)); });
      },
      any);
  report.y = apps::to_host(y);

  std::vector<double> expected(x_values.size());
  report.row.peer_milliseconds =
      apps::milliseconds_a_call(apps::cpu_backend(1), repeat, [&] { serial(any, x_values, expected); });
  report.overflows = !std::all_of(expected.begin(), expected.end(), [](double value) { return std::isfinite(value); });
  const deviation found = deviation_of(any, x_values, report.y, expected);
  report.row.agree = found.rounding;
  report.row.remark = apps::formatted("%.1e of the signal apart", found.largest);
  return report;
}

}  // namespace

run_report filter_and_compare(const filter& any, const std::vector<double>& x, apps::backend_kind asked, int threads,
                              int repeat) {
  const apps::backend_kind backend = apps::chosen_backend(asked);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return run_on(apps::cuda_backend(), any, x, repeat);
#endif
  (void)backend;
  return run_on(apps::cpu_backend(threads), any, x, repeat);
}

}  // namespace recurrence
