// SPDX-License-Identifier: Apache-2.0
// collisions: spheres that fall and bounce, their contacts found with onepass.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <optional>
#include <sstream>
#include <string>

#include "../common/png_writer.hpp"
#include "../common/program.hpp"
#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/tone_map.hpp"
#include "../common/whole_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"

namespace collisions {
namespace {

run_report draw_frames(const options& wanted) {
  const scene what = falling_scene(wanted.spheres, wanted.seed, wanted.bounce);
  apps::make_folder("--out", wanted.out);
  apps::progress_bar progress("frame", static_cast<std::uint64_t>(wanted.frames));
  return run_frames(what, wanted, [&](int frame, const std::vector<vec3>& image) {
    apps::write_png(apps::frame_name(wanted.out, frame), apps::tone_mapped(image, 1, false), wanted.width,
                    wanted.height);
    progress.show(static_cast<std::uint64_t>(frame) + 1);
  });
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  wanted->backend = apps::chosen_backend(wanted->backend);
  const run_report report = draw_frames(*wanted);

  std::ostringstream out;
  print_report(out, *wanted, report);
  const bool agree = all_agree(report);
  out << "\nall results agree: " << (agree ? "yes" : "NO") << "\npicture: " << apps::frame_name(wanted->out, 0);
  if (wanted->frames > 1) out << " to " << apps::frame_name(wanted->out, wanted->frames - 1);
  out << "\n";
  apps::print_report(out.str());
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace collisions

int main(int argc, char** argv) { return apps::run_program("collisions", collisions::run, argc, argv); }
