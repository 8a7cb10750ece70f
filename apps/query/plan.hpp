// SPDX-License-Identifier: Apache-2.0
// What is asked of a table, by names as on the command line, and by the table's columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "condition.hpp"
#include "table.hpp"

namespace query {

enum class aggregate_kind { count, sum, mean, least, greatest };

struct named_aggregate {
  aggregate_kind kind;
  std::string column;  // none for count
};

struct question {
  std::string where;                // empty: all rows
  std::vector<std::string> select;  // without groups and aggregates; empty: all columns
  std::vector<std::string> group_by;
  std::vector<named_aggregate> aggregates;
  std::vector<std::string> order_by;  // columns of the result, the most important first
  bool descending = false;            // all of order_by
  bool limited = false;
  std::uint64_t limit = 0;  // rows of the result
};

struct aggregate {
  aggregate_kind kind;
  std::size_t column = 0;
};

struct plan {
  std::shared_ptr<const condition> where;  // may be none
  bool grouped = false;                    // by group_by, or as one group
  std::vector<std::size_t> columns;        // grouped: to group by, the first columns of the result; else its columns
  std::vector<aggregate> aggregates;       // the columns behind them
  // Grouped: columns of the result, by index; else columns of the table. Missing values come last in either direction.
  std::vector<std::size_t> order_by;
  bool descending = false;
  std::uint64_t limit = ~std::uint64_t{0};
};

// Throws apps::user_error for what the table does not have.
plan plan_of(const question& what, const table& on);

// The names of the result's columns: "zone", "count", "sum(fare)".
std::vector<std::string> result_names(const plan& what, const table& on);

// The type of an aggregate's result. Sums of integers are integers where no sum of the column's values can exceed 64 bits.
// `range` is that of the aggregate's column.
column_type type_of(const aggregate& what, const table& on, const code_range& range);

// Where all rows are one group and none is taken: the row of that group, of no values.
void add_empty_group(const plan& what, table& result);

// Whether the sums behind an aggregate of a column with that range are computed in integers.
bool sums_are_integers(const column& values, const code_range& range);

}  // namespace query
