// SPDX-License-Identifier: Apache-2.0
// Medians and tables of a run.
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ostream>

namespace particle_culling {
namespace {

constexpr std::size_t most_rows = 16;  // of frames; longer runs show every so many

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

double sum_of(const frame_result& frame) {
  double sum = 0;
  for (const stage_result& stage : frame.stages) sum += stage.milliseconds;
  return sum;
}

void print_frames(std::ostream& out, const run_report& report) {
  out << formatted("%6s %13s %13s %13s %14s %13s %11s\n", "frame", "particles", "alive", "visible", "tile entries",
                   "fullest tile", "ms");
  const std::size_t step = (report.frames.size() + most_rows - 1) / most_rows;
  for (std::size_t i = 0; i < report.frames.size(); i += step) {
    const frame_result& f = report.frames[i];
    out << formatted("%6zu %13s %13s %13s %14s %13s %11.3f\n", i, grouped(f.particles).c_str(),
                     grouped(f.alive).c_str(), grouped(f.visible).c_str(), grouped(f.tile_entries).c_str(),
                     grouped(f.fullest_tile).c_str(), sum_of(f));
  }
}

// The stage's medians over all frames; it agrees if it did in each.
stage_result over_frames(const run_report& report, std::size_t stage) {
  stage_result result = report.frames.front().stages[stage];
  std::vector<double> own, peer;
  for (const frame_result& frame : report.frames) {
    own.push_back(frame.stages[stage].milliseconds);
    peer.push_back(frame.stages[stage].peer_milliseconds);
    result.agree = result.agree && frame.stages[stage].agree;
  }
  result.milliseconds = median(own);
  result.peer_milliseconds = median(peer);
  return result;
}

void print_stages(std::ostream& out, const run_report& report) {
  out << formatted("%-15s %-30s %9s  %-29s %9s %7s  %s\n", "stage", "with", "ms", "beside it", "ms", "ratio", "agree");
  for (std::size_t i = 0; i < report.frames.front().stages.size(); ++i) {
    const stage_result s = over_frames(report, i);
    if (s.call.empty()) {
      out << formatted("%-15s %-30s %9.3f\n", s.name.c_str(), "", s.milliseconds);
      continue;
    }
    const double ratio = s.milliseconds > 0 ? s.peer_milliseconds / s.milliseconds : 0;
    out << formatted("%-15s %-30s %9.3f  %-29s %9.3f %7.2f  %s\n", s.name.c_str(), s.call.c_str(), s.milliseconds,
                     s.peer.c_str(), s.peer_milliseconds, ratio, s.agree ? "yes" : "NO");
  }
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

bool all_agree(const run_report& report) {
  return std::all_of(report.frames.begin(), report.frames.end(), [](const frame_result& frame) {
    return std::all_of(frame.stages.begin(), frame.stages.end(), [](const stage_result& s) { return s.agree; });
  });
}

void print_tables(std::ostream& out, const run_report& report) {
  if (report.frames.empty()) return;
  print_frames(out, report);
  out << "\nmedian of " << report.frames.size() << (report.frames.size() == 1 ? " frame\n" : " frames\n");
  print_stages(out, report);
}

}  // namespace particle_culling
