// SPDX-License-Identifier: Apache-2.0
// Scans and sums of columns of more than 2^31 and 2^32 items on the device: few and many columns, rows of more than 2^31
// items, and many arrays one behind another.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>

#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

// Which row of its array an item is in, counted from `first`.
struct row_of {
  std::int64_t width, height;
  std::int64_t first = 1;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / width % height + first; }
};
// What the columns add up to, where an item is its column modulo 251.
struct sum_of_column {
  std::int64_t n, width, height;
  std::int64_t initial;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t result) const {
    const std::int64_t array = result / width, column = result % width, first = array * width * height + column;
    const std::int64_t there = (n - 1 - first) / width + 1;
    return initial + (there < height ? there : height) * (column % 251);
  }
};
struct column_of {
  std::int64_t width;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i % width % 251; }
};

template <class Backend>
void check_scans(const Backend& backend, std::int64_t n, std::int64_t width, std::int64_t height) {
  SCOPED_TRACE(testing::Message() << n << " items, " << height << " rows of " << width);
  const onepass::column_segments columns = onepass::columns(width, height);
  const test::large_range<std::uint8_t> in(backend, n, test::always{1});
  const test::large_room<std::uint8_t> out(backend, n);
  onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), columns, out.begin());
  out.check(backend, n, row_of{width, height});
  onepass::exclusive_segmented_scan(backend.policy(), in.begin(), in.end(), columns, in.begin(), std::uint8_t{9});
  EXPECT_EQ(test::wrong_items(backend, in.data(), n, row_of{width, height, 9}), 0);
}

template <class T, class Backend>
void check_sums(const Backend& backend, std::int64_t n, std::int64_t width, std::int64_t height, std::int64_t results) {
  SCOPED_TRACE(testing::Message() << n << " items, " << height << " rows of " << width << ", sums of " << sizeof(T));
  const test::large_range<std::uint8_t> in(backend, n, column_of{width});
  const test::large_room<T> out(backend, results);
  const auto end = onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::columns(width, height),
                                             out.begin(), T{7});
  ASSERT_EQ(end - out.begin(), results);
  out.check(backend, results, sum_of_column{n, width, height, 7});
}

}  // namespace

ONEPASS_GPU_TEST(segmented_scan, large_columns) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t width : {std::int64_t{3}, std::int64_t{65}, std::int64_t{100003}, n / 3 + 1, n - 2})
      check_scans(backend, n, width, n);
  }
}

// Whole rows of up to four items are scanned as groups.
ONEPASS_GPU_TEST(segmented_scan, large_columns_in_groups) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t width : {2, 4}) check_scans(backend, n / width * width, width, n);
  }
}

ONEPASS_GPU_TEST(segmented_scan, large_columns_of_arrays) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    check_scans(backend, n, 5, 1000);
    check_scans(backend, n, 1003, 100003);
    check_scans(backend, n, n / 5, 2);
  }
}

ONEPASS_GPU_TEST(segmented_reduce, large_columns) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t width : {2, 65, 100003}) check_sums<std::int64_t>(backend, n, width, n, std::min(width, n));
    check_sums<std::uint8_t>(backend, n, n / 2 + 1, n, n / 2 + 1);  // more than 2^31 results
    check_sums<std::uint8_t>(backend, n, n - 2, n, n - 2);          // more than 2^32
  }
}

ONEPASS_GPU_TEST(segmented_reduce, large_columns_of_arrays) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    const std::int64_t arrays = n / 5000, rest = n % 5000;
    check_sums<std::int64_t>(backend, n, 5, 1000, 5 * arrays + std::min<std::int64_t>(rest, 5));
  }
}

ONEPASS_GPU_TEST(segmented_reduce, large_columns_with_a_size_in_memory) {
  const std::int64_t n = test::above_unsigned(), size = n - 1003, width = 65;
  ONEPASS_SKIP_WITHOUT_MEMORY(6 * gib);
  const test::large_range<std::uint8_t> in(backend, n, column_of{width});
  const test::large_room<std::int64_t> out(backend, width);
  const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
  onepass::segmented_reduce(backend.policy().sized_by(in_memory.begin()), in.begin(), in.end(), onepass::columns(width),
                            out.begin(), std::int64_t{7});
  out.check(backend, width, sum_of_column{size, width, n, 7});
}
#endif
