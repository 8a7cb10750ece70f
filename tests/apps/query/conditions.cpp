// SPDX-License-Identifier: Apache-2.0
// WHERE: what is parsed, what is refused, and that the steps say what the tree says.
#include <limits>
#include <string>
#include <vector>

#include "../../../apps/common/cpu_backend.hpp"
#include "../../../apps/common/user_error.hpp"
#include "../../../apps/query/condition.hpp"
#include "../../../apps/query/condition_machine.hpp"
#include "../../../apps/query/plain_query.hpp"
#include "random_tables.hpp"
#include "support/test.hpp"

namespace {

using namespace query;

table numbers() {
  return read_table(
      "n,x,name,other,odd name\n"
      "1,0.5,ann,bob,1\n"
      "2,,bob,bob,2\n"
      ",2.5,,cid,3\n"
      "-4,-4,\"d \"\"e\"\"\",ann,4\n",
      "numbers");
}

// The rows that are taken, by their steps; a serial program takes the same.
std::string taken(const table& on, const std::string& where) {
  question asked;
  asked.where = where;
  const plan what = plan_of(asked, on);
  const std::vector<condition_step> steps = steps_of(*what.where, on);
  std::vector<column_view> views;
  for (const column& one : on.columns) views.push_back(one.view());
  const apps::cpu_backend backend(1);
  condition_machine<apps::cpu_backend> machine(backend);
  const auto& truths = machine.run(steps, views, static_cast<std::int64_t>(on.rows()));
  table found = on;
  std::string numbers;
  for (column& one : found.columns) one = {one.name, one.type, {}, {}, {}, one.words};
  for (std::size_t row = 0; row < on.rows(); ++row) {
    if (truths[row] != is_true) continue;
    numbers += (numbers.empty() ? "" : " ") + std::to_string(row);
    for (std::size_t i = 0; i < on.columns.size(); ++i) {
      const column& from = on.columns[i];
      if (from.type == column_type::integer) found.columns[i].integers.push_back(from.integers[row]);
      else if (from.type == column_type::real) found.columns[i].reals.push_back(from.reals[row]);
      else found.columns[i].texts.push_back(from.texts[row]);
    }
  }
  EXPECT_TRUE(agrees(found, plain_query(what, on))) << where;
  return numbers;
}

TEST(query_conditions, comparisons) {
  const table on = numbers();
  EXPECT_EQ(taken(on, "n > 1"), "1");
  EXPECT_EQ(taken(on, "n >= 1 "), "0 1");
  EXPECT_EQ(taken(on, "1 < n"), "1");
  EXPECT_EQ(taken(on, "n != 1"), "1 3");
  EXPECT_EQ(taken(on, "n <> 1.5"), "0 1 3");
  EXPECT_EQ(taken(on, "n < 1.5"), "0 3");
  EXPECT_EQ(taken(on, "n > -3.5"), "0 1");
  EXPECT_EQ(taken(on, "n = -4e0"), "3");
  EXPECT_EQ(taken(on, "n < 1e30"), "0 1 3");
  EXPECT_EQ(taken(on, "n < -1e30"), "");
  EXPECT_EQ(taken(on, "x == n"), "3");
  EXPECT_EQ(taken(on, "x < n"), "0");
  EXPECT_EQ(taken(on, "name == other"), "1");
  EXPECT_EQ(taken(on, "name < other"), "0");
  EXPECT_EQ(taken(on, "name == 'bob'"), "1");
  EXPECT_EQ(taken(on, "name == \"d \"\"e\"\"\""), "3");
  EXPECT_EQ(taken(on, "name > 'b' and name < 'bobb'"), "1");
  EXPECT_EQ(taken(on, "name >= 'zzz' or 'aaa' > name"), "");
  EXPECT_EQ(taken(on, "`odd name` in (1, 3, 7)"), "0 2");
}

// Whole numbers that no double has, beside reals: 2^53 and its neighbours.
TEST(query_conditions, large_whole_constants) {
  const table on = read_table("r\n9007199254740992\n9007199254740994\n-9007199254740992\n0.5\n", "reals");
  EXPECT_EQ(taken(on, "r == 9007199254740993"), "");
  EXPECT_EQ(taken(on, "r < 9007199254740993"), "0 2 3");
  EXPECT_EQ(taken(on, "r <= 9007199254740993"), "0 2 3");
  EXPECT_EQ(taken(on, "r > 9007199254740993"), "1");
  EXPECT_EQ(taken(on, "9007199254740995 > r"), "0 1 2 3");
  EXPECT_EQ(taken(on, "r >= -9007199254740993"), "0 1 2 3");
  EXPECT_EQ(taken(on, "r == 9007199254740994"), "1");
}

// Beside whole numbers constants are not rounded to doubles first, unless they have an exponent.
TEST(query_conditions, constants_with_a_point) {
  const table on = read_table(
      "n\n9007199254740992\n9007199254740993\n-9007199254740993\n9223372036854775807\n-9223372036854775807\n0\n",
      "whole numbers");
  EXPECT_EQ(taken(on, "n < 9007199254740992.5"), "0 2 4 5");
  EXPECT_EQ(taken(on, "n >= +9007199254740992.50"), "1 3");
  EXPECT_EQ(taken(on, "n == 9007199254740992.5"), "");
  EXPECT_EQ(taken(on, "n == 9007199254740993.0"), "1");
  EXPECT_EQ(taken(on, "n <= 00009007199254740993."), "0 1 2 4 5");
  EXPECT_EQ(taken(on, "n >= -9007199254740992.5"), "0 1 3 5");
  EXPECT_EQ(taken(on, "n > -9007199254740993.5"), "0 1 2 3 5");
  EXPECT_EQ(taken(on, "n < 9223372036854775806.5"), "0 1 2 4 5");
  EXPECT_EQ(taken(on, "n == 9223372036854775807.0"), "3");
  EXPECT_EQ(taken(on, "n < 9223372036854775807.5"), "0 1 2 3 4 5");
  EXPECT_EQ(taken(on, "n > 9223372036854775808.5"), "");
  EXPECT_EQ(taken(on, "n > -9223372036854775807.5"), "0 1 2 3 4 5");
  EXPECT_EQ(taken(on, "n >= -9223372036854775808.5"), "0 1 2 3 4 5");
  EXPECT_EQ(taken(on, "n < -.5"), "2 4");
  EXPECT_EQ(taken(on, "n >= -0.0"), "0 1 3 5");
  EXPECT_EQ(taken(on, "n < ." + std::string(400, '0') + "1"), "2 4 5");
  EXPECT_EQ(taken(read_table("r\n0.1\n0.2\n", "reals"), "r == 0.1"), "0");
}

// A Parquet file may have infinite values. Nothing is beyond them.
TEST(query_conditions, infinite_values) {
  table on = read_table("r\n0.5\n1.5\n2.5\n", "reals");
  const double infinity = std::numeric_limits<double>::infinity();
  on.columns[0].reals[0] = -infinity, on.columns[0].reals[2] = infinity;
  EXPECT_EQ(taken(on, "r < -inf"), "");
  EXPECT_EQ(taken(on, "r <= -1e999"), "0");
  EXPECT_EQ(taken(on, "r > -1e999"), "1 2");
  EXPECT_EQ(taken(on, "r < 1e999"), "0 1");
  EXPECT_EQ(taken(on, "r > 1e999"), "");
  EXPECT_EQ(taken(on, "r == -1e999"), "0");
}

TEST(query_conditions, missing_values_are_neither) {
  const table on = numbers();
  EXPECT_EQ(taken(on, "x is missing"), "1");
  EXPECT_EQ(taken(on, "x is not null"), "0 2 3");
  EXPECT_EQ(taken(on, "not x > 0"), "3");
  EXPECT_EQ(taken(on, "not (x > 0 and n > 0)"), "3");
  EXPECT_EQ(taken(on, "not (x > 0 or n > 5)"), "3");
  EXPECT_EQ(taken(on, "x > 0 or not x > 0"), "0 2 3");
  EXPECT_EQ(taken(on, "NOT NOT (x > 0 OR n == 2)"), "0 1 2");
}

TEST(query_conditions, precedence) {
  const table on = numbers();
  EXPECT_EQ(taken(on, "n == 1 or n == 2 and x > 100"), "0");
  EXPECT_EQ(taken(on, "(n == 1 or n == 2) and x > 100"), "");
  EXPECT_EQ(taken(on, "!n == 1 && !n == 2 || n == 1"), "0 3");
}

TEST(query_conditions, what_is_refused) {
  const table on = numbers();
  const auto expect_error = [&](const std::string& where, const std::string& part) {
    try {
      taken(on, where);
      ADD_FAILURE() << where << " was taken";
    } catch (const apps::user_error& error) {
      EXPECT_NE(std::string(error.what()).find("--where: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << where << ": " << error.what();
    }
  };
  expect_error("n >", "character 4: the end is where a column or a constant was expected");
  expect_error("n", "the end is where a comparison was expected");
  expect_error("n > 1 x", "character 7: \"x\" is more than one condition");
  expect_error("(n > 1", "closing parenthesis");
  expect_error("n in 3", "opening parenthesis");
  expect_error("n in (3", "a comma or a closing parenthesis");
  expect_error("n is 3", "\"missing\" was expected");
  expect_error("3 is missing", "only a column");
  expect_error("m > 1", "no column m, but n, x, name");
  expect_error("n > 'a", "has no closing quote");
  expect_error("n > 1x", "\"1x\" is no number");
  expect_error("x > -nan", "\"-nan\" is no number");
  expect_error("n == +NaN", "is no number");
  expect_error("n > 'a'", "column n is of numbers");
  expect_error("name > 1", "character 8: column name is of texts; write this in quotes");
  expect_error("1 < 2", "two constants");
  expect_error("name < n", "texts and of numbers");
  expect_error("n > 1; drop", "\";\" is more than one");
  expect_error("n \x1b[31m 1", "\"\\x1b\"");
  expect_error(std::string(100000, '('), "nested too deeply");
  std::string many = "n in (1", right = "n > 1";
  for (int i = 0; i < 1000; ++i) many += ",1";
  expect_error(many + ")", "1,000 comparisons");
  std::string missing = "n is missing";
  for (int i = 0; i < 1000; ++i) missing += "||n is null";
  expect_error(missing, "1,000 comparisons");
  for (int i = 0; i < 40; ++i) right = "n > 1 or (" + right + ")";
  expect_error(right, "nested too deeply");
}

TEST(query_conditions, random_ones) {
  test::random_source random(11);
  for (int i = 0; i < 400; ++i) {
    const table on = test::random_table(random, 60, 1 + test::below(random, 5));
    taken(on, test::random_condition(random, on, 5));
  }
}

}  // namespace
