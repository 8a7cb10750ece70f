// SPDX-License-Identifier: Apache-2.0
// WHERE: which rows to take, as a tree that is parsed from text, and as the steps that a backend runs for each row.
//
//   condition    either { "or" either }, with "and" and "not" binding more tightly, in parentheses where needed
//   comparison   operand relation operand, operand "in" (constant, ...), operand "is" ["not"] "missing"
//   relation     = == != <> < <= > >=
//   operand      a column's name, in `backquotes` where it is no word; a number; a text in "quotes" or 'quotes', doubled inside
//
// As in SQL a comparison with a missing value is neither true nor false; a row is taken where the whole condition is true.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "table.hpp"

namespace query {

enum class relation : std::uint8_t { equal, unequal, less, less_equal, greater, greater_equal };

// What a relation says of a comparison's result: negative, 0 or positive.
ONEPASS_HOST_DEVICE inline bool holds(relation how, int order) {
  switch (how) {
    case relation::equal: return order == 0;
    case relation::unequal: return order != 0;
    case relation::less: return order < 0;
    case relation::less_equal: return order <= 0;
    case relation::greater: return order > 0;
    default: return order >= 0;
  }
}

struct operand {
  enum class kind { column, number, text } what = kind::column;
  std::size_t column = 0;  // its index
  std::string text;        // of a constant, as it was written
  std::size_t where = 0;   // its first character's index in the condition
};

struct condition {
  enum class kind { compare, missing, both, either, negate } what = kind::compare;
  relation how = relation::equal;       // compare
  operand a, b;                         // compare; missing: a, a column
  std::unique_ptr<condition> one, two;  // both, either; negate: one
};

// Throws apps::user_error, naming --where and the character, for what is no condition on columns of `on`.
std::unique_ptr<condition> parse_condition(const std::string& text, const table& on);

// A condition as steps, for a machine with a stack of truth values. Columns are indices here.
struct condition_step {
  enum class kind : std::uint8_t { in_range, compare, missing, both, either, negate } what = kind::in_range;
  relation how = relation::equal;      // compare
  std::size_t a = 0, b = 0;            // columns
  std::uint64_t low = 0, high = 0;     // in_range: the codes that are taken; none where low > high
  std::vector<std::uint32_t> ranks_a;  // compare, of texts: each word's rank among both columns' words
  std::vector<std::uint32_t> ranks_b;
};
constexpr int deepest_stack = 32;

// Throws apps::user_error where a text is compared with a number, or parentheses are nested more deeply than that.
std::vector<condition_step> steps_of(const condition& what, const table& on);

}  // namespace query
