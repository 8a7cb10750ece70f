// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of columns: dense arrays of rows side by side, in which item i + width is the next item of item
// i's column. Neighbouring columns are neighbours in memory, so that loads are coalesced and nothing is transposed.
// Bytes moved: each item is read once; a scan writes each result once, a reduction one a column.
#pragma once

#include <cuda/std/optional>

#include <onepass/segments.hpp>
#include "../scan/source.hpp"

namespace onepass::detail {

// What a call makes of a column.
enum class column_result { inclusive, exclusive, total };

// Arrays of `height` rows of `width` items each, one behind another, up to item n.
struct column_shape {
  index_t width, height, n;

  ONEPASS_HOST_DEVICE index_t array_items() const { return width * height; }
  ONEPASS_HOST_DEVICE index_t arrays() const { return divide_up(n, array_items()); }
  // The rows of the longest column.
  ONEPASS_HOST_DEVICE index_t most_rows() const {
    const index_t all = divide_up(n, width);
    return all < height ? all : height;
  }
  // How many items a column has from item i, one of its own, on, and no more than `most`.
  ONEPASS_HOST_DEVICE index_t rows_from(index_t i, index_t most) const {
    if (i + (most - 1) * width < n) return most;
    return i < n ? (n - 1 - i) / width + 1 : 0;
  }
  // A column is there if it has an item.
  ONEPASS_HOST_DEVICE index_t columns() const {
    const index_t rest = n % array_items();
    return n / array_items() * width + (rest < width ? rest : width);
  }
};

// The job. `initial` precedes the first item of each column; an inclusive scan has none.
template <class Source, class Out, class Op, column_result result_>
struct column_job {
  using value_type = typename Source::value_type;
  static constexpr column_result result = result_;

  Source source;
  Out out;
  Op op;
  ::cuda::std::optional<value_type> initial;
  column_shape shape;
};

}  // namespace onepass::detail
