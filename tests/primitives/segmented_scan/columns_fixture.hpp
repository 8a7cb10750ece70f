// SPDX-License-Identifier: Apache-2.0
// What the tests of columns share: plain loops over arrays, and the check of all calls on one shape.
#pragma once

#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/test.hpp"

namespace test {

constexpr std::int64_t all_rows = std::numeric_limits<std::int64_t>::max();

// The plain loops: what precedes an item is the item a row above, unless the array's first row is its own.
struct arrays {
  std::size_t n;
  std::int64_t width, height;

  bool starts(std::size_t i) const { return static_cast<std::int64_t>(i) / width % height == 0; }
  std::size_t above(std::size_t i) const { return i - static_cast<std::size_t>(width); }
  // The number of an item's column.
  std::size_t column(std::size_t i) const {
    const auto at = static_cast<std::int64_t>(i);
    return static_cast<std::size_t>(at / width / height * width + at % width);
  }
  std::size_t columns() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count = std::max(count, column(i) + 1);
    return count;
  }
};

template <class T, class Op>
std::vector<T> inclusive_columns(const std::vector<T>& items, const arrays& a, Op op) {
  std::vector<T> out = items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!a.starts(i)) out[i] = static_cast<T>(op(out[a.above(i)], items[i]));
  }
  return out;
}
template <class T, class Op>
std::vector<T> exclusive_columns(const std::vector<T>& items, const arrays& a, T init, Op op) {
  std::vector<T> out(items.size(), init);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!a.starts(i)) out[i] = static_cast<T>(op(out[a.above(i)], items[a.above(i)]));
  }
  return out;
}
template <class T, class Op>
std::vector<T> reduced_columns(const std::vector<T>& items, const arrays& a, T init, Op op) {
  const std::vector<T> scanned = inclusive_columns(items, a, op);
  std::vector<T> totals(a.columns(), init);
  for (std::size_t i = 0; i < items.size(); ++i)
    totals[a.column(i)] = static_cast<T>(op(init, scanned[i]));  // the last
  return totals;
}

template <class T, class Op, class Backend>
void check_columns(const Backend& backend, const std::vector<T>& items, std::int64_t width, std::int64_t height, T init,
                   Op op, std::size_t shift = 0) {
  SCOPED_TRACE(testing::Message() << items.size() << " items, " << width << " columns of " << height);
  const arrays a{items.size(), width, height};
  const std::vector<T> inclusive = inclusive_columns(items, a, op), totals = reduced_columns(items, a, init, op);
  const buffer<T> in(backend, items, shift), out(backend, items.size(), shift / 2);
  const buffer<T> results(backend, totals.size());
  const auto p = backend.policy();
  const auto columns = height == all_rows ? onepass::columns(width) : onepass::columns(width, height);
  EXPECT_EQ(onepass::inclusive_segmented_scan(p, in.begin(), in.end(), columns, out.begin(), op), out.end());
  EXPECT_TRUE(same(out.to_host(), inclusive)) << "inclusive";
  out.poison_all();
  EXPECT_EQ(onepass::exclusive_segmented_scan(p, in.begin(), in.end(), columns, out.begin(), init, op), out.end());
  EXPECT_TRUE(same(out.to_host(), exclusive_columns(items, a, init, op))) << "exclusive";
  EXPECT_EQ(onepass::segmented_reduce(p, in.begin(), in.end(), columns, results.begin(), init, op), results.end());
  EXPECT_TRUE(same(results.to_host(), totals)) << "reduce";
  onepass::inclusive_segmented_scan(p, in.begin(), in.end(), columns, in.begin(), op);
  EXPECT_TRUE(same(in.to_host(), inclusive)) << "in place";
  in.assign(items);
  onepass::exclusive_segmented_scan(p, in.begin(), in.end(), columns, in.begin(), init, op);
  EXPECT_TRUE(same(in.to_host(), exclusive_columns(items, a, init, op))) << "exclusive, in place";
}

}  // namespace test
