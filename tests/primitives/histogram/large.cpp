// SPDX-License-Identifier: Apache-2.0
// Histograms of more than 2^31 and 2^32 items on the device: bins that many or all of them are in, few and many bins, rows,
// weights; and counts that could not hold so many.
#include <onepass/histogram.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>

#include "support/compare.hpp"
#include "support/large.hpp"
#include "support/test.hpp"

// A count of 4 bytes holds so many items and no more.
ONEPASS_TEST(histogram, counts_too_small_for_the_items_are_refused) {
  const thrust::constant_iterator<std::uint8_t> items(1);
  const auto refused = [&](std::int64_t n, auto* counts) {
    return test::throws<onepass::invalid_argument>("onepass::histogram: the counts' type is too small", [&] {
      onepass::histogram(backend.policy(), items, items + n, onepass::value_bins(0, 1), counts);
    });
  };
  static std::int32_t count;
  static std::uint32_t unsigned_count;
  EXPECT_TRUE(refused(std::int64_t{1} << 31, &count));
  EXPECT_TRUE(refused(std::int64_t{1} << 32, &unsigned_count));
}

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

// How many of n items, which count up to `period` again and again, are in a bin.
struct count_of {
  std::int64_t n, period;
  std::int64_t factor = 1;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t bin) const {
    return bin < period ? factor * (n / period + (bin < n % period)) : 0;
  }
};
// The same in rows of `length` items.
struct count_in_rows {
  std::int64_t n, length, bins;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const std::int64_t row = i / bins, rest = n - row * length;
    return count_of{rest < length ? rest : length, bins}(i % bins);
  }
};
struct place_in_row {
  std::int64_t length, bins;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i % length % bins; }
};
template <class T>
struct item_at {
  std::int64_t period;
  ONEPASS_HOST_DEVICE T operator()(std::int64_t i) const { return static_cast<T>(i % period); }
};

// Items in memory.
template <class T, class Bins, class Backend>
void check_counts(const Backend& backend, std::int64_t n, std::int64_t period, std::int64_t bins, const Bins& of) {
  SCOPED_TRACE(testing::Message() << n << " items in " << period << " of " << bins << " bins");
  const test::large_range<T> in(backend, n, test::index_within{period}, 1);
  const test::large_room<std::int64_t> counts(backend, bins);
  onepass::histogram(backend.policy(), in.begin(), in.end(), of, counts.begin());
  counts.check(backend, bins, count_of{n, period});
}

}  // namespace

ONEPASS_GPU_TEST(histogram, large_of_bytes) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t period : {256, 2})
      check_counts<std::uint8_t>(backend, n, period, 256, onepass::all_value_bins<std::uint8_t>());
  }
}

// More items in one bin than 32 bits count.
ONEPASS_GPU_TEST(histogram, large_bin) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  const std::int64_t n = test::above_unsigned();
  check_counts<std::uint8_t>(backend, n, 1, 256, onepass::all_value_bins<std::uint8_t>());
  check_counts<std::uint16_t>(backend, n, 1, 1 << 16, onepass::all_value_bins<std::uint16_t>());
  check_counts<std::uint16_t>(backend, n, 1, 1 << 20, onepass::value_bins(0, 1 << 20));
}

// Counters of 16 bits in shared memory, and counters in memory.
ONEPASS_GPU_TEST(histogram, large_with_many_bins) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    check_counts<std::uint16_t>(backend, n, 65521, 1 << 16, onepass::all_value_bins<std::uint16_t>());
    check_counts<std::uint16_t>(backend, n, 65521, 1 << 20, onepass::value_bins(0, 1 << 20));
  }
}

ONEPASS_GPU_TEST(histogram, large_even_bins) {
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const thrust::counting_iterator<std::int64_t> numbers(0);
    const auto in = thrust::make_transform_iterator(numbers, item_at<float>{1000});
    const test::large_room<std::int64_t> counts(backend, 1000);
    onepass::histogram(backend.policy(), in, in + n, onepass::even_bins(0, 1000, 1000), counts.begin());
    counts.check(backend, 1000, count_of{n, 1000});
  }
}

ONEPASS_GPU_TEST(histogram, large_edge_bins) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, test::index_within{100});
    const test::buffer<std::uint8_t> edges(backend, std::vector<std::uint8_t>{0, 50, 100});
    const test::buffer<std::int64_t> counts(backend, 2);
    onepass::histogram(backend.policy(), in.begin(), in.end(), onepass::edge_bins(edges.begin(), edges.end()),
                       counts.begin());
    const std::int64_t below = n / 100 * 50 + std::min<std::int64_t>(n % 100, 50);
    EXPECT_TRUE(test::same(counts.to_host(), {below, n - below}));
  }
}

// Short rows, and two of which the first has nearly all items.
ONEPASS_GPU_TEST(histogram, large_rows) {
  ONEPASS_SKIP_WITHOUT_MEMORY(6 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t length : {std::int64_t{1000}, std::int64_t{1000003}, n / 2 + 1, n - 6}) {
      SCOPED_TRACE(testing::Message() << n << " items in rows of " << length);
      const std::int64_t rows = (n - 1) / length + 1, bins = 10;
      const test::large_range<std::uint8_t> in(backend, n, place_in_row{length, bins});
      const test::large_room<std::int64_t> counts(backend, rows * bins);
      onepass::histogram(backend.policy(), in.begin(), in.end(), onepass::rows(length), onepass::value_bins(0, bins),
                         counts.begin());
      counts.check(backend, rows * bins, count_in_rows{n, length, bins});
    }
  }
}

// Sums of more than 2^33.
ONEPASS_GPU_TEST(histogram, large_weights) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t period : {200, 1}) {
      SCOPED_TRACE(testing::Message() << n << " items in " << period << " bins");
      const test::large_range<std::uint8_t> in(backend, n, test::index_within{period});
      const test::large_room<std::int64_t> sums(backend, 256);
      onepass::weighted_histogram(backend.policy(), in.begin(), in.end(), thrust::constant_iterator<std::int32_t>(3),
                                  onepass::value_bins(0, 256), sums.begin());
      sums.check(backend, 256, count_of{n, period, 3});
    }
  }
}

ONEPASS_GPU_TEST(histogram, large_size_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  const std::int64_t n = test::above_unsigned(), size = n - 1003;
  const test::large_range<std::uint8_t> in(backend, n, test::index_within{256});
  const test::large_room<std::int64_t> counts(backend, 256);
  const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
  onepass::histogram(backend.policy().sized_by(in_memory.begin()), in.begin(), in.end(), onepass::value_bins(0, 256),
                     counts.begin());
  counts.check(backend, 256, count_of{size, 256});
}
#endif
