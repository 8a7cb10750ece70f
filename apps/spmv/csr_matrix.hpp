// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows, and the plain loop that results are checked against.
#pragma once

#include <cstdint>
#include <vector>

#include "matrix_market.hpp"

namespace spmv {

// Row r's entries are those from offsets[r] to before offsets[r + 1], by rising column, none twice.
struct csr_matrix {
  std::int32_t rows = 0, columns = 0;
  std::vector<std::int32_t> offsets;  // rows + 1
  std::vector<std::int32_t> column;
  std::vector<double> value;
};

// Duplicates are added up in the order in which they stand.
csr_matrix compressed(const coordinate_matrix& matrix);

// y = A x, row by row from left to right; y has as many values as the matrix has rows.
void multiply(const csr_matrix& matrix, const std::vector<double>& x, std::vector<double>& y);
std::vector<double> multiplied(const csr_matrix& matrix, const std::vector<double>& x);

// How far two products of the same matrix and x are apart.
struct product_difference {
  double largest = 0;    // of any row, relative to the sum of its products' magnitudes
  bool rounding = true;  // no row differs by more than two sums of its products in any two orders can
};
product_difference difference_of(const csr_matrix& matrix, const std::vector<double>& x, const std::vector<double>& y,
                                 const std::vector<double>& expected);

}  // namespace spmv
