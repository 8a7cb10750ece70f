// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of columns: widths around groups, vectors, strips and tiles, one array and several, the last row and
// the last array cut off; types, operators that do not commute, iterators, in place.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <string>

#include "primitives/segmented_scan/columns_fixture.hpp"
#include "support/operators.hpp"

using test::all_rows;
using test::arrays;
using test::check_columns;
using test::exclusive_columns;
using test::inclusive_columns;
using test::reduced_columns;

namespace {

// Widths around groups, strips of columns and tiles, with few rows and many, one array and several.
template <class T, class Op, class Backend>
void check_shapes(const Backend& backend, T init, Op op, std::size_t most) {
  for (const std::int64_t width : {1, 2, 3, 4, 5, 8, 31, 33, 63, 64, 65, 100, 129, 255, 257, 1000, 5000}) {
    for (const std::size_t rows :
         {std::size_t{1}, std::size_t{2}, std::size_t{67}, most / static_cast<std::size_t>(width)}) {
      const std::size_t n = static_cast<std::size_t>(width) * rows;
      if (n > most || rows == 0) continue;
      const std::vector<T> items = test::random_values<T>(n, n);
      check_columns(backend, items, width, all_rows, init, op, rows % 3);
      check_columns(backend, items, width, static_cast<std::int64_t>(rows / 3 + 1), init, op);
      if (n < 2) continue;
      const std::vector<T> cut(
          items.begin(), items.end() - 1 - static_cast<std::ptrdiff_t>(rows) % std::min<std::ptrdiff_t>(width, 40));
      check_columns(backend, cut, width, all_rows, init, op);
      check_columns(backend, cut, width, 5, init, op, 1);
    }
  }
  for (const std::size_t n : {0u, 1u, 7u})
    check_columns(backend, test::random_values<T>(n, 1), std::int64_t{1} << 61, std::int64_t{1} << 61, init, op);
}

}  // namespace

ONEPASS_TEST(columns, uint32_sums) { check_shapes<std::uint32_t>(backend, 7, onepass::sum{}, test::limited(200000)); }
ONEPASS_TEST(columns, int8_sums) { check_shapes<std::int8_t>(backend, 3, onepass::sum{}, test::limited(60000)); }
ONEPASS_TEST(columns, int64_minima) {
  check_shapes<std::int64_t>(backend, 5, onepass::minimum{}, test::limited(60000));
}
ONEPASS_TEST(columns, uint16_sums_of_an_unknown_kind) {
  check_shapes<std::uint16_t>(backend, 9, test::plain_sum{}, test::limited(60000));
}
ONEPASS_TEST(columns, matrices) {
  check_shapes<test::matrix>(backend, {1, 2, 3, 4}, test::matrix_product{}, test::limited(60000));
}
ONEPASS_TEST(columns, triples) {
  check_shapes<test::triple>(backend, {1, 2, 3}, test::triangular_product{}, test::limited(20000));
}

namespace {

// On CUDA a column of up to 8 items, or of few beside the number of columns, has a thread of its own. Others are cut into
// strips of up to 32 items, or 128 bytes.
template <class T, class Op, class Backend>
void check_heights(const Backend& backend, T init, Op op) {
  constexpr std::int64_t strip = sizeof(T) > 4 ? 128 / sizeof(T) : 32;
  for (const std::int64_t width : {2, 3, 16, 300}) {
    for (const std::int64_t height : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{8},
                                      std::int64_t{9}, strip - 1, strip, strip + 1, 2 * strip + 3}) {
      for (const std::int64_t arrays : {std::int64_t{9}, test::small_only() ? 9 : 64 * height / width + 9}) {
        const auto n = static_cast<std::size_t>(width * (arrays * height + 1) + 1);
        check_columns(backend, test::random_values<T>(n, n), width, height, init, op);
      }
    }
  }
}

}  // namespace

ONEPASS_TEST(columns, as_long_as_a_strip) {
  check_heights<std::uint8_t>(backend, 3, onepass::sum{});
  check_heights<std::uint32_t>(backend, 7, onepass::sum{});
  check_heights<std::int64_t>(backend, 5, onepass::maximum{});
  check_heights<test::matrix>(backend, {1, 2, 3, 4}, test::matrix_product{});
}

// Of the last array there is a part of one row, in which most of its columns have nothing.
ONEPASS_TEST(columns, part_of_a_row) {
  for (const std::int64_t width : {3, 70, 5000}) {
    for (const std::int64_t more : {std::int64_t{1}, width / 2}) {
      const auto n = static_cast<std::size_t>(2 * 9 * width + more);
      check_columns(backend, test::random_values<std::uint32_t>(n, n), width, 9, 7u, onepass::sum{});
      check_columns(backend, test::random_values<test::matrix>(n, n), width, 9, test::matrix{1, 2, 3, 4},
                    test::matrix_product{});
    }
  }
}

ONEPASS_CPU_TEST(columns, strings_and_throwing_operators) {
  std::vector<std::string> words(600), out(600), expected;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::string(1, static_cast<char>('a' + i % 26));
  const arrays a{words.size(), 20, all_rows};
  onepass::inclusive_segmented_scan(backend.policy(), words.begin(), words.end(), onepass::columns(20), out.begin(),
                                    std::plus<std::string>{});
  EXPECT_EQ(out, inclusive_columns(words, a, std::plus<std::string>{}));
  std::vector<std::int64_t> numbers(200000, 2), sums(200000);
  numbers[150000] = test::refused_value;
  for (const int threads : {1, 3}) {
    EXPECT_TRUE(test::throws<test::refusal>("refused", [&] {
      onepass::inclusive_segmented_scan(onepass::cpu(threads), numbers.begin(), numbers.end(), onepass::columns(1000),
                                        sums.begin(), test::throwing_sum{});
    }));
  }
}

// Items and results that are no arrays, and other types of items, values and results.
ONEPASS_TEST(columns, iterators_and_types) {
  const std::size_t n = test::limited(100003);
  for (const std::int64_t width : {2, 4, 10, 500}) {
    SCOPED_TRACE(testing::Message() << width << " columns");
    const arrays a{n, width, all_rows};
    std::vector<std::int64_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::int64_t>(i);
    const test::buffer<std::int64_t> out(backend, n);
    const thrust::counting_iterator<std::int64_t> first(0), last(static_cast<std::int64_t>(n));
    const auto to = thrust::make_permutation_iterator(out.begin(), first);
    onepass::inclusive_segmented_scan(backend.policy(), first, last, onepass::columns(width), to);
    EXPECT_TRUE(test::same(out.to_host(), inclusive_columns(numbers, a, onepass::sum{})));
    onepass::segmented_reduce(backend.policy(), first, last, onepass::columns(width), to);
    const std::vector<std::int64_t> totals = reduced_columns(numbers, a, std::int64_t{0}, onepass::sum{});
    EXPECT_TRUE(test::same(out.to_host(totals.size()), totals));

    // Bytes, added up in 64 bits.
    const std::vector<std::int8_t> bytes = test::random_values<std::int8_t>(n, 2);
    const std::vector<std::int64_t> wide(bytes.begin(), bytes.end());
    const test::buffer<std::int8_t> in(backend, bytes);
    onepass::exclusive_segmented_scan(backend.policy(), in.begin(), in.end(), onepass::columns(width), out.begin(),
                                      std::int64_t{3});
    EXPECT_TRUE(test::same(out.to_host(), exclusive_columns(wide, a, std::int64_t{3}, onepass::sum{})));
  }
}

ONEPASS_TEST(columns, without_a_policy) {
  const std::vector<int> items = test::random_between<int>(1000, 1, -1000, 1000);
  const arrays a{1000, 7, all_rows};
  const test::buffer<int> in(backend, items), out(backend, 1000), totals(backend, 7);
  const auto first = backend.tagged(in.begin()), last = backend.tagged(in.end());
  onepass::inclusive_segmented_scan(first, last, onepass::columns(7), backend.tagged(out.begin()));
  EXPECT_TRUE(test::same(out.to_host(), inclusive_columns(items, a, onepass::sum{})));
  onepass::segmented_reduce(first, last, onepass::columns(7), backend.tagged(totals.begin()), 2);
  EXPECT_TRUE(test::same(totals.to_host(), reduced_columns(items, a, 2, onepass::sum{})));
}
