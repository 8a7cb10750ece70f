// SPDX-License-Identifier: Apache-2.0
// Medians and tables of a run.
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

#include "../common/text.hpp"

namespace particle_culling {
namespace {

constexpr std::size_t most_rows = 16;  // of frames; longer runs show every so many

double sum_of(const frame_result& frame) {
  double sum = 0;
  for (const apps::comparison& stage : frame.stages) sum += stage.milliseconds;
  return sum;
}

void print_frames(std::ostream& out, const run_report& report) {
  out << apps::formatted("%6s %13s %13s %13s %14s %13s %11s\n", "frame", "particles", "alive", "visible",
                         "tile entries", "fullest tile", "ms");
  const std::size_t step = (report.frames.size() + most_rows - 1) / most_rows;
  for (std::size_t i = 0; i < report.frames.size(); i += step) {
    const frame_result& f = report.frames[i];
    out << apps::formatted("%6zu %13s %13s %13s %14s %13s %11.3f\n", i, apps::grouped(f.particles).c_str(),
                           apps::grouped(f.alive).c_str(), apps::grouped(f.visible).c_str(),
                           apps::grouped(f.tile_entries).c_str(), apps::grouped(f.fullest_tile).c_str(), sum_of(f));
  }
}

}  // namespace

bool all_agree(const run_report& report) {
  return std::all_of(report.frames.begin(), report.frames.end(),
                     [](const frame_result& frame) { return apps::all_agree(frame.stages); });
}

void print_tables(std::ostream& out, const run_report& report) {
  if (report.frames.empty()) return;
  print_frames(out, report);
  out << "\nmedian of " << report.frames.size() << (report.frames.size() == 1 ? " frame\n" : " frames\n");
  std::vector<std::vector<apps::comparison>> stages;
  for (const frame_result& frame : report.frames) stages.push_back(frame.stages);
  apps::print_comparisons(out, "stage", apps::medians_of(stages));
}

}  // namespace particle_culling
