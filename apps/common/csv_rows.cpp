// SPDX-License-Identifier: Apache-2.0
// Splits CSV into rows of fields.
#include "csv_rows.hpp"

#include <algorithm>

#include "user_error.hpp"

namespace apps {

csv_rows::csv_rows(std::string_view text, const std::string& file) : text_(text), file_(file) {
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);
}

void csv_rows::fail(std::int64_t line, const std::string& what) const {
  throw user_error(file_ + ": line " + std::to_string(line) + ": " + what);
}

bool csv_rows::next(std::vector<std::string>& fields) {
  while (position_ < text_.size() && (text_[position_] == '\n' || text_[position_] == '\r')) end_line();
  line_ = next_line_;
  fields.clear();
  in_quotes_.clear();
  if (position_ >= text_.size()) return false;
  for (;;) {
    in_quotes_.push_back(position_ < text_.size() && text_[position_] == '"');
    fields.push_back(in_quotes_.back() ? quoted_field() : plain_field());
    if (position_ >= text_.size()) return true;
    if (text_[position_] != ',') break;
    ++position_;
  }
  end_line();
  return true;
}

// \n, \r\n or \r.
void csv_rows::end_line() {
  if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') ++position_;
  ++position_;
  ++next_line_;
}

std::string csv_rows::plain_field() {
  const std::size_t begin = position_;
  position_ = std::min(text_.find_first_of(",\r\n", position_), text_.size());
  return std::string(text_.substr(begin, position_ - begin));
}

// "" in it stands for a quote; line ends may be in it.
std::string csv_rows::quoted_field() {
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

std::string csv_field(std::string_view text, bool in_quotes) {
  if (!in_quotes && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string_view trimmed(std::string_view field) {
  const std::size_t begin = std::min(field.find_first_not_of(" \t"), field.size());
  const std::size_t end = field.find_last_not_of(" \t");
  return field.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

}  // namespace apps
