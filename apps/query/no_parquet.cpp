// SPDX-License-Identifier: Apache-2.0
// What stands for parquet_file.cpp in a build without Arrow.
#include "../common/user_error.hpp"
#include "parquet_file.hpp"

namespace query {

bool reads_parquet() { return false; }

table read_parquet(std::string_view, const std::string& file) {
  throw apps::user_error(file +
                         ": is a Parquet file, and this build, made without Arrow's C++ library, does not read these");
}

}  // namespace query
