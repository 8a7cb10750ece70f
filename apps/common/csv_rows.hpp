// SPDX-License-Identifier: Apache-2.0
// CSV as RFC 4180 has it: rows of fields between commas, in quotes where a field holds a comma, a quote (twice) or a line end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

class csv_rows {
 public:
  // A byte order mark is left out. Both must live as long as this does; `file` is what errors name.
  csv_rows(std::string_view text, const std::string& file);

  // Throws user_error, naming file and line.
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const;

  // The next row that isn't an empty line; false at the end. Throws user_error where a quote has no end, or text behind it.
  bool next(std::vector<std::string>& fields);

  bool in_quotes(std::size_t field) const { return in_quotes_[field]; }  // of that row
  std::int64_t line() const { return line_; }                            // where the row begins
  std::size_t position() const { return position_; }

 private:
  void end_line();
  std::string plain_field();
  std::string quoted_field();

  std::string_view text_;
  const std::string& file_;
  std::vector<bool> in_quotes_;
  std::size_t position_ = 0;
  std::int64_t line_ = 1, next_line_ = 1;
};

// `text` as a field that is read as it was: in quotes where that is needed, or asked for.
std::string csv_field(std::string_view text, bool in_quotes = false);

// Without the blanks and tabs around it.
std::string_view trimmed(std::string_view field);

}  // namespace apps
