// SPDX-License-Identifier: Apache-2.0
// Row after row, group after group.
#include "plain_query.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "../common/text.hpp"

namespace query {
namespace {

// A value to compare; nothing where it is missing.
struct value {
  column_type type = column_type::integer;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  // also of a constant that is digits, perhaps with a point
};

std::optional<value> value_of(const column& from, std::size_t row) {
  value result;
  result.type = from.type;
  if (from.type == column_type::integer) {
    result.integer = from.integers[row];
    if (result.integer == missing_integer) return std::nullopt;
  } else if (from.type == column_type::real) {
    result.real = from.reals[row];
    if (std::isnan(result.real)) return std::nullopt;
  } else {
    if (from.texts[row] == missing_text) return std::nullopt;
    result.text = from.words[from.texts[row]];
  }
  return result;
}

template <class T>
int compared_values(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// A whole number beside one in digits, digit by digit.
int compared_digits(std::int64_t a, std::string_view b) {
  const bool below = b[0] == '-';
  if (below || b[0] == '+') b.remove_prefix(1);
  const std::size_t point = std::min(b.find('.'), b.size());
  const bool has_rest = b.find_first_not_of('0', point + 1) != std::string_view::npos;
  const std::size_t first = std::min(b.find_first_not_of('0'), point);
  b = b.substr(first, point - first);
  const std::string own = a == 0 ? "" : std::to_string(a).substr(a < 0 ? 1 : 0);
  if (own.empty() && b.empty() && !has_rest) return 0;
  if (a != 0 && (a < 0) != below) return a < 0 ? -1 : 1;
  int order = own.size() != b.size() ? compared_values(own.size(), b.size()) : own.compare(b);
  if (order == 0 && has_rest) order = -1;
  return below ? -order : order;
}

int compared_values(const value& a, const value& b) {
  if (a.type == column_type::text) return compared_values<std::string>(a.text, b.text);
  if (a.type == b.type) {
    return a.type == column_type::integer ? compared_values<std::int64_t>(a.integer, b.integer)
                                          : compared_values<double>(a.real, b.real);
  }
  if (!b.text.empty()) return compared_digits(a.integer, b.text);
  if (!a.text.empty()) return -compared_digits(b.integer, a.text);
  // A long double holds both exactly.
  const auto exact = [](const value& v) -> long double {
    return v.type == column_type::integer ? static_cast<long double>(v.integer) : static_cast<long double>(v.real);
  };
  return compared_values<long double>(exact(a), exact(b));
}

// Missing values are equal, and come last.
int compared_rows(const column& from, std::size_t a, std::size_t b, bool descending = false) {
  const std::optional<value> left = value_of(from, a), right = value_of(from, b);
  if (!left || !right) return left ? -1 : right ? 1 : 0;
  const int order = compared_values(*left, *right);
  return descending ? -order : order;
}

std::optional<value> value_of(const operand& from, const table& on, std::size_t row) {
  if (from.what == operand::kind::column) return value_of(on.columns[from.column], row);
  value result;
  if (from.what == operand::kind::text) {
    result.type = column_type::text;
    result.text = from.text;
  } else if (const std::optional<std::int64_t> integer = integer_in(from.text)) {
    result.integer = *integer;
  } else {
    result.type = column_type::real;
    result.real = *apps::number_in(from.text);
    if (from.text.find_first_not_of("+-.0123456789") == std::string::npos) result.text = from.text;
  }
  return result;
}

// True, false, or neither.
std::optional<bool> truth(const condition& what, const table& on, std::size_t row) {
  switch (what.what) {
    case condition::kind::missing: return !value_of(what.a, on, row);
    case condition::kind::compare: {
      const std::optional<value> a = value_of(what.a, on, row), b = value_of(what.b, on, row);
      if (!a || !b) return std::nullopt;
      return holds(what.how, compared_values(*a, *b));
    }
    case condition::kind::negate: {
      const std::optional<bool> one = truth(*what.one, on, row);
      return one ? std::optional<bool>(!*one) : std::nullopt;
    }
    default: {
      const bool decides = what.what == condition::kind::either;  // the truth of one that decides
      const std::optional<bool> one = truth(*what.one, on, row), two = truth(*what.two, on, row);
      if (one == decides || two == decides) return decides;
      return one && two ? std::optional<bool>(!decides) : std::nullopt;
    }
  }
}

using row_list = std::vector<std::size_t>;

row_list taken_rows(const plan& what, const table& on) {
  row_list rows(on.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (what.where) {
    rows.erase(
        std::remove_if(rows.begin(), rows.end(), [&](std::size_t row) { return truth(*what.where, on, row) != true; }),
        rows.end());
  }
  return rows;
}

void append(column& to, const column& from, std::size_t row) {
  if (from.type == column_type::integer) to.integers.push_back(from.integers[row]);
  else if (from.type == column_type::real) to.reals.push_back(from.reals[row]);
  else to.texts.push_back(from.texts[row]);
}

// The aggregate of the rows of a group; returns how much a sum may differ.
double append_aggregate(column& to, const aggregate& what, const column& from, const row_list& rows) {
  if (what.kind == aggregate_kind::count) {
    to.integers.push_back(static_cast<std::int64_t>(rows.size()));
    return 0;
  }
  row_list there;
  for (const std::size_t row : rows) {
    if (value_of(from, row)) there.push_back(row);
  }
  if (there.empty()) {
    if (to.type == column_type::integer) to.integers.push_back(missing_integer);
    else if (to.type == column_type::real) to.reals.push_back(missing_real);
    else to.texts.push_back(missing_text);
    return 0;
  }
  const auto less = [&](std::size_t a, std::size_t b) { return compared_rows(from, a, b) < 0; };
  if (what.kind == aggregate_kind::least || what.kind == aggregate_kind::greatest) {
    append(to, from,
           what.kind == aggregate_kind::least ? *std::min_element(there.begin(), there.end(), less)
                                              : *std::max_element(there.begin(), there.end(), less));
    return 0;
  }
  std::int64_t whole = 0;
  double sum = 0, sizes = 0;
  for (const std::size_t row : there) {
    const bool integer = from.type == column_type::integer;
    if (to.type == column_type::integer) whole += from.integers[row];
    const double next = integer ? static_cast<double>(from.integers[row]) : from.reals[row];
    sum += next;
    sizes += std::abs(next);
  }
  if (to.type == column_type::integer) to.integers.push_back(whole);
  const auto number = static_cast<double>(there.size());
  const double divisor = what.kind == aggregate_kind::mean ? number : 1;
  if (to.type == column_type::real) to.reals.push_back(sum / divisor);
  return (number + 2) * std::numeric_limits<double>::epsilon() * sizes / divisor;
}

}  // namespace

plain_answer plain_query(const plan& what, const table& on) {
  plain_answer answer;
  row_list rows = taken_rows(what, on);
  const std::vector<std::string> names = result_names(what, on);
  for (const std::size_t index : what.columns) {
    answer.result.columns.emplace_back();
    answer.result.columns.back().type = on.columns[index].type;
    answer.result.columns.back().words = on.columns[index].words;
  }
  for (const aggregate& one : what.aggregates) {
    answer.result.columns.emplace_back();
    answer.result.columns.back().type = type_of(one, on, range_of(on.columns[one.column]));
    if (answer.result.columns.back().type == column_type::text) {
      answer.result.columns.back().words = on.columns[one.column].words;
    }
  }
  answer.slack.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) answer.result.columns[i].name = names[i];

  const auto order = [&](std::size_t a, std::size_t b) {
    for (const std::size_t index : what.columns) {
      if (const int found = compared_rows(on.columns[index], a, b)) return found;
    }
    return 0;
  };
  if (what.grouped) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return order(a, b) < 0; });
  }
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = what.grouped
                         ? std::find_if(begin, rows.end(), [&](std::size_t row) { return order(*begin, row) != 0; })
                         : begin + 1;
    std::size_t i = 0;
    for (; i < what.columns.size(); ++i) append(answer.result.columns[i], on.columns[what.columns[i]], *begin);
    for (const aggregate& one : what.aggregates) {
      const double slack =
          append_aggregate(answer.result.columns[i], one, on.columns[one.column], row_list(begin, end));
      answer.slack[i++].push_back(slack);
    }
    begin = end;
  }
  if (rows.empty()) add_empty_group(what, answer.result);
  return answer;
}

bool agrees(const table& found, const plain_answer& expected) {
  const std::vector<column>& columns = expected.result.columns;
  if (found.columns.size() != columns.size()) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const column &a = found.columns[i], &b = columns[i];
    if (a.name != b.name || a.type != b.type || a.size() != b.size()) return false;
    for (std::size_t row = 0; row < a.size(); ++row) {
      const double slack = row < expected.slack[i].size() ? expected.slack[i][row] : 0;
      if (std::isinf(slack)) continue;  // sums in another order may be infinite, or no numbers
      const std::optional<value> left = value_of(a, row), right = value_of(b, row);
      if (left.has_value() != right.has_value()) return false;
      if (!left || compared_values(*left, *right) == 0) continue;
      if (a.type != column_type::real || !(std::abs(left->real - right->real) <= slack)) return false;
    }
  }
  return true;
}

bool is_ordered(const table& result, const std::vector<std::size_t>& order_by, bool descending) {
  for (std::size_t row = 1; row < result.rows(); ++row) {
    for (const std::size_t index : order_by) {
      const int order = compared_rows(result.columns[index], row - 1, row, descending);
      if (order > 0) return false;
      if (order < 0) break;
    }
  }
  return true;
}

}  // namespace query
