// SPDX-License-Identifier: Apache-2.0
// Matrix Market files, good and broken, and compressed rows made of them.
#include "../../../apps/spmv/matrix_market.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/spmv/csr_matrix.hpp"

namespace {

using namespace spmv;

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

// As rows of all values, for small matrices.
std::vector<std::vector<double>> dense(const csr_matrix& matrix) {
  std::vector<std::vector<double>> result(static_cast<std::size_t>(matrix.rows),
                                          std::vector<double>(static_cast<std::size_t>(matrix.columns), 0));
  for (std::size_t row = 0; row < result.size(); ++row) {
    for (int k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      result[row][static_cast<std::size_t>(matrix.column[static_cast<std::size_t>(k)])] +=
          matrix.value[static_cast<std::size_t>(k)];
    }
  }
  return result;
}

std::vector<std::vector<double>> dense_of(const std::string& text) {
  return dense(compressed(parse_matrix_market(text, "m.mtx")));
}

using rows = std::vector<std::vector<double>>;

TEST(matrix_market, real_general) {
  EXPECT_EQ(dense_of(real_general + "2 3 3\n2 1 -1.5e2\n1 3 +4\n1 1 .5\n"), (rows{{0.5, 0, 4}, {-150, 0, 0}}));
}

TEST(matrix_market, comments_blank_lines_and_other_line_ends) {
  EXPECT_EQ(dense_of("%%matrixmarket MATRIX Coordinate Real General\r\n% a comment\r\n\r\n%\r\n 2\t2   1 \r\n"
                     "% another\r\n\r\n 2 2\t 7 \r\n\r\n% the end"),
            (rows{{0, 0}, {0, 7}}));
}

TEST(matrix_market, other_kinds) {
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 -3\n2 1 +9007199254740993\n"),
            (rows{{0, -3}, {9007199254740992.0, 0}}));
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n"), (rows{{0, 1}, {0, 1}}));
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 5\n3 2 -1\n"),
            (rows{{2, 0, 5}, {0, 0, -1}, {5, -1, 0}}));
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"), (rows{{1, 1}, {1, 0}}));
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n"), (rows{{0, -4}, {4, 0}}));
  EXPECT_EQ(parse_matrix_market("%%MatrixMarket matrix coordinate Pattern Symmetric\n2 2 0\n", "m").kind,
            "pattern symmetric");
}

TEST(matrix_market, no_entries) {
  EXPECT_EQ(dense_of(real_general + "2 3 0"), (rows{{0, 0, 0}, {0, 0, 0}}));
  const csr_matrix matrix = compressed(parse_matrix_market(real_general + "2 3 0\n", "m.mtx"));
  EXPECT_EQ(matrix.offsets, (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(compressed, rows_sorted_and_duplicates_added_up) {
  const csr_matrix matrix = compressed(
      parse_matrix_market(real_general + "4 4 7\n3 4 1\n1 2 10\n3 1 2\n1 2 20\n3 4 4\n1 1 5\n3 4 8\n", "m.mtx"));
  EXPECT_EQ(matrix.offsets, (std::vector<std::int32_t>{0, 2, 2, 4, 4}));
  EXPECT_EQ(matrix.column, (std::vector<std::int32_t>{0, 1, 0, 3}));
  EXPECT_EQ(matrix.value, (std::vector<double>{5, 30, 2, 13}));
  // In the file's order: otherwise the small one would be lost.
  EXPECT_EQ(dense_of(real_general + "1 1 3\n1 1 1e20\n1 1 -1e20\n1 1 1\n"), (rows{{1}}));
  EXPECT_EQ(dense_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 4\n2 1 3\n"), (rows{{0, 7}, {7, 0}}));
}

void expect_error(const std::string& text, const std::string& part) {
  std::string got;
  try {
    parse_matrix_market(text, "broken.mtx");
  } catch (const apps::user_error& error) {
    got = error.what();
  }
  EXPECT_EQ(got.rfind("broken.mtx: line ", 0), 0U) << "'" << got << "' for\n" << text;
  EXPECT_NE(got.find(part), std::string::npos) << "'" << got << "' lacks '" << part << "'";
  EXPECT_EQ(got.find('\n'), std::string::npos) << got;
}

TEST(matrix_market_errors, banner) {
  for (const std::string text : {"", "\n", "1 1 1\n", "%MatrixMarket matrix coordinate real general\n", "\x89PNG\n"}) {
    expect_error(text, "line 1: not a Matrix Market file");
  }
  expect_error(std::string(100000, '\0'), "line 1: not a Matrix Market file");
  expect_error("%%MatrixMarket\n", "line 1: the banner");
  expect_error("%%MatrixMarket matrix coordinate real general yes\n", "line 1: the banner");
  expect_error("%%MatrixMarket vector coordinate real general\n", "line 1: holds a vector");
  expect_error("%%MatrixMarket matrix array real general\n", "line 1: format array");
  expect_error("%%MatrixMarket matrix coordinate complex general\n", "line 1: field complex");
  expect_error("%%MatrixMarket matrix coordinate real hermitian\n", "line 1: symmetry hermitian");
  expect_error("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "line 1: a pattern");
}

TEST(matrix_market_errors, sizes) {
  expect_error(real_general, "line 1: the file ends before");
  expect_error(real_general + "% only\n% comments\n", "line 3: the file ends before");
  expect_error(real_general + "% c\n2 2\n", "line 3: three numbers");
  expect_error(real_general + "2 2 1 1\n1 1 1\n", "line 2: three numbers");
  expect_error(real_general + "2 x 1\n", "line 2: \"x\" is no whole number");
  expect_error(real_general + "2.0 2 1\n", "line 2: \"2.0\" is no whole number");
  expect_error(real_general + "+-2 2 1\n", "line 2: \"+-2\" is no whole number");
  expect_error(real_general + "0 2 0\n", "line 2: 0 rows");
  expect_error(real_general + "2 -1 0\n", "line 2: -1 columns");
  expect_error(real_general + "2 2 -1\n", "line 2: -1 entries");
  expect_error(real_general + "2 2 3000000000\n", "line 2: 3000000000 entries");
  expect_error(real_general + "99999999999999999999 2 1\n", "line 2: \"99999999999999999999\"");
  expect_error(real_general + "% c\n2147483647 1 1\n1 1 1\n", "line 3: 2147483647 rows are too many for 1 entry");
  expect_error(real_general + "1 1000001 0\n", "line 2: 1000001 columns are too many for 0 entries");
  EXPECT_EQ(parse_matrix_market(real_general + "1000016 1000000 1\n1 1 1\n", "m.mtx").rows, 1000016);
  expect_error("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
               "line 2: a real symmetric matrix must be square");
}

TEST(matrix_market_errors, entries) {
  expect_error(real_general + "2 2 2\n1 1 1\n", "line 3: the file ends after 1 of 2 entries");
  expect_error(real_general + "2 2 2000000000\n",
               "line 2: the file ends after 0 of 2000000000");  // and takes no memory
  expect_error(real_general + "2 2 1\n1 1 1\n\n2 2 1\n", "line 5: more than the 1 entries");
  expect_error(real_general + "2 2 1\n% c\n1 1\n", "line 4: an entry is a row, a column and a value");
  expect_error(real_general + "2 2 1\n1 1 1 1\n", "line 3: an entry is");
  expect_error(real_general + "2 2 1\n0 1 1\n", "line 3: row 0 is not from 1 to 2");
  expect_error(real_general + "2 2 1\n1 3 1\n", "line 3: column 3 is not from 1 to 2");
  expect_error(real_general + "2 2 1\n1.5 1 1\n", "line 3: \"1.5\" is no whole number");
  expect_error(real_general + "2 2 1\n1 1 one\n", "line 3: \"one\" is no number");
  expect_error(real_general + "2 2 1\n1 1 1,5\n", "line 3: \"1,5\" is no number");
  expect_error(real_general + "2 2 1\n1 1 nan\n", "line 3: \"nan\" is not a finite number");
  expect_error(real_general + "2 2 1\n1 1 1e999\n", "line 3: \"1e999\" is not a finite number");
  expect_error("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
               "line 3: \"1.5\" is no whole number");
  expect_error("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
               "line 3: an entry is a row and a column");
  expect_error("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
               "line 3: an entry above the diagonal");
  expect_error("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", "line 3: the diagonal");
}

// Damage of any kind ends in an error or in a matrix, never in a crash.
TEST(matrix_market_errors, damaged_files) {
  const std::string whole =
      "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 1.5\n2 1 -2\n3 3 1e-3\n3 2 7\n";
  std::mt19937 random(7);
  int refused = 0, read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (int changes = 1 + i % 3; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    if (i % 5 == 0) text.resize(random() % text.size());
    try {
      const csr_matrix matrix = compressed(parse_matrix_market(text, "m.mtx"));
      EXPECT_EQ(matrix.offsets.size(), static_cast<std::size_t>(matrix.rows) + 1);
      ++read;
    } catch (const apps::user_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(read, 10);
}

}  // namespace
