// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <optional>
#include <string>

#include "../common/backend.hpp"
#include "filter.hpp"
#include "series.hpp"

namespace recurrence {

struct options {
  std::string input;           // a WAV file if it is named so, otherwise CSV; "-": standard input, either
  std::string column;          // of a CSV file
  std::optional<int> channel;  // of a WAV file; default: the first
  std::optional<double> rate;  // samples a second of a CSV file
  std::optional<double> ema;   // alpha; this or the next is there
  std::optional<pass> biquad;
  double frequency = 0;
  double q = 0.70710678118654757;
  std::string out = "recurrence.png";
  std::string write;  // a CSV or WAV file for the result; "-": CSV on standard output; empty: none
  int repeat = 5;     // calls timed in a row
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // 0: all cores
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

// The signal that `wanted` asks for, and the filter for it. Both throw apps::user_error.
series read_signal(const options& wanted);
filter make_filter(const options& wanted, const series& input);

// "lowpass 440 Hz, q 0.71"
std::string described(const options& wanted, const series& input);

}  // namespace recurrence
