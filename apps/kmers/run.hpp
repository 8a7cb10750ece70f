// SPDX-License-Identifier: Apache-2.0
// Counts on one backend, beside peers. The only door to the code that is compiled for the GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../common/backend.hpp"
#include "../common/comparison.hpp"
#include "sequence_text.hpp"
#include "tally.hpp"

namespace kmers {

struct counting {
  int k = 31;
  std::size_t part_bytes = 0;     // 0: what suits the backend
  std::size_t compare_bytes = 0;  // of the first part, to be counted by the peers, too; 0: none
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;
};

struct run_report {
  std::string backend;  // "cpu, 2 threads", "cuda, <name of the GPU>"
  tally found;
  std::uint64_t bytes = 0;  // of text
  std::uint64_t parts = 0;
  // Seconds: from the first part to the last count; of these, waiting for text, on the backend, merging.
  double seconds = 0, reading = 0, working = 0, merging = 0;
  std::vector<apps::comparison> rows;  // of the first part's first bytes
  std::uint64_t compared_bytes = 0;
};

// Counts the k-mers of `files`; `done` hears how many bytes of them, as they lie on the disk, have been counted. Throws
// apps::user_error for a file that is none of its format, and as apps::chosen_backend does.
run_report count_files(const std::vector<std::string>& files, const counting& how,
                       const std::function<void(std::uint64_t bytes)>& done);

// The same for one text.
run_report count_text(const sequence_text& text, const counting& how);

}  // namespace kmers
