// SPDX-License-Identifier: Apache-2.0
// particle_culling: a point cloud or a galaxy, culled, depth-sorted, put into tiles and drawn with onepass.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../common/backend.hpp"
#include "../common/png_writer.hpp"
#include "../common/program.hpp"
#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/tone_map.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "cloud.hpp"
#include "options.hpp"
#include "ply_reader.hpp"
#include "report.hpp"
#include "run.hpp"

namespace particle_culling {
namespace {

scene make_scene(const options& wanted) {
  if (wanted.input.empty()) return scene_of_galaxy(wanted.particles.value_or(default_particles), wanted.seed);
  const std::string name = apps::input_title(wanted.input);
  cloud source = read_ply(wanted.input);
  if (!wanted.particles && source.points.size() > most_particles) {
    throw apps::user_error(apps::input_name(wanted.input) + ": has more than " + std::to_string(most_particles) +
                           " points; try --particles");
  }
  return scene_of_cloud(std::move(source), name, wanted.particles.value_or(0));
}

void keep_input(const options& wanted) {
  for (int frame = 0; frame < wanted.frames && !wanted.input.empty(); ++frame) {
    apps::refuse_same_file("--out", apps::frame_name(wanted.out, frame), wanted.input);
  }
}

run_report draw_frames(const scene& what, const options& wanted) {
  apps::progress_bar progress("frame", wanted.frames);
  float exposure = what.fixed_exposure;
  return run_frames(what, wanted, [&](int frame, const std::vector<vec3>& image) {
    if (exposure == 0) exposure = apps::find_exposure(image);  // the first picture's, so that the others don't flicker
    const auto rgb = apps::tone_mapped(image, exposure, what.fixed_exposure == 0);
    apps::write_png(apps::frame_name(wanted.out, frame), rgb, wanted.width, wanted.height);
    progress.show(frame + 1);
  });
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  wanted->backend = apps::chosen_backend(wanted->backend);
  keep_input(*wanted);
  const scene what = make_scene(*wanted);
  apps::make_folder("--out", wanted->out);
  const run_report report = draw_frames(what, *wanted);

  std::ostringstream out;
  out << what.name << ", " << wanted->width << "x" << wanted->height << ", " << report.backend << "\n";
  if (what.source.left_out > 0) {
    out << "points left out, with a value that is not a finite number or is beyond 1e18: "
        << apps::grouped(what.source.left_out) << "\n";
  }
  out << "\n";
  print_tables(out, report);
  const bool agree = all_agree(report);
  out << "\nall results agree: " << (agree ? "yes" : "NO") << "\npicture: " << apps::frame_name(wanted->out, 0);
  if (wanted->frames > 1) out << " to " << apps::frame_name(wanted->out, wanted->frames - 1);
  out << "\n";
  apps::print_report(out.str());
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace particle_culling

int main(int argc, char** argv) { return apps::run_program("particle_culling", particle_culling::run, argc, argv); }
