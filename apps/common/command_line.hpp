// SPDX-License-Identifier: Apache-2.0
// What the programs' command lines have in common, read with CLI11.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "backend.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace apps {

// The option takes a whole number from `low` to `high`, in digits, or one of these names.
void take_whole_number(CLI::Option* option, std::uint64_t low, std::uint64_t high);
void take_name(CLI::Option* option, const std::map<std::string, int>& values);

// --backend and --threads. Both are written when the line is parsed.
void add_backend_options(CLI::App& app, backend_kind& backend, int& threads);

// False when help or the version was asked for and printed. Throws user_error for anything that it can't make sense of, an
// unknown option before all else.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

// "1280x720" as a picture's width and height, each from 1 to `largest`. Throws user_error, naming `option`, for anything else.
void parse_size(const char* option, const std::string& text, int largest, int& width, int& height);

}  // namespace apps
