// SPDX-License-Identifier: Apache-2.0
// Lays out the frames, the three sorts and the stages.
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

#include "../common/text.hpp"

namespace splats {
namespace {

constexpr std::size_t most_rows = 16;  // of frames; longer runs show every so many

void print_frames(std::ostream& out, const std::vector<frame_report>& frames) {
  out << apps::formatted("%6s %13s %14s %11s %11s\n", "frame", "visible", "tile entries", "ms", "frames/s");
  const std::size_t every = (frames.size() + most_rows - 1) / most_rows;
  for (std::size_t i = 0; i < frames.size(); i += every) {
    const frame_report& f = frames[i];
    out << apps::formatted("%6zu %13s %14s %11.3f %11.1f\n", i, apps::grouped(f.visible).c_str(),
                           apps::grouped(f.entries).c_str(), f.milliseconds, 1000 / std::max(f.milliseconds, 1e-6));
  }
}

}  // namespace

bool all_agree(const run_report& report) {
  return apps::all_agree(report.ways) && std::all_of(report.stages.begin(), report.stages.end(),
                                                     [](const way_report& way) { return apps::all_agree(way.stages); });
}

void print_report(std::ostream& out, const options& wanted, const scene& what, const run_report& report) {
  out << what.name << ", " << apps::grouped(what.gaussians.size()) << " splats with harmonics of degree " << what.degree
      << ", " << wanted.width << "x" << wanted.height << ", " << report.backend << "\n";
  if (what.left_out > 0) {
    out << "splats left out, with a value that is not a finite number or is too large: " << apps::grouped(what.left_out)
        << "\n";
  }
  out << "\n";
  print_frames(out, report.frames);
  if (report.ways.empty()) return;
  out << "\nthe first frame by each sort, beside a serial program without tiles; medians of " << wanted.compare
      << (wanted.compare == 1 ? " round\n" : " rounds\n");
  apps::print_comparisons(out, "what", report.ways);
  for (const way_report& way : report.stages) {
    out << "\nits stages with --sort " << way.name << ", each waited for\n";
    apps::print_comparisons(out, "stage", way.stages);
  }
}

}  // namespace splats
