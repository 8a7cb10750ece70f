// SPDX-License-Identifier: Apache-2.0
// Sorts entries into rows, and multiplies plainly.
#include "csr_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace spmv {
namespace {

// By row, in the same order within a row.
std::vector<entry> by_rows(const coordinate_matrix& matrix) {
  std::vector<std::size_t> next(static_cast<std::size_t>(matrix.rows) + 1, 0);
  for (const entry& e : matrix.entries) ++next[static_cast<std::size_t>(e.row) + 1];
  for (std::size_t row = 1; row < next.size(); ++row) next[row] += next[row - 1];
  std::vector<entry> sorted(matrix.entries.size());
  for (const entry& e : matrix.entries) sorted[next[static_cast<std::size_t>(e.row)]++] = e;
  return sorted;
}

}  // namespace

csr_matrix compressed(const coordinate_matrix& matrix) {
  std::vector<entry> entries = by_rows(matrix);
  csr_matrix result{matrix.rows, matrix.columns, {0}, {}, {}};
  result.offsets.reserve(static_cast<std::size_t>(matrix.rows) + 1);
  result.column.reserve(entries.size());
  result.value.reserve(entries.size());
  auto first = entries.begin();
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    auto last = first;
    while (last != entries.end() && last->row == row) ++last;
    std::stable_sort(first, last, [](const entry& a, const entry& b) { return a.column < b.column; });
    const std::size_t row_begin = result.column.size();
    for (; first != last; ++first) {
      if (result.column.size() > row_begin && result.column.back() == first->column) {
        result.value.back() += first->value;
      } else {
        result.column.push_back(first->column);
        result.value.push_back(first->value);
      }
    }
    result.offsets.push_back(static_cast<std::int32_t>(result.column.size()));
  }
  return result;
}

void multiply(const csr_matrix& matrix, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(matrix.offsets[row]); k < static_cast<std::size_t>(matrix.offsets[row + 1]);
         ++k) {
      sum += matrix.value[k] * x[static_cast<std::size_t>(matrix.column[k])];
    }
    y[row] = sum;
  }
}

std::vector<double> multiplied(const csr_matrix& matrix, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows));
  multiply(matrix, x, y);
  return y;
}

product_difference difference_of(const csr_matrix& matrix, const std::vector<double>& x, const std::vector<double>& y,
                                 const std::vector<double>& expected) {
  product_difference result;
  result.rounding = y.size() == expected.size();
  for (std::size_t row = 0; row < expected.size() && result.rounding; ++row) {
    const auto begin = static_cast<std::size_t>(matrix.offsets[row]),
               end = static_cast<std::size_t>(matrix.offsets[row + 1]);
    double magnitude = 0;
    for (std::size_t k = begin; k < end; ++k) {
      magnitude += std::abs(matrix.value[k] * x[static_cast<std::size_t>(matrix.column[k])]);
    }
    if (!std::isfinite(magnitude)) continue;  // the order decides whether a sum overflows
    // Each product and each addition rounds by half an epsilon of at most `magnitude`, in both sums.
    const double bound = static_cast<double>(end - begin) * std::numeric_limits<double>::epsilon() * magnitude;
    const double apart = std::abs(y[row] - expected[row]);
    if (!(apart <= bound)) result.rounding = false;
    if (magnitude > 0) result.largest = std::max(result.largest, apart / magnitude);
  }
  return result;
}

}  // namespace spmv
