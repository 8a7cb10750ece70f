// SPDX-License-Identifier: Apache-2.0
// Segmented sorts of more than 2^31 and 2^32 items on the device: rows and segments of each kind of length behind 2^32 items,
// one segment of nearly all, more than 2^31 segments, with values.
#include <onepass/segmented_sort.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "large_fixture.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

// Each row counts down to 0, and is sorted up. The last one may be shorter.
struct down_in_rows {
  std::int64_t n, length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const std::int64_t begin = i / length * length, rest = n - begin;
    return (rest < length ? rest : length) - 1 - (i - begin);
  }
};

// Segments of these lengths, over and over.
struct of_all_lengths {
  static constexpr std::int64_t round = 20 + 300 + 5000 + 30000;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t segment) const {  // where it begins
    const std::int64_t begins[] = {0, 20, 320, 5320};
    return segment / 4 * round + begins[segment % 4];
  }
  ONEPASS_HOST_DEVICE std::int64_t segment_of(std::int64_t i) const {
    const std::int64_t at = i % round;
    return i / round * 4 + (at >= 20) + (at >= 320) + (at >= 5320);
  }
};
struct down_in_all_lengths {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const of_all_lengths begin;
    return begin(begin.segment_of(i) + 1) - 1 - i;
  }
};
struct up_in_all_lengths {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const of_all_lengths begin;
    return i - begin(begin.segment_of(i));
  }
};
struct modulo_251 {
  std::int64_t first = 0;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (first + i) % 251; }
};
// The value of the item that comes to place i when its segment is turned round.
struct turned_round {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const of_all_lengths begin;
    const std::int64_t segment = begin.segment_of(i);
    return (begin(segment) + begin(segment + 1) - 1 - i) % 251;
  }
};

template <class K, class Backend>
void check_rows(const Backend& backend, std::int64_t n, std::int64_t length) {
  SCOPED_TRACE(testing::Message() << n << " items in rows of " << length);
  const test::large_range<K> keys(backend, n, down_in_rows{n, length});
  onepass::segmented_sort(backend.policy(), keys.begin(), keys.end(), onepass::rows(length));
  EXPECT_EQ(test::wrong_items(backend, keys.data(), n, test::index_within{length}), 0);
}

auto starts_of_all_lengths() {
  return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), of_all_lengths{});
}

}  // namespace

// A warp sorts several of them, one, or a block does; and so many short ones that 31 bits do not count them.
ONEPASS_GPU_TEST(segmented_sort, large_rows_of_bytes) {
  ONEPASS_SKIP_WITHOUT_MEMORY(16 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t length : {2, 20, 200}) check_rows<std::uint8_t>(backend, n, length);
  }
}

// Rows that blocks sort, and rows that take passes.
ONEPASS_GPU_TEST(segmented_sort, large_rows_of_words) {
  ONEPASS_SKIP_WITHOUT_MEMORY(30 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t length : {300, 5000, 60000}) check_rows<std::uint16_t>(backend, n, length);
  }
}

// Segments of each length that is sorted in its own way, up to the last of more than 2^32 items.
ONEPASS_GPU_TEST(segmented_sort, large_of_all_lengths) {
  const std::int64_t rounds = test::above_unsigned() / of_all_lengths::round + 1, n = rounds * of_all_lengths::round;
  ONEPASS_SKIP_WITHOUT_MEMORY(30 * gib);
  const test::large_range<std::uint16_t> keys(backend, n, down_in_all_lengths{});
  const auto starts = starts_of_all_lengths();
  onepass::segmented_sort(backend.policy(), keys.begin(), keys.end(),
                          onepass::offsets(starts, starts + 4 * rounds + 1));
  EXPECT_EQ(test::wrong_items(backend, keys.data(), n, up_in_all_lengths{}), 0);
}

ONEPASS_GPU_TEST(segmented_sort, large_with_values) {
  const std::int64_t rounds = test::above_unsigned() / of_all_lengths::round + 1, n = rounds * of_all_lengths::round;
  ONEPASS_SKIP_WITHOUT_MEMORY(42 * gib);
  const test::large_range<std::uint16_t> keys(backend, n, down_in_all_lengths{});
  const test::large_range<std::uint8_t> values(backend, n, modulo_251{});
  const auto starts = starts_of_all_lengths();
  onepass::segmented_sort_by_key(backend.policy(), keys.begin(), keys.end(), values.begin(),
                                 onepass::offsets(starts, starts + 4 * rounds + 1));
  EXPECT_EQ(test::wrong_items(backend, keys.data(), n, up_in_all_lengths{}), 0);
  EXPECT_EQ(test::wrong_items(backend, values.data(), n, turned_round{}), 0);
}

// Nearly all items are one segment. Those before and behind it stay.
ONEPASS_GPU_TEST(segmented_sort, large_segment) {
  ONEPASS_SKIP_WITHOUT_MEMORY(30 * gib);
  constexpr std::int64_t period = 50021;
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t begin = 11, size = n - 23;
    const test::large_range<std::uint16_t> keys(backend, n, test::always{5});
    test::make_items(backend, keys.data() + begin, size, test::index_within{period});
    const test::buffer<std::int64_t> starts(backend, std::vector<std::int64_t>{begin, begin + size});
    onepass::segmented_sort(backend.policy(), keys.begin(), keys.end(), onepass::offsets(starts.begin(), starts.end()));
    EXPECT_EQ(
        test::wrong_items(backend, keys.data() + begin, size, test::in_order(size, period, test::index_within{period})),
        0);
    EXPECT_EQ(test::wrong_items(backend, keys.data(), begin, test::always{5}), 0);
    EXPECT_EQ(test::wrong_items(backend, keys.data() + begin + size, n - begin - size, test::always{5}), 0);
  }
}

ONEPASS_GPU_TEST(segmented_sort, large_size_in_memory) {
  const std::int64_t n = test::above_unsigned(), length = 5000, rows = n / length, size = (rows - 1) * length;
  ONEPASS_SKIP_WITHOUT_MEMORY(30 * gib);
  const test::large_range<std::uint16_t> keys(backend, n, down_in_rows{n, length});
  const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
  onepass::segmented_sort(backend.policy().sized_by(in_memory.begin()), keys.begin(), keys.end(),
                          onepass::rows(length));
  EXPECT_EQ(test::wrong_items(backend, keys.data(), size, test::index_within{length}), 0);
  EXPECT_EQ(test::wrong_items(backend, keys.data() + size, n - size, down_in_rows{n - size, length}), 0);
}
#endif
