// SPDX-License-Identifier: Apache-2.0
// The library's linear recurrences of many rows; others are in dense.cpp.
#include "library/fixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

// So many rows that a GPU's warps have one each: lengths around what a warp takes at a time, a last row that is shorter, ranges
// that do not begin at 16 bytes, an infinity and a NaN that stay in their rows.
template <class T>
void recurs_in_many_rows(const library::execution& where, std::size_t length, bool reverse, bool next_factor) {
  SCOPED_TRACE(testing::Message() << "rows of " << length << ", reverse " << reverse << ", next " << next_factor
                                  << ", bytes " << sizeof(T));
  constexpr std::size_t rows = 530;
  const std::size_t n = rows * length + (reverse ? 0 : length / 3), unaligned = 1;
  std::vector<T> a = test::random_between<T>(n + unaligned, 5, -1, 1),
                 b = test::random_between<T>(n + unaligned, 6, -3, 3);
  const T infinity = std::numeric_limits<T>::infinity();
  b[unaligned + length + length / 2] = infinity;
  a[unaligned + 3 * length] = infinity;  // a row's first factor counts for nothing, unless it is the next one's
  b[unaligned + 5 * length - 1] = std::numeric_limits<T>::quiet_NaN();
  b[unaligned + 7 * length] = b[unaligned + 8 * length - 1] = -T(0);
  std::vector<T> expected(n);
  for (std::size_t begin = 0; begin < n; begin += length) {
    const std::size_t end = std::min(n, begin + length);
    for (std::size_t i = 0; i < end - begin; ++i) {
      const std::size_t t = reverse ? end - 1 - i : begin + i, before = reverse ? t + 1 : t - 1;
      expected[t] = b[unaligned + t];
      if (i > 0) expected[t] += a[unaligned + (next_factor ? before : t)] * expected[before];
    }
  }
  const test::array<T> factors(where, a), terms(where, b), out(where, n + unaligned);
  library::linear_recurrence<T>(where, factors + unaligned, terms + unaligned, n,
                                library::rows{static_cast<std::int64_t>(length)}, out + unaligned,
                                {reverse, next_factor});
  const std::vector<T> found = out.items();
  for (std::size_t t = 0; t < n; ++t) {
    const T x = found[unaligned + t], y = expected[t];
    const bool right = std::isnan(y) ? std::isnan(x)
                                     : x == y && (y != 0 || b[unaligned + t] != 0 || t % length != 0 || reverse ||
                                                  std::signbit(x) == std::signbit(y));
    ASSERT_TRUE(right) << "item " << t << ": " << x << ", expected " << y;
  }
}

}  // namespace

LIBRARY_TEST(library_recurrences, of_many_rows) {
  for (const std::size_t length : {127, 128, 129, 256, 300, 511, 512, 513, 1030}) {
    for (const bool reverse : {false, true}) {
      for (const bool next_factor : {false, true}) {
        recurs_in_many_rows<float>(where, length, reverse, next_factor);
        recurs_in_many_rows<double>(where, length, reverse, next_factor);
      }
    }
  }
}
