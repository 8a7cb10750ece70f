// SPDX-License-Identifier: Apache-2.0
// Lays out the table of abundances, the most frequent k-mers, and times.
#include "report.hpp"

#include <algorithm>
#include <ostream>

#include "../common/plot.hpp"
#include "../common/text.hpp"
#include "../common/whole_file.hpp"

namespace kmers {
namespace {

constexpr std::size_t most_rows = 12;  // of the table

std::uint64_t distinct(const histogram& found) {
  std::uint64_t sum = 0;
  for (const auto& row : found) sum += row.second;
  return sum;
}

std::uint64_t all(const histogram& found) {
  std::uint64_t sum = 0;
  for (const auto& row : found) sum += row.first * row.second;
  return sum;
}

void print_table(std::ostream& out, const histogram& found) {
  const std::size_t shown = found.size() <= most_rows ? found.size() : most_rows - 1;
  out << apps::formatted("%15s  %15s\n", "times there", "k-mers");
  for (std::size_t i = 0; i < shown; ++i) {
    out << apps::formatted("%15s  %15s\n", apps::grouped(found[i].first).c_str(),
                           apps::grouped(found[i].second).c_str());
  }
  if (shown == found.size()) return;
  const histogram rest(found.begin() + static_cast<std::ptrdiff_t>(shown), found.end());
  const std::string from = apps::grouped(rest.front().first) + " or more";
  out << apps::formatted("%15s  %15s\n", from.c_str(), apps::grouped(distinct(rest)).c_str());
}

void print_times(std::ostream& out, const run_report& report) {
  out << "counted " << apps::grouped(report.bytes) << " bytes of text in "
      << apps::formatted("%.3f s (%.1f MB/s", report.seconds,
                         static_cast<double>(report.bytes) / 1e6 / std::max(report.seconds, 1e-9))
      << "), " << report.parts << (report.parts == 1 ? " part" : " parts")
      << apps::formatted(": %.3f s waiting for text, %.3f s on the backend, %.3f s merging\n", report.reading,
                         report.working, report.merging);
}

}  // namespace

std::string title_of(const options& wanted) {
  const std::string first = apps::input_title(wanted.inputs.front());
  if (wanted.inputs.size() == 1) return first;
  return first + " and " + std::to_string(wanted.inputs.size() - 1) +
         (wanted.inputs.size() == 2 ? " more file" : " more files");
}

void print_report(std::ostream& out, const options& wanted, const run_report& report, const histogram& found) {
  out << title_of(wanted) << ", k = " << wanted.k << ": " << apps::grouped(all(found)) << " k-mers, "
      << apps::grouped(distinct(found)) << " distinct; " << report.backend << "\n\n";
  print_table(out, found);
  const std::vector<std::size_t> top = most_frequent(report.found, wanted.top);
  if (!top.empty()) out << "\nthe most frequent:\n";
  for (const std::size_t i : top) {
    out << apps::formatted("%15s  ", apps::grouped(report.found.counts[i]).c_str())
        << letters(report.found.kmers[i], wanted.k) << "\n";
  }
  out << "\n";
  print_times(out, report);
  if (report.rows.empty()) return;
  out << "\nthe first " << apps::grouped(report.compared_bytes) << " bytes, stage by stage:\n";
  apps::print_comparisons(out, "stage", report.rows);
}

void plot_abundances(const options& wanted, const histogram& found) {
  std::uint64_t left_out = distinct(found);
  const std::uint64_t few = left_out / 1000;
  std::uint64_t last = 50;
  for (const auto& row : found) {
    if (left_out <= few) break;
    last = std::max(last, row.first);
    left_out -= row.second;
  }
  last = std::min<std::uint64_t>(last, 100000);
  apps::plot what;
  what.title = title_of(wanted) + ": " + std::to_string(wanted.k) + "-mers by how often they are there";
  what.x_name = "times a k-mer is there";
  what.x_begin = 1;
  what.logarithmic = true;
  apps::curve curve{"distinct k-mers", std::vector<double>(static_cast<std::size_t>(last))};
  for (const auto& [abundance, number] : found) {
    if (abundance <= last) curve.values[static_cast<std::size_t>(abundance) - 1] = static_cast<double>(number);
  }
  what.curves = {curve};
  apps::write_plot(wanted.plot, what);
}

}  // namespace kmers
