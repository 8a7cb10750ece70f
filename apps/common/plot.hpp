// SPDX-License-Identifier: Apache-2.0
// A plot of curves over equally spaced places, as a PNG file.
#pragma once

#include <string>
#include <vector>

namespace apps {

struct curve {
  std::string name;
  std::vector<double> values;  // values that aren't finite leave a gap; so do those <= 0 on a logarithmic axis
};

struct plot {
  std::string title;
  std::string x_name;
  double x_begin = 0;  // of each curve's first value
  double x_step = 1;
  bool logarithmic = false;   // the vertical axis
  std::vector<curve> curves;  // later ones are drawn over earlier ones; at most four
};

// The ticks of an axis from `low` to `high`: about `wanted` of them, at round numbers. Logarithmic: low > 0, and the ticks
// are powers of ten.
std::vector<double> ticks_of(double low, double high, int wanted, bool logarithmic);

// What is written at ticks: with at least so many digits, and as many as tell each from its neighbours.
std::vector<std::string> labels_of(const std::vector<double>& ticks, int least_digits);

// Draws it as a PNG of 1200 x 700 pixels; a curve of more values than that shows their extent in each column. Throws
// user_error where the file can't be written.
void write_plot(const std::string& file, const plot& what);

}  // namespace apps
