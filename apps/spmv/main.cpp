// SPDX-License-Identifier: Apache-2.0
// spmv: a sparse matrix from a Matrix Market file, multiplied with a vector by a segmented reduction.
// Exit status: 0; 1 when products differ or something unforeseen happens; 2 for what the user can mend.
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../common/plot.hpp"
#include "../common/program.hpp"
#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "csr_matrix.hpp"
#include "matrix_market.hpp"
#include "options.hpp"
#include "run.hpp"

namespace spmv {
namespace {

std::string described(const coordinate_matrix& from, const csr_matrix& matrix) {
  std::int32_t longest = 0, empty = 0;
  for (std::size_t row = 0; row + 1 < matrix.offsets.size(); ++row) {
    const std::int32_t entries = matrix.offsets[row + 1] - matrix.offsets[row];
    longest = std::max(longest, entries);
    empty += entries == 0;
  }
  const auto number = [](std::size_t value) { return apps::grouped(value); };
  return number(static_cast<std::size_t>(matrix.rows)) + " x " + number(static_cast<std::size_t>(matrix.columns)) +
         " " + from.kind + ", " + number(matrix.value.size()) +
         " entries (duplicates added up: " + number(from.entries.size() - matrix.value.size()) + "), longest row " +
         number(static_cast<std::size_t>(longest)) + ", empty rows " + number(static_cast<std::size_t>(empty));
}

void plot_convergence(const std::string& file, const std::string& name, const power_result& power) {
  apps::plot what;
  what.title = name + ": power iteration";
  what.x_name = "iteration";
  what.x_begin = 1;
  what.logarithmic = true;
  apps::curve change{"change of the eigenvalue", {std::nan("")}};
  for (std::size_t i = 1; i < power.eigenvalues.size(); ++i) {
    change.values.push_back(std::abs(power.eigenvalues[i] - power.eigenvalues[i - 1]) / std::abs(power.eigenvalues[i]));
  }
  what.curves = {change, {"residual of A v = lambda v", power.residuals}};
  apps::write_plot(file, what);
}

void print_power(std::ostream& out, const options& wanted, const power_result& power) {
  out << "\npower iteration: ";
  if (power.vanished) {
    out << "eigenvalue 0, as A v is 0 after " << power.eigenvalues.size() << " steps; ";
  } else if (!power.eigenvalues.empty()) {
    out << "eigenvalue " << apps::formatted("%.15g", power.eigenvalues.back()) << ", residual "
        << apps::formatted("%.2e", power.residuals.back()) << " after " << power.eigenvalues.size() << " steps"
        << (power.residuals.back() > 0.1 ? " (no convergence: is another eigenvalue as large?); " : "; ");
  }
  out << "plot: " << wanted.out << "\n";
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  wanted->backend = apps::chosen_backend(wanted->backend);
  if (wanted->iterations > 0) apps::refuse_unwritable({wanted->out});
  const std::string name = apps::input_title(wanted->input);
  const coordinate_matrix from = read_matrix_market(wanted->input);
  if (wanted->iterations > 0 && from.rows != from.columns) {
    throw apps::user_error("--iterations: " + name + " is not square");
  }
  const csr_matrix matrix = compressed(from);

  run_report report;
  {
    apps::progress_bar progress("iteration", std::max(1, wanted->iterations));
    report = multiply_and_compare(matrix, test_vector(static_cast<std::size_t>(matrix.columns)), *wanted,
                                  [&](int iteration) { progress.show(iteration); });
  }
  const bool plot_on_standard_output = apps::is_standard_output(wanted->out);
  if (wanted->iterations > 0) plot_convergence(wanted->out, name, report.power);

  std::ostringstream out;
  out << name << ", " << described(from, matrix) << "; " << report.backend << "\n\n";
  apps::print_comparisons(out, "step", report.rows);
  if (!report.no_cusparse.empty()) out << "no time of cuSPARSE: " << report.no_cusparse << "\n";
  if (wanted->iterations > 0) print_power(out, *wanted, report.power);
  const bool agree = apps::all_agree(report.rows);
  out << "\nall results agree: " << (agree ? "yes" : "NO") << "\n";
  apps::print_report(out.str(), wanted->iterations > 0 && plot_on_standard_output);
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) { return apps::run_program("spmv", spmv::run, argc, argv); }
