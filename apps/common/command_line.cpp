// SPDX-License-Identifier: Apache-2.0
// The shared options, and CLI11's errors as the programs' own.
#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <map>

#include "user_error.hpp"

namespace apps {

void add_backend_options(CLI::App& app, backend_kind& backend, int& threads) {
  const std::map<std::string, backend_kind> backends{
      {"auto", backend_kind::automatic}, {"cpu", backend_kind::cpu}, {"cuda", backend_kind::cuda}};
  app.add_option("--backend", backend, "cpu, cuda, or auto: cuda where there is a GPU (default: auto)")
      ->transform(CLI::Transformer(backends).description(""))
      ->type_name("NAME");
  app.add_option("--threads", threads, "of the CPU backend; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw user_error(error.what());
  }
  return true;
}

}  // namespace apps
