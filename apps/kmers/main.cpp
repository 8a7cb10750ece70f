// SPDX-License-Identifier: Apache-2.0
// kmers: counts the k-mers of FASTA and FASTQ files by compaction, radix sort and run lengths.
// Exit status: 0; 1 when results differ from the peers' or something unforeseen happens; 2 for what the user can mend.
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "../common/program.hpp"
#include "../common/progress.hpp"
#include "../common/whole_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"

namespace kmers {
namespace {

std::uint64_t bytes_of(const std::vector<std::string>& files) {
  std::uint64_t sum = 0;
  for (const std::string& file : files) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (!error) sum += size;
  }
  return sum;
}

int run(int argc, char** argv) {
  const std::optional<options> wanted = parse_options(argc, argv);
  if (!wanted) return 0;
  apps::refuse_unwritable({wanted->out, wanted->histogram, wanted->plot});
  counting how;
  how.k = wanted->k;
  how.part_bytes = static_cast<std::size_t>(wanted->part) << 20;
  how.compare_bytes = static_cast<std::size_t>(wanted->compare) << 20;
  how.backend = apps::chosen_backend(wanted->backend);
  how.threads = wanted->threads;

  run_report report;
  {
    apps::progress_bar progress("byte", bytes_of(wanted->inputs));
    report = count_files(wanted->inputs, how, [&](std::uint64_t bytes) { progress.show(bytes); });
  }
  const histogram found = abundances(report.found);
  bool on_standard_output = false;
  for (const std::string* file : {&wanted->out, &wanted->histogram, &wanted->plot}) {
    on_standard_output |= !file->empty() && apps::is_standard_output(*file);
  }
  const bool agree = apps::all_agree(report.rows);
  if (!wanted->out.empty()) apps::write_whole(wanted->out, as_text(report.found, wanted->k));
  if (!wanted->histogram.empty()) apps::write_whole(wanted->histogram, as_text(found));
  if (!wanted->plot.empty()) plot_abundances(*wanted, found);

  std::ostringstream out;
  print_report(out, *wanted, report, found);
  out << "\n";
  if (!wanted->plot.empty()) out << "plot: " << wanted->plot << "\n";
  if (!wanted->out.empty()) out << "counts: " << wanted->out << "\n";
  if (!wanted->histogram.empty()) out << "abundances: " << wanted->histogram << "\n";
  if (!report.rows.empty()) out << "all results agree: " << (agree ? "yes" : "NO") << "\n";
  apps::print_report(out.str(), on_standard_output);
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace kmers

int main(int argc, char** argv) { return apps::run_program("kmers", kmers::run, argc, argv); }
