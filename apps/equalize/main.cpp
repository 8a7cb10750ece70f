// SPDX-License-Identifier: Apache-2.0
// equalize: histogram equalisation of PNG pictures, whole or by tiles, by histogram, segmented reduction and scan.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include "../common/program.hpp"
#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "figure.hpp"
#include "options.hpp"
#include "plain_equalize.hpp"
#include "png_file.hpp"
#include "run.hpp"

namespace equalize {
namespace {

std::string described(const picture& what) {
  constexpr const char* kinds[] = {"grey", "grey with opacity", "coloured", "coloured with opacity"};
  return apps::grouped(static_cast<std::uint64_t>(what.width)) + " x " +
         apps::grouped(static_cast<std::uint64_t>(what.height)) + ", " + kinds[what.channels - 1] + ", " +
         std::to_string(what.depth) + " bits";
}

std::string method(const options& wanted) {
  std::string text = "whole picture";
  if (wanted.columns * wanted.rows > 1) {
    text = std::to_string(wanted.columns) + " x " + std::to_string(wanted.rows) + " tiles";
  }
  return text + (wanted.clip > 0 ? apps::formatted(", clip %g", wanted.clip) : "");
}

// A line for each lit pixel.
std::string as_text(const picture& what, const std::vector<std::uint32_t>& lit) {
  apps::progress_bar progress("writing pixel", lit.size());
  std::string text;
  for (std::size_t i = 0; i < lit.size(); ++i) {
    const auto width = static_cast<std::uint32_t>(what.width);
    text += std::to_string(lit[i] % width) + '\t' + std::to_string(lit[i] / width) + '\t' +
            std::to_string(light_at(what, lit[i])) + '\n';
    if (i % 1024 == 0) progress.show(i);
  }
  return text;
}

void print_results(std::ostream& out, const options& wanted, const picture& what, const run_report& report) {
  const std::vector<std::uint64_t> before = histogram_of(what), after = histogram_of(report.result);
  const auto used = [](const std::vector<std::uint64_t>& histogram) {
    return std::to_string(histogram.size() -
                          static_cast<std::size_t>(std::count(histogram.begin(), histogram.end(), 0U)));
  };
  const double lit = 100.0 * static_cast<double>(report.lit.size()) / static_cast<double>(what.pixels());
  const double bytes = 2.0 * static_cast<double>(what.samples.size()) * what.depth / 8;
  out << apps::input_title(wanted.input) << ", " << described(what) << "; " << method(wanted) << "; " << report.backend
      << "\n\n"
      << "luminances that occur: " << used(before) << " before, " << used(after)
      << " after; pixels that are not black: " << apps::grouped(report.lit.size())
      << apps::formatted(" (%.1f %%)\n", lit)
      << apps::formatted("equalised in %.3f ms, %.3g GB/s of samples in and out\n\n", report.milliseconds,
                         bytes / 1e6 / std::max(report.milliseconds, 1e-9));
  apps::print_comparisons(out, "stage", report.rows);
  out << "\nresult: " << wanted.out << "\n";
  if (!wanted.plot.empty()) out << "plot: " << wanted.plot << "\n";
  if (!wanted.sparse.empty()) out << "pixels that are not black: " << wanted.sparse << "\n";
  out << "all results agree: " << (apps::all_agree(report.rows) ? "yes" : "NO") << "\n";
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  wanted->backend = apps::chosen_backend(wanted->backend);
  apps::refuse_unwritable({wanted->out, wanted->plot, wanted->sparse});
  const picture what = read_png(wanted->input);
  const run_report report = equalize_and_compare(what, *wanted);

  bool on_standard_output = false;
  for (const std::string* file : {&wanted->out, &wanted->plot, &wanted->sparse}) {
    on_standard_output |= !file->empty() && apps::is_standard_output(*file);
  }
  apps::write_whole(wanted->out, as_png(report.result, wanted->out));
  if (!wanted->sparse.empty()) apps::write_whole(wanted->sparse, as_text(what, report.lit));
  if (!wanted->plot.empty()) {
    write_figure(wanted->plot, apps::input_title(wanted->input) + ": " + method(*wanted), what, report.result);
  }
  std::ostringstream out;
  print_results(out, *wanted, what, report);
  apps::print_report(out.str(), on_standard_output);
  return apps::all_agree(report.rows) ? 0 : 1;
}

}  // namespace
}  // namespace equalize

int main(int argc, char** argv) { return apps::run_program("equalize", equalize::run, argc, argv); }
