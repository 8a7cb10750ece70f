// SPDX-License-Identifier: Apache-2.0
// The series of values that is filtered, and the files that it comes from and goes to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace recurrence {

struct series {
  std::vector<double> values;
  std::string name;  // "column carat", "channel 1"
  double rate = 0;   // samples a second; 0: the file doesn't say
};

// One column of a CSV file (RFC 4180: commas, quotes, any line ends). `column` is a name from the first row or a number
// from 1; empty: the only one. The first row holds names unless its value of that column is a number. Throws
// apps::user_error, naming the file and the line, for anything but finite numbers in that column, for rows of different
// lengths, and for a column that isn't there.
series parse_csv(std::string_view text, const std::string& file, const std::string& column);

// One channel, from 1, of a WAV file; PCM is scaled to -1 to 1. Throws apps::user_error, naming the file, and the sample for
// anything but finite numbers.
series parse_wav(std::string_view bytes, const std::string& file, int channel);

// Whether the bytes begin as those of a WAV file do.
bool is_wav(std::string_view bytes);

// Both write the file as apps::write_whole does, and throw apps::user_error.
void write_csv(const std::string& file, const std::string& name, const std::vector<double>& input,
               const std::vector<double>& output);
void write_wav(const std::string& file, const std::vector<double>& output, double rate);  // 32-bit floats

// "wav" of "a/B.WAV".
std::string extension_of(const std::string& file);

}  // namespace recurrence
