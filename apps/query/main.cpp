// SPDX-License-Identifier: Apache-2.0
// query: questions about tables by compaction, radix sort and reduction by key.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include "../common/program.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "options.hpp"
#include "parquet_file.hpp"
#include "run.hpp"

namespace query {
namespace {

constexpr std::size_t shown_rows = 20;

std::string described(const table& on) {
  std::string columns;
  for (const column& one : on.columns) {
    constexpr const char* types[] = {"whole numbers", "numbers", "texts"};
    columns +=
        (columns.empty() ? "" : ", ") + apps::printable(one.name) + " (" + types[static_cast<int>(one.type)] + ")";
  }
  return apps::grouped(on.rows()) + (on.rows() == 1 ? " row of " : " rows of ") + columns;
}

void print(std::ostream& out, const options& wanted, const table& on, const run_report& report) {
  const std::size_t rows = report.answer.rows();
  out << (wanted.input.empty() ? "a random table" : apps::input_title(wanted.input)) << ": " << described(on) << "; "
      << report.backend << "\n\n"
      << as_lines(report.answer, shown_rows);
  if (rows > shown_rows) out << "and " << apps::grouped(rows - shown_rows) << " more\n";
  out << "\n"
      << apps::grouped(rows) << (rows == 1 ? " row" : " rows")
      << apps::formatted(" in %.3f ms, from the table in the backend's memory\n\n", report.milliseconds);
  apps::print_comparisons(out, "stage", report.stages);
  if (!wanted.out.empty()) out << "\nresult: " << wanted.out << "\n";
}

int run(int argc, char** argv) {
  std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  apps::refuse_unwritable({wanted->out});
  wanted->backend = apps::chosen_backend(wanted->backend);
  const table on = wanted->input.empty()
                       ? generated_table(wanted->generate, wanted->seed)
                       : read_any_table(apps::read_whole(wanted->input), apps::input_name(wanted->input));
  const plan what = plan_of(wanted->asked, on);
  const bool compare = wanted->compare > 0 && on.rows() <= wanted->compare;
  const run_report report =
      answer_and_compare(what, on, wanted->backend, wanted->threads, compare, static_cast<int>(wanted->repeats));
  if (!wanted->out.empty()) apps::write_whole(wanted->out, as_csv(report.answer));
  std::ostringstream out;
  print(out, *wanted, on, report);
  if (compare) out << "\nall results agree: " << (apps::all_agree(report.stages) ? "yes" : "NO") << "\n";
  apps::print_report(out.str(), !wanted->out.empty() && apps::is_standard_output(wanted->out));
  return apps::all_agree(report.stages) ? 0 : 1;
}

}  // namespace
}  // namespace query

int main(int argc, char** argv) { return apps::run_program("query", query::run, argc, argv); }
