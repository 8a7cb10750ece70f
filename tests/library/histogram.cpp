// SPDX-License-Identifier: Apache-2.0
// The library's histograms: by value, in even bins and between edges.
#include "library/fixture.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace {

constexpr std::size_t n = 30011;

// bin_of(value): the value's bin; one that is not there counts nowhere.
template <class T, class F>
void compare(const test::array<std::int64_t>& counts, const std::vector<T>& values, F bin_of) {
  std::vector<std::int64_t> expected(counts.size());
  for (const T& value : values) {
    const std::int64_t bin = bin_of(value);
    if (bin >= 0 && bin < static_cast<std::int64_t>(expected.size())) ++expected[static_cast<std::size_t>(bin)];
  }
  EXPECT_TRUE(test::same(counts.items(), expected));
}

// Integers around those from which on doubles have gaps, and at both ends of their type.
template <class T>
std::vector<T> around_gaps(std::size_t size, std::uint64_t seed) {
  constexpr auto minus = static_cast<T>(-1);
  const auto near = {T{0},
                     T{1} << 53,
                     minus * (T{1} << 53),
                     T{1} << 62,
                     minus * (T{1} << 62),
                     std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::max()};
  std::vector<T> all;
  for (const T value : near) {
    for (std::uint64_t step = 0; step < 7; ++step)
      all.push_back(static_cast<T>(static_cast<std::uint64_t>(value) + step - 3));
  }
  std::vector<T> values(size);
  const std::vector<std::uint64_t> drawn = test::random_values<std::uint64_t>(size, seed);
  for (std::size_t i = 0; i < size; ++i) values[i] = all[drawn[i] % all.size()];
  return values;
}

}  // namespace

LIBRARY_TEST(library_histogram, by_value) {
  const auto by_value = [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(testing::Message() << "bytes " << sizeof(T) << ", signed " << std::is_signed_v<T>);
    std::vector<T> values = test::random_values<T>(n, 4);
    for (std::size_t i = 0; i < n; i += 2) values[i] = static_cast<T>(values[i] % T(50));
    const test::array<T> in(where, values);
    const test::array<std::int64_t> counts(where, 70);
    library::histogram<T>(where, in, n, library::value_bins{-20, 50}, counts);
    compare(counts, values, [](T value) {
      const bool is_large = !std::is_signed_v<T> && static_cast<std::uint64_t>(value) > 1000;
      return is_large || value > T(100) ? std::int64_t{-1} : static_cast<std::int64_t>(value) + 20;
    });
  };
  by_value(std::int8_t{}), by_value(std::uint8_t{}), by_value(std::int16_t{}), by_value(std::uint16_t{});
  by_value(std::int32_t{}), by_value(std::uint32_t{}), by_value(std::int64_t{}), by_value(std::uint64_t{});
}

LIBRARY_TEST(library_histogram, of_floats) {
  const auto of_floats = [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> values = test::random_between<T>(n, 5, -8, 8);
    const test::array<T> in(where, values), edges(where, {-8, -4, 0, 0, 5});
    const test::array<std::int64_t> even(where, 4), between(where, 4);
    library::histogram<T>(where, in, n, library::even_bins{-8, 8, 4}, even);
    library::histogram<T>(where, in, n, edges, 5, between);
    compare(even, values, [](T value) { return static_cast<std::int64_t>(std::floor((value + 8) / 4)); });
    compare(between, values, [](T value) { return value < -4 ? 0 : value < 0 ? 1 : value < 5 ? 3 : -1; });
  };
  of_floats(float{}), of_floats(double{});
}

LIBRARY_TEST(library_histogram, integers_in_even_bins) {
  const auto even = [&](auto zero, const library::even_integer_bins& bins) {
    using T = decltype(zero);
    SCOPED_TRACE(testing::Message() << "bytes " << sizeof(T) << ", signed " << std::is_signed_v<T> << ", from "
                                    << bins.lower << " to " << bins.upper);
    const std::vector<T> values = test::random_values<T>(n, 4);
    const test::array<T> in(where, values);
    const test::array<std::int64_t> counts(where, static_cast<std::size_t>(bins.count));
    library::histogram<T>(where, in, n, bins, counts);
    compare(counts, values, [&](T value) {
      using wide = __int128;
      const wide x = value, lower = bins.lower, upper = bins.upper;
      return x < lower || x >= upper ? std::int64_t{-1}
                                     : static_cast<std::int64_t>((x - lower) * bins.count / (upper - lower));
    });
  };
  const auto all_bins = [&](auto zero) {
    even(zero, {-30, 100, 7}), even(zero, {0, 3, 5}), even(zero, {-40000, 40000, 1000});
    even(zero, {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 13});
  };
  all_bins(std::int8_t{}), all_bins(std::uint8_t{}), all_bins(std::int16_t{}), all_bins(std::uint16_t{});
  all_bins(std::int32_t{}), all_bins(std::uint32_t{}), all_bins(std::int64_t{}), all_bins(std::uint64_t{});
  const test::array<int> in(where, std::size_t{3});
  const test::array<std::int64_t> counts(where, 3);
  EXPECT_THROW(library::histogram<int>(where, in, 3, library::even_integer_bins{4, 4, 3}, counts),
               onepass::invalid_argument);
}

LIBRARY_TEST(library_histogram, integers_between_edges) {
  const auto between = [&](auto zero, std::size_t size, std::size_t edge_count) {
    using T = decltype(zero);
    SCOPED_TRACE(testing::Message() << "signed " << std::is_signed_v<T> << ", " << size << " items, edges "
                                    << edge_count);
    const std::vector<T> values = around_gaps<T>(size, 6);
    std::vector<T> limits = around_gaps<T>(edge_count, 7);
    std::sort(limits.begin(), limits.end());
    const test::array<T> in(where, values), edges(where, limits);
    const test::array<std::int64_t> counts(where, edge_count - 1);
    library::histogram<T>(where, in, size, edges, edge_count, counts);
    compare(counts, values,
            [&](T value) { return std::upper_bound(limits.begin(), limits.end(), value) - limits.begin() - 1; });
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, n}) {
    for (const std::size_t edge_count : {2, 3, 12, 100}) {  // of 100 many are equal
      between(std::int64_t{}, size, edge_count), between(std::uint64_t{}, size, edge_count);
    }
  }
}
