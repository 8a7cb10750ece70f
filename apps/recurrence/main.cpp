// SPDX-License-Identifier: Apache-2.0
// recurrence: a moving average or a biquad filter over a column of a CSV file or a channel of a WAV file, as a scan.
// Exit status: 0; 1 when scan and serial loop differ or something unforeseen happens; 2 for what the user can mend.
#include <optional>
#include <sstream>
#include <string>

#include "../common/plot.hpp"
#include "../common/program.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "options.hpp"
#include "run.hpp"
#include "series.hpp"

namespace recurrence {
namespace {

void plot_signals(const options& wanted, const std::string& title, const series& input, const run_report& report) {
  apps::plot what;
  what.title = title;
  what.x_name = input.rate > 0 ? "seconds" : "sample";
  what.x_begin = input.rate > 0 ? 0 : 1;
  what.x_step = input.rate > 0 ? 1 / input.rate : 1;
  what.curves = {{input.name, input.values}, {described(wanted, input), report.y}};
  apps::write_plot(wanted.out, what);
}

void write_result(const options& wanted, const series& input, const run_report& report) {
  if (wanted.write.empty()) return;
  if (extension_of(wanted.write) == "wav") write_wav(wanted.write, report.y, input.rate);
  else write_csv(wanted.write, input.name, input.values, report.y);
}

int run(int argc, char** argv) {
  const std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  apps::refuse_unwritable({wanted->out, wanted->write});
  const apps::backend_kind backend = apps::chosen_backend(wanted->backend);
  const series input = read_signal(*wanted);
  const filter what = make_filter(*wanted, input);
  const run_report report = filter_and_compare(what, input.values, backend, wanted->threads, wanted->repeat);
  if (report.overflows) {
    throw apps::user_error(apps::input_name(wanted->input) + ": its values are too large, what is filtered overflows");
  }

  const std::string name = apps::input_title(wanted->input);
  const bool result_on_standard_output =
      apps::is_standard_output(wanted->out) || apps::is_standard_output(wanted->write);
  write_result(*wanted, input, report);
  plot_signals(*wanted, name + ": " + described(*wanted, input), input, report);

  std::ostringstream out;
  out << name << ", " << input.name << ", " << apps::grouped(input.values.size()) << " samples";
  if (input.rate > 0) out << " at " << apps::formatted("%g", input.rate) << " Hz";
  out << "; " << described(*wanted, input) << "; " << report.backend << "\n\n";
  apps::print_comparisons(out, "step", {report.row});
  out << "\nplot: " << wanted->out << "\n";
  if (!wanted->write.empty()) out << "result: " << wanted->write << "\n";
  out << "scan and serial loop agree: " << (report.row.agree ? "yes" : "NO") << "\n";
  apps::print_report(out.str(), result_on_standard_output);
  return report.row.agree ? 0 : 1;
}

}  // namespace
}  // namespace recurrence

int main(int argc, char** argv) { return apps::run_program("recurrence", recurrence::run, argc, argv); }
