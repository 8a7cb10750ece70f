// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace kmers {

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  CLI::App app(
      "Counts the k-mers of DNA sequences: every k bases that follow each other in a sequence, each counted together "
      "with its reverse complement, under the one of both that is first in the alphabet. Tells how many k-mers are "
      "there once, twice and so on, as a table and a picture. Whatever is not A, C, G or T, in either case, breaks a "
      "sequence. The work is done by onepass's scan, compaction, radix sort and run lengths, and each stage is "
      "compared with a peer on the input's first bytes.",
      "kmers");
  app.add_option("input,--input", result.inputs,
                 "FASTA or FASTQ files, packed by gzip or not; - for standard input. K-mers do not go from one "
                 "sequence or file on to the next")
      ->required();
  apps::take_whole_number(app.add_option("-k,--k", result.k, "bases of a k-mer")->capture_default_str(), 1, 32);
  app.add_option("--out", result.out,
                 "file for the counts, or - for standard output: a line for each k-mer, its bases, a tab and how "
                 "often it is there; in alphabetical order");
  app.add_option("--histogram", result.histogram,
                 "file for the abundances, or - for standard output: a line for each count that occurs, a tab and "
                 "how many k-mers have it");
  app.add_option("--plot", result.plot,
                 "PNG file for a picture of the abundances, - for standard output, or '' for none")
      ->capture_default_str();
  apps::take_whole_number(
      app.add_option("--top", result.top, "how many of the most frequent k-mers to print")->capture_default_str(), 0,
      1000000);
  apps::take_whole_number(
      app.add_option("--part", result.part,
                     "MiB of text to count at once (default: 64 on the CPU, 256 on a GPU). A part takes some 32 times "
                     "as much memory on the backend; the parts' counts are merged in the host's memory"),
      1, 4000);
  apps::take_whole_number(
      app.add_option("--compare", result.compare,
                     "MiB of the first part that the peers and a serial program count, too; 0: none")
          ->capture_default_str(),
      0, 1000);
  apps::add_backend_options(app, result.backend, result.threads);
  // CLI11 takes a word in brackets for a list, and such a file is another one then.
  std::vector<std::string> words(argv, argv + argc);
  std::vector<const char*> pointers;
  for (std::string& word : words) {
    if (word.rfind('[', 0) == 0) word.insert(0, "./");
    pointers.push_back(word.c_str());
  }
  if (!apps::parse_command_line(app, argc, pointers.data())) return std::nullopt;
  if (std::count(result.inputs.begin(), result.inputs.end(), "-") > 1) {
    throw apps::user_error("input: standard input is named twice");
  }
  apps::refuse_same_files({{"--plot", result.plot}, {"--out", result.out}, {"--histogram", result.histogram}},
                          result.inputs);
  return result;
}

}  // namespace kmers
