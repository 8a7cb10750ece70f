// SPDX-License-Identifier: Apache-2.0
// What the programs' command lines have in common, read with CLI11.
#pragma once

#include "backend.hpp"

namespace CLI {
class App;
}

namespace apps {

// --backend and --threads. Both are written when the line is parsed.
void add_backend_options(CLI::App& app, backend_kind& backend, int& threads);

// False when help was asked for and printed. Throws user_error for anything that it can't make sense of.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace apps
