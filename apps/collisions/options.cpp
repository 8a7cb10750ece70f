// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <limits>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"

namespace collisions {

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  std::string size = "960x600";
  CLI::App app(
      "Lets spheres fall and bounce in a box: a block that stands at one end, and a ball above the other end. Each "
      "step sorts the spheres by cells with onepass's radix sort, finds the pairs of neighbours by scans, keeps those "
      "that touch by a compaction, and sums what they do to each sphere by a reduction by key. Draws pictures, times "
      "every stage beside the standard library (CPU) or Thrust (GPU), and checks the steps against serial programs, "
      "bit by bit.",
      "collisions");
  const auto whole = [&](const char* name, auto& value, const char* text, std::uint64_t low, std::uint64_t high) {
    apps::take_whole_number(app.add_option(name, value, text)->capture_default_str(), low, high);
  };
  whole("--spheres", result.spheres, "how many", 1, 10000000);
  whole("--frames", result.frames, "pictures to draw; the first one is of the beginning", 1, 100000);
  whole("--steps", result.steps, "from one picture to the next; 1,000 are a second of the spheres' time", 1, 1000000);
  app.add_option("--bounce", result.bounce,
                 "about how fast two spheres go apart, over how fast they met: from 0 to 1, which loses no energy")
      ->capture_default_str();
  app.add_option("--size", size, "of the pictures: WxH pixels")->capture_default_str();
  app.add_option("--out", result.out, "folder for the pictures; made if missing")->capture_default_str();
  whole("--check", result.check, "spheres of a run that is compared with one that tries all pairs; 0: none", 0, 20000);
  apps::add_backend_options(app, result.backend, result.threads);
  whole("--seed", result.seed, "of all random numbers: the same seed makes the same spheres move in the same way", 0,
        std::numeric_limits<std::uint64_t>::max());

  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  apps::parse_size("--size", size, 16384, result.width, result.height);
  if (!(result.bounce >= 0 && result.bounce <= 1)) throw apps::user_error("--bounce: is not a number from 0 to 1");
  if (result.out == "-") throw apps::user_error("--out: is a folder; pictures can't go to standard output");
  return result;
}

}  // namespace collisions
