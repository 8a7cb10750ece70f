// SPDX-License-Identifier: Apache-2.0
// Tables from CSV and as CSV.
#include "table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "../common/csv_rows.hpp"
#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"

namespace query {
namespace {

bool stands_for_missing(std::string_view word) {
  if (word.empty()) return true;
  if (word.size() > 4) return false;
  std::string lower;
  for (const char c : word) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "na" || lower == "nan" || lower == "null";
}

// Of text that is UTF-8.
std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// One column while it is read: its distinct fields, and for each row which of them it has. What stands for a missing value is a
// field where it is in quotes, and missing all the same in a column of numbers.
class column_builder {
 public:
  void add(std::string&& field, bool in_quotes) {
    const std::string_view word = apps::trimmed(field);
    if (!in_quotes && stands_for_missing(word)) {
      fields_.push_back(missing_text);
      return;
    }
    const auto next = static_cast<std::uint32_t>(found_.size());
    const auto [place, is_new] =
        found_.try_emplace(word.size() == field.size() ? std::move(field) : std::string(word), next);
    fields_.push_back(place->second);
    if (!is_new || type_ == column_type::text || stands_for_missing(place->first)) return;
    has_values_ = true;
    if (type_ == column_type::integer && !integer_in(place->first)) type_ = column_type::real;
    if (type_ == column_type::real) {
      const std::optional<double> number = apps::number_in(place->first);
      if (!number || !std::isfinite(*number)) type_ = column_type::text;
    }
  }

  column built(std::string name) {
    if (!has_values_ && !found_.empty()) type_ = column_type::text;
    column result;
    result.name = std::move(name);
    result.type = type_;
    if (type_ == column_type::text) {
      for (const auto& word : found_) result.words.push_back(word.first);
      std::sort(result.words.begin(), result.words.end());
      result.texts = values<std::uint32_t>(missing_text, [&](const std::string& word) {
        return static_cast<std::uint32_t>(std::lower_bound(result.words.begin(), result.words.end(), word) -
                                          result.words.begin());
      });
    } else if (type_ == column_type::real) {
      result.reals = values<double>(
          missing_real, [](const std::string& word) { return apps::number_in(word).value_or(missing_real); });
    } else {
      result.integers = values<std::int64_t>(
          missing_integer, [](const std::string& word) { return integer_in(word).value_or(missing_integer); });
    }
    return result;
  }

 private:
  template <class T, class Convert>
  std::vector<T> values(T missing, Convert convert) const {
    std::vector<T> of_distinct(found_.size());
    for (const auto& [word, index] : found_) of_distinct[index] = convert(word);
    std::vector<T> result(fields_.size());
    std::transform(fields_.begin(), fields_.end(), result.begin(),
                   [&](std::uint32_t index) { return index == missing_text ? missing : of_distinct[index]; });
    return result;
  }

  column_type type_ = column_type::integer;
  bool has_values_ = false;  // fields that never stand for a missing value
  std::unordered_map<std::string, std::uint32_t> found_;
  std::vector<std::uint32_t> fields_;
};

}  // namespace

std::optional<std::int64_t> integer_in(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  std::int64_t value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (parsed.ptr != word.data() + word.size() || parsed.ec != std::errc{} || value == missing_integer) return {};
  return value;
}

std::size_t column::size() const {
  return type == column_type::integer ? integers.size() : type == column_type::real ? reals.size() : texts.size();
}

column_view column::view() const {
  if (type == column_type::integer) return {integers.data(), type};
  if (type == column_type::real) return {reals.data(), type};
  return {texts.data(), type};
}

std::string column::as_text(std::size_t row) const {
  if (view().missing(static_cast<std::int64_t>(row))) return {};
  if (type == column_type::integer) return std::to_string(integers[row]);
  if (type == column_type::text) return words[texts[row]];
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, reals[row]).ptr};
}

code_range range_of(const column& values) {
  code_range result;
  const column_view view = values.view();
  const auto rows = static_cast<std::int64_t>(values.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    if (view.missing(row)) {
      result.missing = true;
      continue;
    }
    result.low = std::min(result.low, view.code(row));
    result.high = std::max(result.high, view.code(row));
  }
  return result;
}

std::size_t column_index(const table& from, const std::string& name, const std::string& option) {
  std::string names;
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    if (from.columns[i].name == name) return i;
    names += (i == 0 ? "" : ", ") + apps::printable(from.columns[i].name);
  }
  throw apps::user_error(option + ": there is no column " + apps::printable(name) + ", but " +
                         apps::formatted("%.200s", names.c_str()));
}

table read_table(std::string_view text, const std::string& file) {
  apps::csv_rows rows(text, file);
  std::vector<std::string> names, fields;
  if (!rows.next(names)) throw apps::user_error(file + ": is empty");
  std::unordered_set<std::string> known;
  for (std::string& name : names) {
    name = std::string(apps::trimmed(name));
    if (name.empty()) rows.fail(rows.line(), "a column has no name");
    if (!known.insert(name).second) rows.fail(rows.line(), "two columns are named " + apps::printable(name));
  }
  std::vector<column_builder> columns(names.size());
  apps::progress_bar progress("reading byte", text.size());
  for (std::size_t row = 0; rows.next(fields); ++row) {
    if (fields.size() != names.size()) {
      rows.fail(rows.line(),
                std::to_string(fields.size()) + " fields, where the first row has " + std::to_string(names.size()));
    }
    if (row == most_rows) rows.fail(rows.line(), "a table has at most " + apps::grouped(most_rows) + " rows");
    for (std::size_t i = 0; i < fields.size(); ++i) columns[i].add(std::move(fields[i]), rows.in_quotes(i));
    progress.show(rows.position());
  }
  table result;
  for (std::size_t i = 0; i < names.size(); ++i) result.columns.push_back(columns[i].built(std::move(names[i])));
  return result;
}

std::string as_csv(const table& what) {
  std::string text;
  for (std::size_t i = 0; i < what.columns.size(); ++i) {
    text += (i == 0 ? "" : ",") + apps::csv_field(what.columns[i].name);
  }
  text += '\n';
  apps::progress_bar progress("writing row", what.rows());
  for (std::size_t row = 0; row < what.rows(); ++row) {
    for (std::size_t i = 0; i < what.columns.size(); ++i) {
      if (i > 0) text += ',';
      const column& values = what.columns[i];
      const std::string field = values.as_text(row);
      const bool is_missing = values.view().missing(static_cast<std::int64_t>(row));
      text += apps::csv_field(field, !is_missing && stands_for_missing(apps::trimmed(field)));
    }
    // An empty line is no row.
    if (what.columns.size() == 1 && text.back() == '\n') text += "NA";
    text += '\n';
    progress.show(row);
  }
  return text;
}

std::string as_lines(const table& what, std::size_t rows) {
  constexpr std::size_t widest = 32;
  rows = std::min(rows, what.rows());
  std::vector<std::vector<std::string>> fields;
  for (const column& values : what.columns) {
    fields.push_back({apps::printable(values.name)});
    for (std::size_t row = 0; row < rows; ++row) fields.back().push_back(apps::printable(values.as_text(row)));
  }
  std::string text;
  for (std::size_t line = 0; line <= rows; ++line) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::size_t width = 0;
      for (const std::string& field : fields[i]) width = std::max(width, std::min(characters_in(field), widest));
      const std::string& field = fields[i][line];
      const std::string blanks(width - std::min(width, characters_in(field)), ' ');
      const bool to_the_left = what.columns[i].type == column_type::text;
      text += (i == 0 ? "" : "  ") + (to_the_left ? field + blanks : blanks + field);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace query
