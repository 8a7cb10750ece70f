// SPDX-License-Identifier: Apache-2.0
// CSV files: splits text into rows of fields and takes one column; writes two.
#include <cmath>
#include <optional>
#include <utility>

#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "series.hpp"

namespace recurrence {
namespace {

class csv_rows {
 public:
  csv_rows(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);  // a byte order mark
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw apps::user_error(file_ + ": line " + std::to_string(line) + ": " + what);
  }

  // The next row that isn't an empty line; false at the end. line() is where it begins.
  bool next(std::vector<std::string>& fields) {
    while (position_ < text_.size() && (text_[position_] == '\n' || text_[position_] == '\r')) end_line();
    line_ = next_line_;
    fields.clear();
    if (position_ >= text_.size()) return false;
    for (;;) {
      fields.push_back(position_ < text_.size() && text_[position_] == '"' ? quoted_field() : plain_field());
      if (position_ >= text_.size()) return true;
      if (text_[position_] != ',') break;
      ++position_;
    }
    end_line();
    return true;
  }

  int line() const { return line_; }
  std::size_t position() const { return position_; }

 private:
  // \n, \r\n or \r.
  void end_line() {
    if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') ++position_;
    ++position_;
    ++next_line_;
  }

  std::string plain_field() {
    const std::size_t begin = position_;
    position_ = std::min(text_.find_first_of(",\r\n", position_), text_.size());
    return std::string(text_.substr(begin, position_ - begin));
  }

  // "" in it stands for a quote; line ends may be in it.
  std::string quoted_field() {
    std::string field;
    for (++position_;; ++position_) {
      if (position_ >= text_.size()) fail(line_, "the file ends inside quotes");
      if (text_[position_] == '"') {
        ++position_;
        if (position_ >= text_.size() || text_[position_] != '"') break;
      }
      next_line_ += text_[position_] == '\n';
      field += text_[position_];
    }
    if (position_ < text_.size() && std::string_view(",\r\n").find(text_[position_]) == std::string_view::npos) {
      fail(next_line_, "text behind a closing quote");
    }
    return field;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
  int line_ = 1, next_line_ = 1;
};

std::string_view trimmed(std::string_view field) {
  const std::size_t begin = std::min(field.find_first_not_of(" \t"), field.size());
  const std::size_t end = field.find_last_not_of(" \t");
  return field.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

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
    if (trimmed(first[i]) != column || apps::number_in(column)) continue;  // numbers aren't names
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
  csv_rows rows(text, file);
  std::vector<std::string> first, fields;
  if (!rows.next(first)) throw apps::user_error(file + ": is empty");
  const std::size_t index = column_index(first, file, column);
  const auto value_of = [&](const std::string& field) {
    const std::optional<double> number = apps::number_in(trimmed(field));
    if (!number || !std::isfinite(*number)) {
      rows.fail(rows.line(), "\"" + apps::printable(field) + "\" in column " + std::to_string(index + 1) +
                                 (number ? " is not a finite number" : " is no number"));
    }
    return *number;
  };

  series result;
  const std::string_view head = trimmed(first[index]);
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
