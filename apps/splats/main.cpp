// SPDX-License-Identifier: Apache-2.0
// splats: Gaussian splats, culled, sorted by tile and depth, and drawn with onepass.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../common/png_writer.hpp"
#include "../common/program.hpp"
#include "../common/progress.hpp"
#include "../common/whole_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"
#include "splat_file.hpp"

namespace splats {
namespace {

// Colours of splats are those of photographs, with gamma.
std::vector<std::uint8_t> eight_bits(const std::vector<vec3>& picture) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(3 * picture.size());
  for (const vec3 one : picture) {
    for (const float value : {one.x, one.y, one.z}) {
      rgb.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0F, 1.0F))));
    }
  }
  return rgb;
}

void keep_input(const options& wanted) {
  std::vector<std::string> inputs;
  if (!wanted.input.empty()) inputs.push_back(wanted.input);
  std::vector<std::pair<std::string, std::string>> outputs{{"--write-ply", wanted.ply}};
  apps::refuse_same_files(outputs, inputs);
  for (int frame = 0; frame < wanted.frames; ++frame) {
    const std::string picture = apps::frame_name(wanted.out, frame);
    if (!wanted.input.empty()) apps::refuse_same_file("--out", picture, wanted.input);
    if (!wanted.ply.empty()) apps::refuse_same_file("--out", picture, wanted.ply);
  }
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  wanted->backend = apps::chosen_backend(wanted->backend);
  keep_input(*wanted);
  const scene what = wanted->input.empty() ? knot_scene(wanted->splats, wanted->seed) : read_splats(wanted->input);
  const bool scene_on_standard_output = !wanted->ply.empty() && apps::is_standard_output(wanted->ply);
  if (!wanted->ply.empty()) apps::write_whole(wanted->ply, splat_file(what));
  apps::make_folder("--out", wanted->out);

  apps::progress_bar progress("frame", static_cast<std::uint64_t>(wanted->frames));
  const run_report report = draw_frames(what, *wanted, [&](int frame, const std::vector<vec3>& picture) {
    apps::write_png(apps::frame_name(wanted->out, frame), eight_bits(picture), wanted->width, wanted->height);
    progress.show(static_cast<std::uint64_t>(frame) + 1);
  });

  std::ostringstream out;
  print_report(out, *wanted, what, report);
  const bool agree = all_agree(report);
  if (!report.ways.empty()) out << "\nall results agree: " << (agree ? "yes" : "NO");
  out << "\npicture: " << apps::frame_name(wanted->out, 0);
  if (wanted->frames > 1) out << " to " << apps::frame_name(wanted->out, wanted->frames - 1);
  out << "\n";
  apps::print_report(out.str(), scene_on_standard_output);
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace splats

int main(int argc, char** argv) { return apps::run_program("splats", splats::run, argc, argv); }
