// SPDX-License-Identifier: Apache-2.0
// Reads sparse matrices from Matrix Market files: coordinate format; real, integer or pattern; general, symmetric or
// skew-symmetric. Format: https://math.nist.gov/MatrixMarket/formats.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spmv {

struct entry {
  std::int32_t row, column;  // from 0
  double value;              // 1 in a pattern
};

struct coordinate_matrix {
  std::int32_t rows = 0, columns = 0;
  std::string kind;            // "real symmetric"
  std::vector<entry> entries;  // in the file's order, each mirrored one behind its own; duplicates are still there
};

// Throws apps::user_error, naming `file` and the line, for anything that is not such a file, for values that are not finite
// numbers (nan, inf, 1e999), and for more rows or columns than a million and 16 for each entry: memory stays in proportion
// to the file. read_matrix_market("-") reads standard input.
coordinate_matrix parse_matrix_market(std::string_view text, const std::string& file);
coordinate_matrix read_matrix_market(const std::string& file);

}  // namespace spmv
