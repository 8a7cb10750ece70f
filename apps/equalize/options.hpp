// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <optional>
#include <string>

#include "../common/backend.hpp"

namespace equalize {

struct options {
  std::string input;  // a PNG file; "-": standard input
  std::string out = "equalized.png";
  std::string plot;           // a PNG file for both pictures with their histograms; empty: none
  std::string sparse;         // a file for the pixels that are not black; empty: none
  int columns = 1, rows = 1;  // of tiles
  double clip = 0;            // 0: no limit
  int repeat = 1;             // runs timed in a row
  bool compare = true;        // stages with their peers
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace equalize
