// SPDX-License-Identifier: Apache-2.0
// Tables from CSV files and back.
#include <cmath>
#include <string>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/query/table.hpp"
#include "support/test.hpp"

namespace {

using namespace query;

TEST(query_tables, types_by_content) {
  const table on = read_table(
      "\xEF\xBB\xBFwhole, real ,text,mixed,none\r\n"
      "1,1,a,1,\r\n"
      "-2,.5,\"b,c\",x,NA\r\n"
      "\r\n"
      "+3,1e3, d ,2,nan\r\n"
      "NULL,,\"\",,null\r\n",
      "t");
  ASSERT_EQ(on.columns.size(), 5U);
  EXPECT_EQ(on.rows(), 4U);
  EXPECT_EQ(on.columns[0].name, "whole");
  EXPECT_EQ(on.columns[0].integers, (std::vector<std::int64_t>{1, -2, 3, missing_integer}));
  EXPECT_EQ(on.columns[1].name, "real");
  EXPECT_EQ(on.columns[1].type, column_type::real);
  EXPECT_EQ(on.columns[1].reals[2], 1000);
  EXPECT_TRUE(std::isnan(on.columns[1].reals[3]));
  EXPECT_EQ(on.columns[2].words, (std::vector<std::string>{"", "a", "b,c", "d"}));
  EXPECT_EQ(on.columns[2].texts, (std::vector<std::uint32_t>{1, 2, 3, 0}));
  EXPECT_EQ(on.columns[3].type, column_type::text);
  EXPECT_EQ(on.columns[4].type, column_type::integer);
  EXPECT_EQ(as_csv(on), "whole,real,text,mixed,none\n1,1,a,1,\n-2,0.5,\"b,c\",x,\n3,1000,d,2,\n,,\"\",,\n");
}

TEST(query_tables, numbers_at_the_ends) {
  const auto type = [](const std::string& field) { return read_table("a\n1\n" + field + "\n", "t").columns[0].type; };
  EXPECT_EQ(type("9223372036854775807"), column_type::integer);
  EXPECT_EQ(type("-9223372036854775807"), column_type::integer);
  EXPECT_EQ(type("-9223372036854775808"), column_type::real);  // stands for a missing value
  EXPECT_EQ(type("9223372036854775808"), column_type::real);
  EXPECT_EQ(type("1e999"), column_type::text);
  EXPECT_EQ(type("inf"), column_type::text);
  EXPECT_EQ(type("+-1"), column_type::text);
  EXPECT_EQ(type("0x10"), column_type::text);
  EXPECT_EQ(code_of(-0.0), code_of(0.0));
  EXPECT_LT(code_of(-1.5), code_of(-1.0));
  EXPECT_LT(code_of(std::int64_t{-1}), code_of(std::int64_t{0}));
}

TEST(query_tables, one_column_with_missing_values) {
  const std::string text = "a\n1\nNA\n3\n";
  EXPECT_EQ(as_csv(read_table(text, "t")), text);
}

// In quotes they are texts, where the column has no numbers.
TEST(query_tables, texts_that_would_be_missing) {
  const std::string text = "t,n\n\"\",1\n,2\n\"NA\",3\n\"null\",4\na,5\n";
  const table on = read_table(text, "t");
  EXPECT_EQ(on.columns[0].words, (std::vector<std::string>{"", "NA", "a", "null"}));
  EXPECT_EQ(on.columns[0].texts, (std::vector<std::uint32_t>{0, missing_text, 1, 3, 2}));
  EXPECT_EQ(as_csv(on), text);
  for (const std::string column : {"a\n\"\"\nNA\n", "a\nNA\n\"nan\"\nb\n"}) {
    EXPECT_EQ(as_csv(read_table(column, "t")), column);
  }
  const table numbers = read_table("n,x\n\"1\",\"nan\"\n\"\",\"0.5\"\n", "t");
  EXPECT_EQ(numbers.columns[0].integers, (std::vector<std::int64_t>{1, missing_integer}));
  EXPECT_EQ(as_csv(numbers), "n,x\n1,\n,0.5\n");
}

TEST(query_tables, lines_for_a_terminal) {
  const table on = read_table("name,n\nann,1\n\"b\x1b[31m\",22\n", "t");
  EXPECT_EQ(as_lines(on, 9), "name        n\nann         1\nb\\x1b[31m  22\n");
  EXPECT_EQ(as_lines(on, 1), "name  n\nann   1\n");
  EXPECT_EQ(as_lines(read_table("name,n\nK\xc3\xb6ln,1\nBonn,22\n", "t"), 9),
            "name   n\nK\xc3\xb6ln   1\nBonn  22\n");  // by characters, not by bytes
}

TEST(query_tables, what_is_refused) {
  const auto expect_error = [](const std::string& text, const std::string& part) {
    try {
      read_table(text, "t.csv");
      ADD_FAILURE() << text;
    } catch (const apps::user_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("t.csv: ", 0), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_error("", "is empty");
  expect_error("\n\n", "is empty");
  expect_error("a,\n", "line 1: a column has no name");
  expect_error("\na,b, a\n", "line 2: two columns are named a");
  expect_error("a,b\n1,2\n\n3\n", "line 4: 1 fields, where the first row has 2");
  expect_error("a\n\"1", "line 2: the file ends inside quotes");
  expect_error("a\n\"1\"x\n", "line 2: text behind a closing quote");
}

}  // namespace
