// SPDX-License-Identifier: Apache-2.0
// Products and power iterations on each backend, against plain loops and known eigenvalues.
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/spmv/csr_matrix.hpp"
#include "../../../apps/spmv/run.hpp"
#include "support/test.hpp"

namespace {

using namespace spmv;

template <class Backend>
options on(const Backend&, int threads = 0) {
  options wanted;
  wanted.backend = Backend::on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu;
  wanted.threads = threads;
  wanted.repeat = 1;
  return wanted;
}

void nothing(int) {}

// Rows as long as length(row) says, with random columns and values.
template <class Length>
csr_matrix random_matrix(std::int32_t rows, std::int32_t columns, Length length) {
  std::mt19937 random(static_cast<unsigned>(rows + columns));
  std::uniform_real_distribution<double> value(-1, 1);
  coordinate_matrix from{rows, columns, "real general", {}};
  for (std::int32_t row = 0; row < rows; ++row) {
    for (int i = length(row); i > 0; --i) {
      from.entries.push_back(
          {row, static_cast<std::int32_t>(random() % static_cast<unsigned>(columns)), value(random)});
    }
  }
  return compressed(from);
}

template <class Backend>
void expect_right(const Backend& backend, const csr_matrix& matrix) {
  const std::vector<double> x = test_vector(static_cast<std::size_t>(matrix.columns));
  const run_report report = multiply_and_compare(matrix, x, on(backend), nothing);
  EXPECT_EQ(report.backend.rfind(Backend::on_device ? "cuda, " : "cpu, ", 0), 0U) << report.backend;
  EXPECT_TRUE(apps::all_agree(report.rows));
  EXPECT_GE(report.rows.size(), 1U);
  ASSERT_EQ(report.y.size(), static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < report.y.size(); ++row) {  // apart from the program's own check
    long double sum = 0, magnitude = 0;
    for (int k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const long double product = static_cast<long double>(matrix.value[static_cast<std::size_t>(k)]) *
                                  x[static_cast<std::size_t>(matrix.column[static_cast<std::size_t>(k)])];
      sum += product, magnitude += std::abs(product);
    }
    ASSERT_NEAR(report.y[row], static_cast<double>(sum), 1e-13 * static_cast<double>(magnitude)) << "row " << row;
  }
}

ONEPASS_TEST(spmv, rows_of_all_lengths) {
  expect_right(backend, random_matrix(1, 1, [](int) { return 1; }));
  expect_right(backend, random_matrix(3000, 2000, [](int row) { return row % 7; }));
  expect_right(backend, random_matrix(500, 3000, [](int row) { return 40000 / (row + 1); }));  // power law
  expect_right(backend, random_matrix(1, 100000, [](int) { return 200000; }));
  expect_right(backend, random_matrix(100000, 3, [](int) { return 1; }));
}

ONEPASS_TEST(spmv, empty_rows) {
  expect_right(backend, random_matrix(5, 4, [](int) { return 0; }));
  expect_right(backend, random_matrix(20000, 50, [](int row) { return row == 12345 ? 9 : 0; }));
  expect_right(backend, random_matrix(20000, 50, [](int row) { return row < 10000 ? 0 : 3; }));
  expect_right(backend, random_matrix(20000, 50, [](int row) { return row < 10000 ? 3 : 0; }));
}

ONEPASS_CPU_TEST(spmv, same_bits_with_any_number_of_threads) {
  const csr_matrix matrix = random_matrix(2000, 2000, [](int row) { return 300000 / (row + 1); });
  const std::vector<double> x = test_vector(2000);
  const std::vector<double> y = multiply_and_compare(matrix, x, on(backend, 1), nothing).y;
  EXPECT_EQ(multiply_and_compare(matrix, x, on(backend, 2), nothing).y, y);
  EXPECT_EQ(multiply_and_compare(matrix, x, on(backend, 7), nothing).y, y);
}

TEST(difference, finds_a_wrong_product) {
  const csr_matrix matrix = random_matrix(100, 100, [](int) { return 10; });
  const std::vector<double> x = test_vector(100), right = multiplied(matrix, x);
  EXPECT_TRUE(difference_of(matrix, x, right, right).rounding);
  EXPECT_EQ(difference_of(matrix, x, right, right).largest, 0);
  std::vector<double> wrong = right;
  wrong[99] += 1e-12;
  EXPECT_FALSE(difference_of(matrix, x, wrong, right).rounding);
  EXPECT_GT(difference_of(matrix, x, wrong, right).largest, 1e-14);
  wrong[99] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(difference_of(matrix, x, wrong, right).rounding);
  wrong = right;
  wrong.pop_back();
  EXPECT_FALSE(difference_of(matrix, x, wrong, right).rounding);
}

TEST(test_vector, is_always_the_same_and_in_its_range) {
  const std::vector<double> x = test_vector(1000);
  EXPECT_EQ(test_vector(1000), x);
  for (const double value : x) EXPECT_TRUE(value >= 0.5 && value < 1.5) << value;
  EXPECT_NE(x[0], x[1]);
}

csr_matrix matrix_of(std::int32_t size, const std::vector<entry>& entries) {
  return compressed({size, size, "real general", entries});
}

template <class Backend>
power_result power(const Backend& backend, const csr_matrix& matrix, int iterations) {
  options wanted = on(backend);
  wanted.iterations = iterations;
  int calls = 0;
  const power_result result =
      multiply_and_compare(matrix, test_vector(static_cast<std::size_t>(matrix.columns)), wanted, [&](int iteration) {
        EXPECT_EQ(iteration, ++calls);
      }).power;
  EXPECT_EQ(result.eigenvalues.size(), static_cast<std::size_t>(calls));
  EXPECT_EQ(result.residuals.size(), static_cast<std::size_t>(calls));
  return result;
}

ONEPASS_TEST(power_iteration, finds_known_eigenvalues) {
  power_result found = power(backend, matrix_of(3, {{0, 0, 1}, {1, 1, -5}, {2, 2, 2}}), 60);
  EXPECT_NEAR(found.eigenvalues.back(), -5, 1e-12);
  EXPECT_LT(found.residuals.back(), 1e-12);
  EXPECT_GT(found.residuals.front(), 1e-3);

  found = power(backend, matrix_of(2, {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}}), 40);
  EXPECT_NEAR(found.eigenvalues.back(), 3, 1e-12);

  // A path's second differences: eigenvalues 2 - 2 cos(k pi / (n + 1)).
  std::vector<entry> path;
  const std::int32_t n = 20;
  for (std::int32_t i = 0; i < n; ++i) {
    path.push_back({i, i, 2});
    if (i > 0) path.push_back({i, i - 1, -1});
    if (i + 1 < n) path.push_back({i, i + 1, -1});
  }
  found = power(backend, matrix_of(n, path), 3000);
  EXPECT_NEAR(found.eigenvalues.back(), 2 - 2 * std::cos(n * std::acos(-1.0) / (n + 1)), 1e-10);
  EXPECT_LT(found.residuals.back(), 1e-8);
}

// Values whose squares are too small or too large for a double.
ONEPASS_TEST(power_iteration, takes_small_and_large_values) {
  for (const double size : {1e-200, 1e-310, 1e200, 1e300}) {
    SCOPED_TRACE(size);
    const power_result found = power(backend, matrix_of(2, {{0, 0, size}, {1, 1, size / -4}}), 40);
    EXPECT_FALSE(found.vanished);
    EXPECT_NEAR(found.eigenvalues.back() / size, 1, 1e-9);
    EXPECT_LT(found.residuals.back(), 1e-9);
  }
}

ONEPASS_TEST(power_iteration, ends_where_there_is_no_direction) {
  const power_result nilpotent = power(backend, matrix_of(3, {{0, 1, 1}, {1, 2, 1}}), 10);
  EXPECT_TRUE(nilpotent.vanished);
  EXPECT_EQ(nilpotent.eigenvalues.size(), 2U);
  EXPECT_TRUE(power(backend, matrix_of(4, {}), 10).vanished);
  const power_result turning = power(backend, matrix_of(2, {{0, 1, -1}, {1, 0, 1}}), 10);  // by a right angle
  EXPECT_FALSE(turning.vanished);
  EXPECT_NEAR(turning.residuals.back(), 1, 1e-12);
}

ONEPASS_TEST(power_iteration, values_too_large) {
  EXPECT_THROW(power(backend, matrix_of(2, {{0, 0, 1.7e308}, {0, 1, 1.7e308}}), 3), apps::user_error);
}

}  // namespace
