// SPDX-License-Identifier: Apache-2.0
// The parser: banner, comments, sizes, then one entry a line.
#include "matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace spmv {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // rows, columns, entries

constexpr std::int64_t most_without_entries = 1000000, most_for_an_entry = 16;  // rows or columns

enum class symmetry { general, symmetric, skew };

class parser {
 public:
  parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  coordinate_matrix parse() {
    read_banner();
    read_sizes();
    read_entries();
    require_entries_for("rows", result_.rows);
    require_entries_for("columns", result_.columns);
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw apps::user_error(file_ + ": line " + std::to_string(std::max(line_, std::int64_t{1})) + ": " + what);
  }

  // The next line's words; false at the end of the file.
  bool next_line() {
    words_.clear();
    if (position_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    const std::string_view line = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++line_;
    constexpr const char* blanks = " \t\r\v\f";
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
      const std::size_t behind = std::min(line.find_first_of(blanks, at), line.size());
      words_.push_back(line.substr(at, behind - at));
      at = line.find_first_not_of(blanks, behind);
    }
    return true;
  }

  // The next that is neither empty nor a comment.
  bool next_data_line() {
    while (next_line()) {
      if (!words_.empty() && words_[0][0] != '%') return true;
    }
    return false;
  }

  std::string lower(std::size_t word) const {
    std::string text = apps::printable(words_[word]);
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return text;
  }

  void read_banner() {
    if (!next_line() || words_.empty() || lower(0) != "%%matrixmarket") {
      fail("not a Matrix Market file (it doesn't start with \"%%MatrixMarket\")");
    }
    if (words_.size() != 5) fail("the banner is not \"%%MatrixMarket matrix coordinate FIELD SYMMETRY\"");
    if (lower(1) != "matrix") fail("holds a " + lower(1) + ", not a matrix");
    if (lower(2) != "coordinate") fail("format " + lower(2) + ": only coordinate can be read");
    const std::string field = lower(3), form = lower(4);
    if (field != "real" && field != "integer" && field != "pattern") {
      fail("field " + field + ": only real, integer and pattern can be read");
    }
    if (form != "general" && form != "symmetric" && form != "skew-symmetric") {
      fail("symmetry " + form + ": only general, symmetric and skew-symmetric can be read");
    }
    if (field == "pattern" && form == "skew-symmetric") fail("a pattern can't be skew-symmetric");
    pattern_ = field == "pattern";
    integer_ = field == "integer";
    symmetry_ = form == "general" ? symmetry::general : form == "symmetric" ? symmetry::symmetric : symmetry::skew;
    result_.kind = field + " " + form;
  }

  std::int64_t integer(std::size_t word) const {
    std::int64_t value = 0;
    const char* const begin = words_[word].data();
    const char* const end = begin + words_[word].size();
    const auto parsed = std::from_chars(begin + (*begin == '+' && end - begin > 1 && begin[1] != '-'), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      fail("\"" + apps::printable(words_[word]) + "\" is no whole number");
    }
    return value;
  }

  // A number from `low` to the most there can be.
  std::int64_t count(std::size_t word, std::int64_t low, const char* what) const {
    const std::int64_t value = integer(word);
    if (value < low || value > most) {
      fail(std::to_string(value) + " " + what + ": must be from " + std::to_string(low) + " to " +
           std::to_string(most));
    }
    return value;
  }

  void read_sizes() {
    if (!next_data_line()) fail("the file ends before the line with rows, columns and entries");
    if (words_.size() != 3) fail("three numbers are expected here: rows, columns and entries");
    result_.rows = static_cast<std::int32_t>(count(0, 1, "rows"));
    result_.columns = static_cast<std::int32_t>(count(1, 1, "columns"));
    promised_ = count(2, 0, "entries");
    sizes_line_ = line_;
    if (symmetry_ != symmetry::general && result_.rows != result_.columns) {
      fail("a " + result_.kind + " matrix must be square");
    }
  }

  // Rows and columns cost memory without an entry in the file; what they ask for stays in proportion to it.
  void require_entries_for(const char* what, std::int32_t number) {
    const auto entries = static_cast<std::int64_t>(result_.entries.size());
    if (number <= most_without_entries + most_for_an_entry * entries) return;
    line_ = sizes_line_;
    fail(std::to_string(number) + " " + what + " are too many for " + std::to_string(entries) +
         (entries == 1 ? " entry" : " entries") + ": " + std::to_string(most_without_entries) + ", and " +
         std::to_string(most_for_an_entry) + " more for each entry, can be taken");
  }

  // A row's or column's number, from 0.
  std::int32_t index(std::size_t word, std::int32_t end, const char* what) const {
    const std::int64_t number = integer(word);
    if (number < 1 || number > end) {
      fail(std::string(what) + " " + std::to_string(number) + " is not from 1 to " + std::to_string(end));
    }
    return static_cast<std::int32_t>(number - 1);
  }

  double value() const {
    if (pattern_) return 1;
    if (integer_) return static_cast<double>(integer(2));
    const std::optional<double> number = apps::number_in(words_[2]);
    if (!number) fail("\"" + apps::printable(words_[2]) + "\" is no number");
    if (!std::isfinite(*number)) fail("\"" + apps::printable(words_[2]) + "\" is not a finite number");
    return *number;
  }

  void read_entries() {
    constexpr std::size_t shortest = 4;  // characters of an entry: two digits, a blank and the line's end
    const auto all = static_cast<std::size_t>(promised_) * (symmetry_ == symmetry::general ? 1 : 2);
    result_.entries.reserve(std::min(all, 2 * (text_.size() / shortest + 1)));
    apps::progress_bar progress("reading byte", text_.size());
    for (std::int64_t i = 0; i < promised_; ++i) {
      progress.show(position_);
      if (!next_data_line()) {
        fail("the file ends after " + std::to_string(i) + " of " + std::to_string(promised_) + " entries");
      }
      if (words_.size() != (pattern_ ? 2 : 3)) {
        fail(pattern_ ? "an entry is a row and a column" : "an entry is a row, a column and a value");
      }
      add({index(0, result_.rows, "row"), index(1, result_.columns, "column"), value()});
    }
    if (next_data_line()) fail("more than the " + std::to_string(promised_) + " entries that were promised");
  }

  void add(const entry& e) {
    if (symmetry_ != symmetry::general && e.column > e.row) {
      fail("an entry above the diagonal: a " + result_.kind + " matrix stores the lower triangle");
    }
    if (symmetry_ == symmetry::skew && e.column == e.row) fail("the diagonal of a skew-symmetric matrix is zero");
    result_.entries.push_back(e);
    if (symmetry_ != symmetry::general && e.column != e.row) {
      result_.entries.push_back({e.column, e.row, symmetry_ == symmetry::skew ? -e.value : e.value});
    }
    if (static_cast<std::int64_t>(result_.entries.size()) > most)
      fail("more than " + std::to_string(most) + " entries");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
  std::int64_t line_ = 0, sizes_line_ = 0;
  std::vector<std::string_view> words_;
  bool pattern_ = false, integer_ = false;
  symmetry symmetry_ = symmetry::general;
  std::int64_t promised_ = 0;
  coordinate_matrix result_;
};

}  // namespace

coordinate_matrix parse_matrix_market(std::string_view text, const std::string& file) {
  return parser(text, file).parse();
}

coordinate_matrix read_matrix_market(const std::string& file) {
  return parse_matrix_market(apps::read_whole(file), apps::input_name(file));
}

}  // namespace spmv
