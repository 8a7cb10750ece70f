// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <optional>
#include <string>

#include "../common/backend.hpp"

namespace spmv {

struct options {
  std::string input;   // a Matrix Market file; "-": standard input
  int iterations = 0;  // of the power iteration; 0: none
  std::string out = "spmv_convergence.png";
  int repeat = 20;  // calls timed in a row
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace spmv
