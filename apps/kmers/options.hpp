// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../common/backend.hpp"

namespace kmers {

struct options {
  std::vector<std::string> inputs;  // FASTA or FASTQ files; "-": standard input
  int k = 31;
  std::string out;        // a file for the counts; empty: none
  std::string histogram;  // a file for the abundances; empty: none
  std::string plot = "kmers.png";
  std::uint64_t top = 5;      // how many of the most frequent k-mers are told
  std::uint64_t part = 0;     // MiB that are counted at once; 0: 64 on the CPU, 256 on a GPU
  std::uint64_t compare = 8;  // MiB of the first part that are counted by the peers, too; 0: none
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace kmers
