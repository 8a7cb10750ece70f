// SPDX-License-Identifier: Apache-2.0
// From names to columns.
#include "plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../common/text.hpp"
#include "../common/user_error.hpp"

namespace query {
namespace {

const char* name_of(aggregate_kind kind) {
  constexpr const char* names[] = {"count", "sum", "mean", "min", "max"};
  return names[static_cast<int>(kind)];
}

std::vector<std::size_t> indices(const std::vector<std::string>& names, const table& on, const std::string& option) {
  std::vector<std::size_t> result;
  for (const std::string& name : names) {
    const std::size_t index = column_index(on, name, option);
    if (std::count(result.begin(), result.end(), index) > 0) {
      throw apps::user_error(option + ": " + apps::printable(name) + " is named twice");
    }
    result.push_back(index);
  }
  return result;
}

void add_aggregates(plan& result, const question& what, const table& on) {
  for (const named_aggregate& wanted : what.aggregates) {
    aggregate added{wanted.kind};
    if (wanted.kind != aggregate_kind::count) {
      const std::string option = std::string("--") + name_of(wanted.kind);
      added.column = column_index(on, wanted.column, option);
      const bool of_numbers = wanted.kind == aggregate_kind::sum || wanted.kind == aggregate_kind::mean;
      if (of_numbers && on.columns[added.column].type == column_type::text) {
        throw apps::user_error(option + ": column " + apps::printable(wanted.column) + " is of texts");
      }
    }
    result.aggregates.push_back(added);
  }
}

}  // namespace

plan plan_of(const question& what, const table& on) {
  plan result;
  if (!what.where.empty()) result.where = parse_condition(what.where, on);
  if (result.where) steps_of(*result.where, on);  // for what is wrong with it
  result.grouped = !what.group_by.empty() || !what.aggregates.empty();
  if (result.grouped && !what.select.empty()) {
    throw apps::user_error("--select: the result of groups has their columns and aggregates, and no others");
  }
  result.columns = result.grouped ? indices(what.group_by, on, "--group-by") : indices(what.select, on, "--select");
  if (!result.grouped && what.select.empty()) {
    for (std::size_t i = 0; i < on.columns.size(); ++i) result.columns.push_back(i);
  }
  add_aggregates(result, what, on);
  if (result.grouped) {
    table names;  // the result's
    for (const std::string& name : result_names(result, on)) {
      names.columns.emplace_back();
      names.columns.back().name = name;
    }
    for (std::size_t i = 0; i < names.columns.size(); ++i) {
      if (column_index(names, names.columns[i].name, "") != i) {
        throw apps::user_error("two columns of the result are named " + apps::printable(names.columns[i].name));
      }
    }
    result.order_by = indices(what.order_by, names, "--order-by");
  } else {
    result.order_by = indices(what.order_by, on, "--order-by");
  }
  if (what.descending && what.order_by.empty()) throw apps::user_error("--desc: there is no --order-by");
  result.descending = what.descending;
  if (what.limited) result.limit = what.limit;
  return result;
}

std::vector<std::string> result_names(const plan& what, const table& on) {
  std::vector<std::string> names;
  for (const std::size_t index : what.columns) names.push_back(on.columns[index].name);
  for (const aggregate& one : what.aggregates) {
    std::string name = name_of(one.kind);
    if (one.kind != aggregate_kind::count) name += "(" + on.columns[one.column].name + ")";
    names.push_back(std::move(name));
  }
  return names;
}

void add_empty_group(const plan& what, table& result) {
  if (!what.grouped || !what.columns.empty()) return;
  for (std::size_t i = 0; i < what.aggregates.size(); ++i) {
    column& one = result.columns[i];
    if (what.aggregates[i].kind == aggregate_kind::count) one.integers.push_back(0);
    else if (one.type == column_type::integer) one.integers.push_back(missing_integer);
    else if (one.type == column_type::real) one.reals.push_back(missing_real);
    else one.texts.push_back(missing_text);
  }
}

bool sums_are_integers(const column& values, const code_range& range) {
  if (values.type != column_type::integer) return false;
  if (range.low > range.high) return true;
  const auto size_of = [](std::uint64_t code) { return std::abs(static_cast<double>(value_of(code, std::int64_t{}))); };
  const double largest = std::max(size_of(range.low), size_of(range.high));
  return largest * static_cast<double>(values.size()) < 9e18;  // 2^63 is 9.22e18
}

column_type type_of(const aggregate& what, const table& on, const code_range& range) {
  if (what.kind == aggregate_kind::count) return column_type::integer;
  if (what.kind == aggregate_kind::mean) return column_type::real;
  const column& values = on.columns[what.column];
  if (what.kind == aggregate_kind::sum) {
    return sums_are_integers(values, range) ? column_type::integer : column_type::real;
  }
  return values.type;
}

}  // namespace query
