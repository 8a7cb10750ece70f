// SPDX-License-Identifier: Apache-2.0
// Filters as scans on each backend, against the serial loops; and the serial loops against what is known of the filters.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../../apps/common/backend.hpp"
#include "../../../apps/recurrence/filter.hpp"
#include "../../../apps/recurrence/run.hpp"
#include "support/test.hpp"

namespace {

using namespace recurrence;

std::vector<double> noise(std::size_t n, double offset = 0) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& value : x) value = offset + normal(random);
  return x;
}

template <class Backend>
run_report run(const Backend&, const filter& any, const std::vector<double>& x, int threads = 0) {
  return filter_and_compare(any, x, Backend::on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu, threads,
                            1);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    most = apart <= most ? most : apart;  // NaN stays
  }
  return most;
}

ONEPASS_TEST(recurrence_scan, moving_average_like_the_serial_loop) {
  for (const std::size_t n : {1, 2, 31, 1000, 100003}) {
    const std::vector<double> x = noise(n, 3);
    for (const double alpha : {1.0, 0.5, 0.01, 1e-6}) {
      const run_report report = run(backend, moving_average{alpha}, x);
      EXPECT_LT(largest_difference(report.y, serial(moving_average{alpha}, x)), 1e-11) << n << " " << alpha;
      EXPECT_TRUE(report.row.agree) << n << " " << alpha << " " << report.row.remark;
    }
  }
}

ONEPASS_TEST(recurrence_scan, biquad_like_the_serial_loop) {
  for (const std::size_t n : {1, 2, 3, 33, 1000, 100003}) {
    const std::vector<double> x = noise(n);
    for (const pass which : {pass::low, pass::high}) {
      for (const double frequency : {0.001, 0.1, 0.25, 0.49}) {
        const biquad f = make_biquad(which, frequency, 0.7);
        const run_report report = run(backend, f, x);
        EXPECT_LT(largest_difference(report.y, serial(f, x)), 1e-10) << n << " " << frequency;
        EXPECT_TRUE(report.row.agree) << n << " " << frequency << " " << report.row.remark;
      }
    }
  }
}

// Poles close to 1 and to -1, where rounding counts most; and real poles.
ONEPASS_TEST(recurrence_scan, hard_filters_keep_their_digits) {
  const std::vector<double> x = noise(50000, 100);
  for (const double frequency : {1e-5, 1e-4, 0.4999, 0.49999}) {
    for (const double q : {0.1, 0.5, 20.0}) {
      for (const pass which : {pass::low, pass::high}) {
        const run_report report = run(backend, make_biquad(which, frequency, q), x);
        EXPECT_TRUE(report.row.agree) << frequency << " " << q << " " << report.row.remark;
        EXPECT_LT(largest_difference(report.y, serial(make_biquad(which, frequency, q), x)), 1e-4);
      }
    }
  }
}

ONEPASS_CPU_TEST(recurrence_scan, same_bits_with_any_number_of_threads) {
  const std::vector<double> x = noise(300000);
  for (const filter& any : {filter(moving_average{0.01}), filter(make_biquad(pass::low, 0.01, 2))}) {
    const std::vector<double> y = run(backend, any, x, 1).y;
    EXPECT_EQ(run(backend, any, x, 2).y, y);
    EXPECT_EQ(run(backend, any, x, 5).y, y);
  }
}

TEST(deviation, finds_a_wrong_result) {
  const std::vector<double> x = noise(1000);
  for (const filter& any : {filter(moving_average{0.1}), filter(make_biquad(pass::high, 0.1, 1))}) {
    const std::vector<double> right = serial(any, x);
    EXPECT_TRUE(deviation_of(any, x, right, right).rounding);
    EXPECT_EQ(deviation_of(any, x, right, right).largest, 0);
    for (const double wrong_by : {1e-9, std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> wrong = right;
      wrong[700] += wrong_by;
      EXPECT_FALSE(deviation_of(any, x, wrong, right).rounding) << wrong_by;
    }
    EXPECT_FALSE(deviation_of(any, x, {}, right).rounding);
  }
}

TEST(serial, moving_average_of_known_signals) {
  EXPECT_EQ(serial(moving_average{0.5}, {8, 0, 0, 4}), (std::vector<double>{8, 4, 2, 3}));
  EXPECT_EQ(serial(moving_average{1}, {8, 0, 3}), (std::vector<double>{8, 0, 3}));
  EXPECT_TRUE(serial(moving_average{0.5}, {}).empty());
  EXPECT_EQ(serial(moving_average{0.125}, std::vector<double>(50, 7)), std::vector<double>(50, 7));  // starts settled
}

TEST(serial, biquad_is_the_recurrence_that_it_says) {
  const biquad f{1, 2, 3, -0.5, 0.25};
  EXPECT_EQ(serial(f, {1, 0, 0, 0}), (std::vector<double>{1, 2.5, 4, 1.375}));
}

// How much of a wave of `frequency` is left, once the filter has settled.
double response(const filter& any, double frequency) {
  std::vector<double> wave(20000);
  for (std::size_t i = 0; i < wave.size(); ++i) {
    wave[i] = std::sin(2 * std::acos(-1.0) * frequency * static_cast<double>(i) + 0.3);
  }
  const std::vector<double> y = serial(any, wave);
  double squares = 0;  // of whole waves, as they are tried below
  for (std::size_t i = 10000; i < y.size(); ++i) squares += y[i] * y[i];
  return std::sqrt(2 * squares / 10000);
}

TEST(serial, biquads_pass_what_they_should) {
  for (const double frequency : {0.01, 0.1, 0.3}) {
    for (const double q : {0.5, std::sqrt(0.5), 4.0}) {
      const filter low = make_biquad(pass::low, frequency, q), high = make_biquad(pass::high, frequency, q);
      EXPECT_NEAR(response(low, frequency), q, 0.01 * q);  // the cookbook's promise: the gain is q at the frequency
      EXPECT_NEAR(response(high, frequency), q, 0.01 * q);
      EXPECT_NEAR(response(low, frequency / 50), 1, 0.01);
      EXPECT_LT(response(high, frequency / 50), 0.01);
    }
  }
  EXPECT_LT(response(make_biquad(pass::low, 0.01, 0.7), 0.4), 0.001);
  EXPECT_NEAR(response(make_biquad(pass::high, 0.01, 0.7), 0.4), 1, 0.01);
}

TEST(error_gain, sums_an_impulse) {
  EXPECT_EQ(error_gain(moving_average{0.25}, 1000), 4);
  EXPECT_EQ(error_gain(moving_average{1e-9}, 1000), 1000);
  EXPECT_NEAR(error_gain(biquad{1, 0, 0, -0.5, 0}, 1000), 2, 1e-12);
  EXPECT_NEAR(error_gain(biquad{1, 0, 0, 0.5, 0}, 1000), 2, 1e-12);
  EXPECT_EQ(error_gain(biquad{1, 0, 0, -1, 0}, 7), 7);
}

}  // namespace
