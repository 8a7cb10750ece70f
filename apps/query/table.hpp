// SPDX-License-Identifier: Apache-2.0
// A table of named columns in the host's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "values.hpp"

namespace query {

// One of the three arrays is filled, that of its type.
struct column {
  std::string name;
  column_type type = column_type::integer;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::uint32_t> texts;  // indices of `words`
  std::vector<std::string> words;    // sorted by bytes, each once

  std::size_t size() const;
  column_view view() const;
  std::string as_text(std::size_t row) const;  // as a CSV file has it; "" where it is missing
};

// The least and the greatest code of a column's values, low > high where all are missing; and whether one is missing.
struct code_range {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  bool missing = false;
};
code_range range_of(const column& values);

struct table {
  std::vector<column> columns;  // of one size
  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
};

constexpr std::size_t most_rows = 0xFFFFFFF0;  // rows are numbered by 32 bits

// The index of the column of that name. Throws apps::user_error, naming `option` and all names, where there is none.
std::size_t column_index(const table& from, const std::string& name, const std::string& option);

// The whole number of 64 bits that all of `word` is; nothing where it is none, or the one that stands for a missing value.
std::optional<std::int64_t> integer_in(std::string_view word);

// A table from a CSV file, whose first row names the columns. A column is of integers if all its fields are whole numbers of 64
// bits, of reals if all are finite numbers, else of texts. Empty fields, and NA, NaN or null in any case, are missing; in a
// column of texts only where they are not in quotes. Throws apps::user_error, naming file and line, for what is no such table.
table read_table(std::string_view text, const std::string& file);

// Numbers have the shortest digits that give the same number, and texts that would be missing are in quotes. Read again, texts
// have lost the blanks around them, and types may differ, as a CSV file says none. Reals that are all whole become integers, and
// reals of which one is infinite become texts. Texts become numbers where all are numbers, but for those that stand for a missing
// value, which are then missing. Otherwise the values are the same.
std::string as_csv(const table& what);

// The first `rows` rows as aligned columns for a terminal.
std::string as_lines(const table& what, std::size_t rows);

// A table of taxi rides with random values that depend on row and seed alone: zone and payment (texts), passengers (integers),
// distance, fare and tip (reals; one tip in 16 is missing).
table generated_table(std::size_t rows, std::uint64_t seed);

}  // namespace query
