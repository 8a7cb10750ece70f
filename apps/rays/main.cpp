// SPDX-License-Identifier: Apache-2.0
// rays: path tracing in waves, with compaction and radix sort between bounces.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "../common/png_writer.hpp"
#include "../common/program.hpp"
#include "../common/text.hpp"
#include "../common/tone_map.hpp"
#include "../common/whole_file.hpp"
#include "mesh_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"

namespace rays {
namespace {

constexpr float exposure = 1.05F;

void write_picture(const options& wanted, const std::vector<vec3>& picture) {
  const std::vector<std::uint8_t> rgb = apps::tone_mapped(picture, exposure, false);
  apps::write_png(wanted.out, rgb, wanted.scene.width, wanted.scene.height);
}

// A pipe or a device gets one picture alone.
bool may_be_written_again(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::status(file, error);
  return !apps::is_standard_output(file) && (!std::filesystem::exists(found) || is_regular_file(found));
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  apps::refuse_unwritable({wanted->out});
  wanted->backend = apps::chosen_backend(wanted->backend);
  mesh input;
  if (!wanted->input.empty()) input = read_mesh(wanted->input);
  const std::string name = wanted->input.empty() ? "spheres" : apps::input_title(wanted->input);
  const scene what = make_scene(input, name, wanted->scene);
  const bool on_standard_output = apps::is_standard_output(wanted->out), again = may_be_written_again(wanted->out);
  const run_report report = draw(what, *wanted, [&](const std::vector<vec3>& picture) {
    if (again) write_picture(*wanted, picture);
  });
  if (!again) write_picture(*wanted, report.picture);

  std::ostringstream out;
  print_report(out, *wanted, what, report);
  if (input.left_out > 0) {
    out << "\ntriangles left out, with a corner that is not a finite number or is beyond 1e18: "
        << apps::grouped(input.left_out);
  }
  out << "\npicture: " << wanted->out << "\n";
  if (!report.ways.empty()) out << "all results agree: " << (all_agree(report) ? "yes" : "NO") << "\n";
  apps::print_report(out.str(), on_standard_output);
  return all_agree(report) ? 0 : 1;
}

}  // namespace
}  // namespace rays

int main(int argc, char** argv) { return apps::run_program("rays", rays::run, argc, argv); }
