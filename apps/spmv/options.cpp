// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include "../common/command_line.hpp"
#include "../common/whole_file.hpp"

namespace spmv {

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  CLI::App app(
      "Multiplies a sparse matrix with a vector by onepass's segmented reduction, checks the product against a plain "
      "loop, and times both, and on a GPU cuSPARSE.",
      "spmv");
  app.add_option(
         "input,--input", result.input,
         "Matrix Market file, or - for standard input: coordinate; real, integer or pattern; general, symmetric "
         "or skew-symmetric. A value that is not a finite number is an error")
      ->required();
  CLI::Option* iterations =
      app.add_option("--iterations", result.iterations, "steps of a power iteration to take, too");
  apps::take_whole_number(iterations, 1, 1000000);
  app.add_option("--out", result.out, "PNG file for a plot of how it converges, or - for standard output")
      ->needs(iterations)
      ->capture_default_str();
  apps::take_whole_number(app.add_option("--repeat", result.repeat, "calls timed in a row")->capture_default_str(), 1,
                          1000000);
  apps::add_backend_options(app, result.backend, result.threads);
  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  if (result.iterations > 0) apps::refuse_same_file("--out", result.out, result.input);
  return result;
}

}  // namespace spmv
