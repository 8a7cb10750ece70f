// SPDX-License-Identifier: Apache-2.0
// Tables from Parquet files, where this build has Arrow's C++ library. No other file of this program knows of Arrow.
#pragma once

#include <string>
#include <string_view>

#include "table.hpp"

namespace query {

// Whether the bytes begin as a Parquet file does.
inline bool is_parquet(std::string_view bytes) { return bytes.substr(0, 4) == "PAR1"; }

// Whether this build has what read_parquet needs.
bool reads_parquet();

// A table from a Parquet file. The file says each column's type: whole numbers are integers, or reals where one does not fit;
// floating-point numbers and decimals with a fraction are reals; strings, truth values ("true"), dates ("2024-02-29"),
// times of day and timestamps ("2024-02-29 12:30:05.25") are texts. Nulls and NaN are missing. A field of a structure is a
// column "outer.inner". Throws apps::user_error, naming the file, for what is broken, for columns of lists and of types that
// are none of these, and where this build can't read it.
table read_parquet(std::string_view bytes, const std::string& file);

// A table from a file of either kind.
inline table read_any_table(std::string_view bytes, const std::string& file) {
  return is_parquet(bytes) ? read_parquet(bytes, file) : read_table(bytes, file);
}

}  // namespace query
