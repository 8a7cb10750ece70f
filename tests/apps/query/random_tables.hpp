// SPDX-License-Identifier: Apache-2.0
// Random tables and questions, for the tests of apps/query.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../../apps/query/plan.hpp"
#include "../../../apps/query/table.hpp"

namespace test {

using random_source = std::mt19937_64;

inline std::size_t below(random_source& random, std::size_t end) { return static_cast<std::size_t>(random() % end); }

template <class T>
const T& one_of(random_source& random, const std::vector<T>& list) {
  return list[below(random, list.size())];
}

// Values from few to many distinct ones, with extremes, and some of them missing.
inline query::column random_column(random_source& random, const std::string& name, std::size_t rows) {
  query::column result;
  result.name = name;
  result.type = static_cast<query::column_type>(below(random, 3));
  const std::size_t distinct = one_of<std::size_t>(random, {1, 2, 5, 40, 3000});
  const bool extreme = below(random, 3) == 0, some_missing = below(random, 2) == 0;
  if (result.type == query::column_type::text) {
    for (std::size_t i = 0; i < distinct; ++i) result.words.push_back("w" + std::to_string(100000 + i));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const bool missing = some_missing && below(random, 4) == 0;
    const std::size_t pick = below(random, distinct);
    if (result.type == query::column_type::text) {
      result.texts.push_back(missing ? query::missing_text : static_cast<std::uint32_t>(pick));
    } else if (result.type == query::column_type::real) {
      const std::vector<double> edges = {-0.0, 0.0, 1e308, -1e308, 5e-324, 0.1};
      const double value = extreme && pick < edges.size() ? edges[pick] : 0.25 * (static_cast<double>(pick) - 3);
      result.reals.push_back(missing ? query::missing_real : value);
    } else {
      const std::int64_t most = std::numeric_limits<std::int64_t>::max();
      const std::vector<std::int64_t> edges = {most, -most, 0, (std::int64_t{1} << 53) + 1, std::int64_t{1} << 53};
      const std::int64_t value = extreme && pick < edges.size() ? edges[pick] : static_cast<std::int64_t>(pick) - 3;
      result.integers.push_back(missing ? query::missing_integer : value);
    }
  }
  return result;
}

inline query::table random_table(random_source& random, std::size_t rows, std::size_t columns) {
  query::table result;
  for (std::size_t i = 0; i < columns; ++i) {
    result.columns.push_back(random_column(random, "c" + std::to_string(i), rows));
  }
  return result;
}

// A constant for the column: often one of its values, else beside them.
inline std::string random_constant(random_source& random, const query::column& of) {
  if (of.type == query::column_type::text) {
    return below(random, 3) == 0 || of.words.empty() ? "\"w1000\"" : "'" + one_of(random, of.words) + "'";
  }
  const std::string value = of.size() == 0 ? "" : of.as_text(below(random, of.size()));
  if (!value.empty() && below(random, 2) == 0) return value;
  return one_of<std::string>(
      random, {"0", "-2.5", "1e300", "-1e300", "9223372036854775808", "-9223372036854775808", "9223372036854775807",
               "9007199254740993", "0.25", "2", "9007199254740992.5", "9007199254740993.0", "-9223372036854775806.5"});
}

inline std::string random_condition(random_source& random, const query::table& on, int depth) {
  const std::size_t what = below(random, depth > 0 ? 8 : 5);
  if (what == 5) return "not " + random_condition(random, on, depth - 1);
  if (what > 5) {
    return "(" + random_condition(random, on, depth - 1) + (what == 6 ? " and " : " or ") +
           random_condition(random, on, depth - 1) + ")";
  }
  const query::column& a = one_of(random, on.columns);
  if (what == 0) return a.name + (below(random, 2) == 0 ? " is missing" : " is not missing");
  const std::string how = one_of<std::string>(random, {"=", "==", "!=", "<>", "<", "<=", ">", ">="});
  if (what == 1) {
    const query::column& b = one_of(random, on.columns);
    if ((a.type == query::column_type::text) == (b.type == query::column_type::text)) return a.name + how + b.name;
  }
  if (what == 2) return a.name + " in (" + random_constant(random, a) + ", " + random_constant(random, a) + ")";
  if (what == 3) return random_constant(random, a) + " " + how + " " + a.name;
  return a.name + " " + how + " " + random_constant(random, a);
}

inline std::vector<std::string> random_columns(random_source& random, const query::table& on, std::size_t most) {
  std::vector<std::string> names;
  for (std::size_t wanted = below(random, most + 1); names.size() < wanted;) {
    const std::string& name = one_of(random, on.columns).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

inline query::question random_question(random_source& random, const query::table& on) {
  query::question asked;
  if (below(random, 3) != 0) asked.where = random_condition(random, on, 3);
  const std::size_t columns = on.columns.size();
  if (below(random, 3) != 0) asked.group_by = random_columns(random, on, columns);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto kind = static_cast<query::aggregate_kind>(i);
    if (below(random, 2) == 0) continue;
    const query::column& of = one_of(random, on.columns);
    const bool of_numbers = kind == query::aggregate_kind::sum || kind == query::aggregate_kind::mean;
    if (of_numbers && of.type == query::column_type::text) continue;
    asked.aggregates.push_back({kind, kind == query::aggregate_kind::count ? "" : of.name});
  }
  if (asked.group_by.empty() && below(random, 2) == 0) asked.aggregates.clear();
  const bool grouped = !asked.group_by.empty() || !asked.aggregates.empty();
  if (!grouped && below(random, 2) == 0) asked.select = random_columns(random, on, columns);
  std::vector<std::string> names = result_names(plan_of(asked, on), on);
  while (!names.empty() && asked.order_by.size() < 3 && below(random, 3) != 0) {
    const std::size_t pick = below(random, names.size());
    asked.order_by.push_back(names[pick]);
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  asked.descending = !asked.order_by.empty() && below(random, 2) == 0;
  asked.limited = below(random, 3) == 0;
  asked.limit = below(random, 20);
  return asked;
}

}  // namespace test
