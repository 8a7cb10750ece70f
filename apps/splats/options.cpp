// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"

namespace splats {
namespace {

void add_view_options(CLI::App& app, options& result) {
  const auto number_of = [](axis one) { return static_cast<int>(one); };
  apps::take_name(
      app.add_option("--up", result.up,
                     "the axis that points upwards: y, minus_y, z or minus_z (default: minus_y of a file, as "
                     "many scenes from photographs have it, y of the knot)"),
      {{"y", number_of(axis::y)},
       {"minus_y", number_of(axis::minus_y)},
       {"z", number_of(axis::z)},
       {"minus_z", number_of(axis::minus_z)}});
  app.add_option("--turn", result.turn, "degrees, -360 to 360, by which the camera begins farther around the scene")
      ->capture_default_str();
  app.add_option("--elevation", result.elevation, "of the camera over the ground: degrees, -85 to 85")
      ->capture_default_str();
  app.add_option("--distance", result.distance, "of the camera, 0.01 to 100: a factor for what is proposed")
      ->capture_default_str();
}

void check_numbers(const options& wanted) {
  if (!(std::abs(wanted.turn) <= 360)) throw apps::user_error("--turn: is not from -360 to 360");
  if (!(std::abs(wanted.elevation) <= 85)) throw apps::user_error("--elevation: is not from -85 to 85");
  if (!(wanted.distance >= 0.01 && wanted.distance <= 100)) {
    throw apps::user_error("--distance: is not from 0.01 to 100");
  }
  if (wanted.out == "-") throw apps::user_error("--out: is a folder; pictures can't go to standard output");
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  std::string size = "1280x720";
  CLI::App app(
      "Draws Gaussian splats: a scene in the usual PLY format, or a knot of as many as you like. Splats are culled, "
      "listed by "
      "the tiles of the picture that they lie in, sorted by tile and depth, and blended from front to back, with "
      "onepass. "
      "Times every stage beside the standard library (CPU) or CUB and Thrust (GPU), and checks a picture against a "
      "serial "
      "program, bit by bit.",
      "splats");
  const auto whole = [&](const char* name, auto& value, const char* text, std::uint64_t low, std::uint64_t high) {
    CLI::Option* const option = app.add_option(name, value, text)->capture_default_str();
    apps::take_whole_number(option, low, high);
    return option;
  };
  CLI::Option* const input = app.add_option(
      "input,--input", result.input,
      "PLY file with splats (x y z, f_dc_0 to 2, f_rest_0 and up, opacity, scale_0 to 2, rot_0 to 3), or - for "
      "standard input (default: a knot). Splats with a value that is not a finite number are left out and "
      "counted");
  whole("--splats", result.splats, "of the knot", 1, 500000000)->excludes(input);
  whole("--frames", result.frames, "pictures to draw, over one turn of the camera", 1, 100000);
  add_view_options(app, result);
  app.add_option("--size", size, "of the pictures: WxH pixels")->capture_default_str();
  apps::take_name(app.add_option("--sort", result.sort,
                                 "global: entries by tile and depth at once; segmented: by tile, then each tile's by "
                                 "depth; depth: splats by depth, then entries by tile (default: global)"),
                  {{"global", static_cast<int>(sort_way::global)},
                   {"segmented", static_cast<int>(sort_way::segmented)},
                   {"depth", static_cast<int>(sort_way::depth)}});
  whole("--compare", result.compare,
        "rounds, of whose times the median counts, in which the three sorts, and all stages and their peers, draw the "
        "first "
        "frame; a serial program draws it once. 0: no comparison",
        0, 1000);
  app.add_option("--out", result.out, "folder for the pictures; made if missing")->capture_default_str();
  app.add_option("--write-ply", result.ply, "PLY file that the scene is written to, or - for standard output");
  apps::add_backend_options(app, result.backend, result.threads);
  whole("--seed", result.seed, "of the knot: the same seed makes the same pictures", 0,
        std::numeric_limits<std::uint64_t>::max())
      ->excludes(input);

  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  apps::parse_size("--size", size, 16384, result.width, result.height);
  check_numbers(result);
  return result;
}

}  // namespace splats
