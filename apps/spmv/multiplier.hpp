// SPDX-License-Identifier: Apache-2.0
// A sparse matrix on a backend, and its product with a vector in two steps: a segmented scan of the products, made on
// the fly, with the rows as segments; then each row's last sum is its result. Balanced whatever the rows are, empty ones
// too. For an entry 12 bytes of the matrix and 8 of x are read, and 8 are written; for a row 12 are read and 8 written.
// Source: Blelloch, "Prefix Sums and Their Applications" (1990), section 1.5.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <onepass/segmented_scan.hpp>

#include <cstdint>
#include <vector>

#include "../common/vectors.hpp"
#include "csr_matrix.hpp"

namespace spmv {

struct product_at {
  const double* value;
  const std::int32_t* column;
  const double* x;
  ONEPASS_HOST_DEVICE double operator()(std::int32_t k) const { return value[k] * x[column[k]]; }
};

struct take_row_sum {
  const std::int32_t* offsets;
  const double* sums;  // running ones, within each row
  double* y;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t row) const {
    const std::int32_t end = offsets[row + 1];
    y[row] = offsets[row] < end ? sums[end - 1] : 0;
  }
};

template <class Backend>
class multiplier {
 public:
  using vector = typename Backend::template vector<double>;
  using indices = typename Backend::template vector<std::int32_t>;

  multiplier(const Backend& backend, const csr_matrix& matrix)
      : backend_(backend),
        rows_(matrix.rows),
        offsets_(matrix.offsets.begin(), matrix.offsets.end()),
        column_(matrix.column.begin(), matrix.column.end()),
        value_(matrix.value.begin(), matrix.value.end()),
        sums_(matrix.value.size()) {}

  // y = A x. On a GPU it does not wait.
  void multiply(const vector& x, vector& y) {
    const std::int32_t* offsets = apps::pointer_to(offsets_);
    const auto products = thrust::make_transform_iterator(
        thrust::counting_iterator<std::int32_t>(0),
        product_at{apps::pointer_to(value_), apps::pointer_to(column_), apps::pointer_to(x)});
    const auto entries = static_cast<std::int64_t>(sums_.size());
    onepass::inclusive_segmented_scan(backend_.policy(), products, products + entries,
                                      onepass::offsets(offsets, offsets + rows_ + 1), apps::pointer_to(sums_));
    backend_.for_each(rows_, take_row_sum{offsets, apps::pointer_to(sums_), apps::pointer_to(y)}, least_rows);
  }

  const indices& offsets() const { return offsets_; }
  const indices& column() const { return column_; }
  const vector& value() const { return value_; }

 private:
  static constexpr std::int64_t least_rows = 65536;  // for a thread of the CPU's to pay for its start

  const Backend& backend_;
  std::int32_t rows_;
  indices offsets_, column_;
  vector value_, sums_;
};

}  // namespace spmv
