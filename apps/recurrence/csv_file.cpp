// SPDX-License-Identifier: Apache-2.0
// CSV files: takes one column, writes two.
#include <cmath>
#include <optional>
#include <utility>

#include "../common/csv_rows.hpp"
#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "series.hpp"

namespace recurrence {
namespace {

std::string names_of(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : ", ") + apps::printable(field);
  return apps::formatted("%.200s", text.c_str());
}

// Which of `first`, the first row, `column` asks for.
std::size_t column_index(const std::vector<std::string>& first, const std::string& file, const std::string& column) {
  if (column.empty()) {
    if (first.size() == 1) return 0;
    throw apps::user_error(file + ": has several columns, pick one with --column: " + names_of(first));
  }
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (apps::trimmed(first[i]) != column || apps::number_in(column)) continue;  // numbers aren't names
    if (found) throw apps::user_error(file + ": line 1: two columns are named " + apps::printable(column));
    found = i;
  }
  if (found) return *found;
  const std::optional<double> number = apps::number_in(column);
  if (number && *number >= 1 && *number <= static_cast<double>(first.size()) && *number == std::floor(*number)) {
    return static_cast<std::size_t>(*number) - 1;
  }
  throw apps::user_error("--column: " + file + " has no column " + apps::printable(column) + ", but " +
                         names_of(first));
}

}  // namespace

series parse_csv(std::string_view text, const std::string& file, const std::string& column) {
  apps::csv_rows rows(text, file);
  std::vector<std::string> first, fields;
  if (!rows.next(first)) throw apps::user_error(file + ": is empty");
  const std::size_t index = column_index(first, file, column);
  const auto value_of = [&](const std::string& field) {
    const std::optional<double> number = apps::number_in(apps::trimmed(field));
    if (!number || !std::isfinite(*number)) {
      rows.fail(rows.line(), "\"" + apps::printable(field) + "\" in column " + std::to_string(index + 1) +
                                 (number ? " is not a finite number" : " is no number"));
    }
    return *number;
  };

  series result;
  const std::string_view head = apps::trimmed(first[index]);
  if (apps::number_in(head)) {
    result.name = "column " + std::to_string(index + 1);
    result.values.push_back(value_of(first[index]));
  } else {
    result.name = "column " + apps::printable(head);
  }
  apps::progress_bar progress("reading byte", text.size());
  while (rows.next(fields)) {
    progress.show(rows.position());
    if (fields.size() != first.size()) {
      rows.fail(rows.line(),
                std::to_string(fields.size()) + " fields, where the first row has " + std::to_string(first.size()));
    }
    result.values.push_back(value_of(fields[index]));
  }
  if (result.values.empty()) throw apps::user_error(file + ": holds no values");
  return result;
}

void write_csv(const std::string& file, const std::string& name, const std::vector<double>& input,
               const std::vector<double>& output) {
  apps::progress_bar progress("writing row", output.size());
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  text += "\",filtered\n";
  for (std::size_t i = 0; i < output.size(); ++i) {
    text += apps::formatted("%.17g,%.17g\n", input[i], output[i]);
    progress.show(i);
  }
  apps::write_whole(file, text);
}

std::string extension_of(const std::string& file) {
  const std::size_t dot = file.find_last_of("./");
  if (dot == std::string::npos || file[dot] == '/') return {};
  std::string result = file.substr(dot + 1);
  for (char& c : result) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return result;
}

}  // namespace recurrence
