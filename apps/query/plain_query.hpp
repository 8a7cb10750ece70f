// SPDX-License-Identifier: Apache-2.0
// Answers a question as a serial program does, by comparing values: what the answer of a backend is checked against.
#pragma once

#include "plan.hpp"
#include "table.hpp"

namespace query {

// Without ORDER BY and LIMIT: groups in the order of their columns, rows in the table's. The sums of reals are those that the
// values have one after the other; `slack` has for each column of the result and row how much another order may differ by.
struct plain_answer {
  table result;
  std::vector<std::vector<double>> slack;  // empty for columns that must be equal
};
plain_answer plain_query(const plan& what, const table& on);

// Whether `found` is that result.
bool agrees(const table& found, const plain_answer& expected);

// Whether its rows are in the order of these columns of it, missing values last.
bool is_ordered(const table& result, const std::vector<std::size_t>& order_by, bool descending);

}  // namespace query
