// SPDX-License-Identifier: Apache-2.0
// Lays out the table of frames, the stages of a step, and the check.
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

#include "../common/text.hpp"

namespace collisions {
namespace {

constexpr std::size_t most_rows = 16;  // of frames; longer runs show every so many

void print_frames(std::ostream& out, const run_report& report) {
  out << apps::formatted("%6s %9s %13s %13s %9s %12s %12s %10s %15s\n", "frame", "step", "pairs/step", "touch/step",
                         "deepest", "kinetic", "height", "ms/step", "pairs/s");
  const std::size_t every = (report.frames.size() + most_rows - 1) / most_rows;
  std::uint64_t step = 0;
  for (std::size_t i = 0; i < report.frames.size(); ++i) {
    const frame_report& f = report.frames[i];
    step += static_cast<std::uint64_t>(f.steps);
    if (i % every != 0) continue;
    const auto steps = static_cast<std::uint64_t>(std::max(f.steps, 1));
    out << apps::formatted(
        "%6zu %9s %13s %13s %9.3f %12.5g %12.5g %10.3f %15s\n", i, apps::grouped(step).c_str(),
        apps::grouped(f.candidates / steps).c_str(), apps::grouped(f.contacts / steps).c_str(),
        static_cast<double>(f.deepest), f.energy.kinetic, f.energy.height,
        1000 * f.seconds / static_cast<double>(steps),
        apps::grouped(f.seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(f.candidates) / f.seconds) : 0)
            .c_str());
  }
}

std::string pairs_a_second(std::uint64_t pairs, double milliseconds) {
  return apps::grouped(static_cast<std::uint64_t>(static_cast<double>(pairs) / std::max(milliseconds, 1e-9) * 1000));
}

void print_check(std::ostream& out, const check_report& check) {
  out << "\nbeside all pairs: " << apps::grouped(check.spheres) << " spheres, " << check.steps << " steps, "
      << apps::grouped(check.contacts) << " contacts, deepest overlap " << apps::formatted("%.4f", check.deepest)
      << apps::formatted(", energy %.6g before and %.6g after: ", check.energy_before, check.energy_after)
      << (check.agrees ? "the same bits" : "NOT the same") << "\n";
}

}  // namespace

bool all_agree(const run_report& report) { return apps::all_agree(report.stages) && report.check.agrees; }

void print_report(std::ostream& out, const options& wanted, const run_report& report) {
  out << apps::grouped(wanted.spheres) << " spheres (seed " << wanted.seed << "), " << report.backend << "\n\n";
  print_frames(out, report);
  out << "\nthe next three steps, medians\n";
  apps::print_comparisons(out, "stage", report.stages);
  const apps::comparison& all = report.stages.back();
  out << "pairs a second: " << pairs_a_second(report.candidates, all.milliseconds) << ", the serial grid "
      << pairs_a_second(report.candidates, all.peer_milliseconds) << "\n";
  if (report.check.spheres > 0) print_check(out, report.check);
}

}  // namespace collisions
