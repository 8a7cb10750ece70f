// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../common/backend.hpp"
#include "plan.hpp"

namespace query {

struct options {
  std::string input;           // a CSV or Parquet file; "-": standard input; empty: a generated table
  std::uint64_t generate = 0;  // rows
  std::uint64_t seed = 1;
  question asked;
  std::string out;                  // a file for the result; empty: none
  std::uint64_t compare = 1000000;  // rows of a table that peers get, too
  std::uint64_t repeats = 3;
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace query
