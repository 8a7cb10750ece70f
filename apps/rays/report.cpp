// SPDX-License-Identifier: Apache-2.0
// Lays out the shares of living paths, the noise, and times.
#include "report.hpp"

#include <algorithm>
#include <ostream>

#include "../common/text.hpp"

namespace rays {
namespace {

void print_living(std::ostream& out, const std::vector<std::uint64_t>& living) {
  out << apps::formatted("%12s %15s %9s\n", "bounces", "living paths", "share");
  for (std::size_t i = 0; i < living.size(); ++i) {
    const double share = 100.0 * static_cast<double>(living[i]) / static_cast<double>(living[0]);
    out << apps::formatted("%12zu %15s %7.1f %%\n", i, apps::grouped(living[i]).c_str(), share);
  }
}

void print_noise(std::ostream& out, const std::vector<noise_level>& noise) {
  out << apps::formatted("%12s %15s\n", "samples", "noise");
  for (const noise_level& level : noise) {
    out << apps::formatted("%12s %13.2f %%\n", apps::grouped(level.samples).c_str(), 100 * level.noise);
  }
}

}  // namespace

bool all_agree(const run_report& report) {
  return apps::all_agree(report.hierarchy) && apps::all_agree(report.steps) && apps::all_agree(report.ways);
}

void print_report(std::ostream& out, const options& wanted, const scene& what, const run_report& report) {
  std::uint64_t rays = 0;
  for (const std::uint64_t paths : report.living) rays += paths;
  out << what.name << ", " << apps::grouped(what.primitives.size()) << " triangles and spheres, " << wanted.scene.width
      << "x" << wanted.scene.height << ", " << report.backend << "\n"
      << apps::grouped(wanted.samples) << (wanted.samples == 1 ? " sample" : " samples") << " of each pixel in "
      << apps::formatted("%.3f s: %.2f million rays a second, without those to lamps\n\n", report.seconds,
                         static_cast<double>(rays) / 1e6 / std::max(report.seconds, 1e-9));
  print_living(out, report.living);
  if (!report.noise.empty()) {
    out << "\n";
    print_noise(out, report.noise);
  }
  out << "\nthe hierarchy, built once:\n";
  apps::print_comparisons(out, "step", report.hierarchy);
  if (report.ways.empty()) return;
  out << "\na wave of " << apps::grouped(static_cast<std::uint64_t>(report.compared_paths))
      << " paths, with and without what is done between bounces; and beside a serial program without a hierarchy:\n";
  apps::print_comparisons(out, "what", report.ways);
  out << "\nits steps, each over all bounces:\n";
  apps::print_comparisons(out, "step", report.steps);
}

}  // namespace rays
