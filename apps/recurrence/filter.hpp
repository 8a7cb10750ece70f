// SPDX-License-Identifier: Apache-2.0
// The linear recurrences that the program runs, and the serial loops that scans of them are checked against.
// Source of the biquad's coefficients: R. Bristow-Johnson, "Cookbook formulae for audio equalizer biquad filter
// coefficients".
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace recurrence {

// y[i] = (1 - alpha) y[i-1] + alpha x[i], from y[0] = x[0] on.
struct moving_average {
  double alpha;
};

// y[i] = b0 x[i] + b1 x[i-1] + b2 x[i-2] - a1 y[i-1] - a2 y[i-2], all 0 before the first.
struct biquad {
  double b0, b1, b2, a1, a2;
};

using filter = std::variant<moving_average, biquad>;

enum class pass { low, high };

// Passes what is below or above `frequency`, in cycles a sample, more than 0 and less than a half. q > 0: 1 / sqrt(2) has
// the flattest pass band, more a peak at `frequency`.
biquad make_biquad(pass which, double frequency, double q);

// Into y, which is as long as x.
void serial(const moving_average& filter, const std::vector<double>& x, std::vector<double>& y);
void serial(const biquad& filter, const std::vector<double>& x, std::vector<double>& y);
void serial(const filter& any, const std::vector<double>& x, std::vector<double>& y);

template <class Filter>
std::vector<double> serial(const Filter& filter, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  serial(filter, x, y);
  return y;
}

// How much n steps of the recurrence can make of an error of 1 in each of them: the sum of the magnitudes of what an
// impulse in y becomes.
double error_gain(const moving_average& filter, std::int64_t n);
double error_gain(const biquad& filter, std::int64_t n);
double error_gain(const filter& any, std::int64_t n);

// How far a result is from the serial loop's.
struct deviation {
  double largest = 0;    // relative to the largest magnitude of x
  bool rounding = true;  // no more than rounding in every step can make of it
};
deviation deviation_of(const filter& any, const std::vector<double>& x, const std::vector<double>& y,
                       const std::vector<double>& expected);

}  // namespace recurrence
