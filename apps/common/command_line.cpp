// SPDX-License-Identifier: Apache-2.0
// The shared options, and CLI11's errors as the programs' own.
#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "user_error.hpp"

namespace apps {

namespace {

// A side of a picture; 0 for text that is none.
int side_of(std::string_view text, int largest) {
  int side = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), side);
  const bool all = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return all && side >= 1 && side <= largest ? side : 0;
}

}  // namespace

// CLI11's own check takes -1 for a large number, and 010 for 8.
void take_whole_number(CLI::Option* option, std::uint64_t low, std::uint64_t high) {
  const auto check = [low, high](std::string& word) -> std::string {
    std::uint64_t number = 0;
    const char* const end = word.data() + word.size();
    const auto parsed = std::from_chars(word.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < low || number > high) {
      return word + " is not a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    }
    word = std::to_string(number);
    return {};
  };
  option->transform(CLI::Validator(check, ""));
}

void take_name(CLI::Option* option, const std::map<std::string, int>& values) {
  const auto check = [values](std::string& word) -> std::string {
    const auto found = values.find(word);
    if (found != values.end()) {
      word = std::to_string(found->second);
      return {};
    }
    std::string names;
    for (const auto& value : values) names += (names.empty() ? "" : ", ") + value.first;
    return word + " is none of " + names;
  };
  option->transform(CLI::Validator(check, ""))->type_name("NAME");
}

void add_backend_options(CLI::App& app, backend_kind& backend, int& threads) {
  take_name(app.add_option("--backend", backend, "cpu, cuda, or auto: cuda where there is a GPU (default: auto)"),
            {{"auto", static_cast<int>(backend_kind::automatic)},
             {"cpu", static_cast<int>(backend_kind::cpu)},
             {"cuda", static_cast<int>(backend_kind::cuda)}});
  take_whole_number(
      app.add_option("--threads", threads, "of the CPU backend; 0: one for each core")->capture_default_str(), 0, 1024);
}

bool parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  app.set_version_flag("--version", app.get_name() + " (onepass) " ONEPASS_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print_report(app.help());
    return false;
  } catch (const CLI::CallForVersion&) {
    print_report(app.version());
    return false;
  } catch (const CLI::ParseError& error) {
    // CLI11 complains about what is missing before it looks at what it doesn't know, which may be the same misspelt.
    const std::vector<std::string> unknown = app.remaining();
    throw user_error(unknown.empty() ? error.what() : "unknown argument: " + unknown.front());
  }
  return true;
}

void parse_size(const char* option, const std::string& text, int largest, int& width, int& height) {
  const std::size_t cross = text.find('x');
  width = side_of(std::string_view(text).substr(0, cross), largest);
  height = cross == std::string::npos ? 0 : side_of(std::string_view(text).substr(cross + 1), largest);
  if (width == 0 || height == 0) {
    throw user_error(std::string(option) + ": " + text + " is not WxH with both from 1 to " + std::to_string(largest));
  }
}

}  // namespace apps
