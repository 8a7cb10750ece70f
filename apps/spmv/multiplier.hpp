// SPDX-License-Identifier: Apache-2.0
// A sparse matrix on a backend, and its product with a vector: a segmented sum of the products, made while they are read,
// with the rows as segments. Balanced whatever the rows are, empty ones too. For an entry 12 bytes of the matrix and 8 of x
// are read; for a row 4 are read and 8 written.
// Source: Blelloch, "Prefix Sums and Their Applications" (1990), section 1.5.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <onepass/segmented_reduce.hpp>

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
        value_(matrix.value.begin(), matrix.value.end()) {}

  // y = A x. On a GPU it does not wait.
  void multiply(const vector& x, vector& y) {
    if (value_.empty()) return y.assign(static_cast<std::size_t>(rows_), 0.0);  // nothing to scan
    const std::int32_t* offsets = apps::pointer_to(offsets_);
    const auto products = thrust::make_transform_iterator(
        thrust::counting_iterator<std::int32_t>(0),
        product_at{apps::pointer_to(value_), apps::pointer_to(column_), apps::pointer_to(x)});
    const auto entries = static_cast<std::int64_t>(value_.size());
    onepass::segmented_reduce(backend_.policy(), products, products + entries,
                              onepass::offsets(offsets, offsets + rows_ + 1), apps::pointer_to(y), 0.0, onepass::sum{});
  }

  const indices& offsets() const { return offsets_; }
  const indices& column() const { return column_; }
  const vector& value() const { return value_; }

 private:
  const Backend& backend_;
  std::int32_t rows_;
  indices offsets_, column_;
  vector value_;
};

}  // namespace spmv
