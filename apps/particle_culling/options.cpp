// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <limits>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"

namespace particle_culling {
std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  std::string size = "1280x720";
  CLI::App app(
      "Culls, sorts and draws a point cloud or a galaxy of particles with onepass, and times every stage beside "
      "the standard library (CPU) or Thrust (GPU).",
      "particle_culling");

  app.add_option(
      "input,--input", result.input,
      "PLY file with a point cloud, or - for standard input (default: a galaxy). Points with a value that is not a "
      "finite number are left out and counted");
  apps::take_whole_number(
      app.add_option("--particles", result.particles, "how many (default: 2000000, or the points of the file)"), 1,
      most_particles);
  apps::take_whole_number(
      app.add_option("--frames", result.frames, "pictures to draw, over one turn of the camera")->capture_default_str(),
      1, 100000);
  app.add_option("--size", size, "of the pictures: WxH pixels")->capture_default_str();
  app.add_option("--out", result.out, "folder for the pictures; made if missing")->capture_default_str();
  apps::add_backend_options(app, result.backend, result.threads);
  apps::take_whole_number(
      app.add_option("--seed", result.seed, "of all random numbers: the same seed makes the same pictures")
          ->capture_default_str(),
      0, std::numeric_limits<std::uint64_t>::max());

  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  apps::parse_size("--size", size, largest_side, result.width, result.height);
  if (result.out == "-") throw apps::user_error("--out: is a folder; pictures can't go to standard output");
  return result;
}

}  // namespace particle_culling
