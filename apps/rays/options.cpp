// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "scattering.hpp"

namespace rays {

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  std::string size = "960x600";
  CLI::App app(
      "Draws a mesh among spheres under two lamps by path tracing: light is followed backwards from each pixel over "
      "mirrors, glass and matte surfaces. Paths are traced in waves; after each bounce those that go on are compacted "
      "and sorted by where they go, and the time with and without that is told. Rays find what they hit in a bounding "
      "volume hierarchy that is built from sorted Morton codes.",
      "rays");
  CLI::Option* input = app.add_option(
      "input,--input", result.input,
      "PLY file with triangles (faces or tristrips), or - for standard input (default: three large spheres)");
  app.add_option(
         "--out", result.out,
         "PNG file for the picture, or - for standard output. A file has the picture of the first 1, 2, 4, 8 ... "
         "samples until all are done")
      ->capture_default_str();
  apps::take_whole_number(
      app.add_option("--samples", result.samples, "paths for each pixel: four times as many halve the noise")
          ->capture_default_str(),
      1, 1000000);
  app.add_option("--size", size, "of the picture: WxH pixels")->capture_default_str();
  apps::take_whole_number(
      app.add_option("--bounces", result.bounces, "how often a path may go on")->capture_default_str(), 0,
      most_bounces);
  apps::take_whole_number(
      app.add_option("--spheres", result.scene.spheres, "small ones around the middle")->capture_default_str(), 0,
      10000000);
  apps::take_name(
      app.add_option("--up", result.scene.up, "the mesh's axis that points upwards: x, y or z (default: y)")
          ->needs(input),
      {{"x", static_cast<int>(axis::x)}, {"y", static_cast<int>(axis::y)}, {"z", static_cast<int>(axis::z)}});
  app.add_option("--turn", result.scene.turn, "degrees, -360 to 360, by which the camera goes around the scene")
      ->capture_default_str();
  apps::take_whole_number(
      app.add_option("--compare", result.compare,
                     "pixels of which a serial program traces a sample, too, each ray against each triangle; 0: no "
                     "comparison with it, and none of the time with and without compaction and sorting")
          ->capture_default_str(),
      0, 1000000);
  apps::take_whole_number(
      app.add_option("--seed", result.scene.seed, "of all random numbers: the same seed makes the same picture")
          ->capture_default_str(),
      0, std::numeric_limits<std::uint64_t>::max());
  apps::add_backend_options(app, result.backend, result.threads);
  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  if (!(std::abs(result.scene.turn) <= 360)) throw apps::user_error("--turn: is not from -360 to 360");
  apps::parse_size("--size", size, largest_side, result.scene.width, result.scene.height);
  if (!result.input.empty()) apps::refuse_same_file("--out", result.out, result.input);
  return result;
}

}  // namespace rays
