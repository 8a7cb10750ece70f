// SPDX-License-Identifier: Apache-2.0
// Reductions by segments of arrays of more than 2^31 and 2^32 items on the device: by keys, flags, rows and offsets; run
// lengths; more than 2^32 segments.
#include <onepass/segmented_reduce.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>

#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::int64_t length = 100003;  // of most segments

// How many items segment `s` has, where all but the last one have `length`.
struct size_of {
  std::int64_t n, length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t s) const {
    const std::int64_t rest = n - s * length;
    return rest < length ? rest : length;
  }
};
// What they add up to, where each item is its segment modulo 251.
struct sum_of {
  size_of size;
  std::int64_t initial = 0;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t s) const { return initial + size(s) * (s % 251); }
};
struct segment_of {
  std::int64_t length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / length % 251; }
};
// The first key of a segment: of item s * length.
struct first_key {
  std::int64_t length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t s) const { return s % 251; }
};
// An item in the middle ends a run of nearly all items before it, and begins another one.
struct is_from {
  std::int64_t begin;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return i >= begin; }
};
struct to_int64 {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::uint8_t x) const { return x; }
};
// All items are heads but one in a thousand, so that a segment in 999 has two items.
struct is_head {
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return i % 1000 != 1; }
};
struct one_or_two {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t s) const { return s % 999 == 0 ? 2 : 1; }
};
// Offset k is k / 2, so that each second segment is empty.
struct item_or_none {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t s) const { return s % 2 == 0 ? 7 : 7 + s / 2 % 251; }
};
struct number_of_item {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i % 251; }
};

}  // namespace

ONEPASS_GPU_TEST(run_length_encode, large) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t runs = (n - 1) / length + 1;
    const test::large_range<std::uint8_t> in(backend, n, segment_of{length}, 1);
    const test::large_room<std::uint8_t> out(backend, runs);
    const test::large_room<std::int64_t> lengths(backend, runs);
    const auto ends = onepass::run_length_encode(backend.policy(), in.begin(), in.end(), out.begin(), lengths.begin());
    ASSERT_EQ(ends.first - out.begin(), runs);
    out.check(backend, runs, first_key{length});
    lengths.check(backend, runs, size_of{n, length});
  }
}

// A run of nearly all items, and one of three.
ONEPASS_GPU_TEST(run_length_encode, large_run) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, is_from{n - 3});
    const test::buffer<std::uint8_t> out(backend, 2);
    const test::buffer<std::int64_t> lengths(backend, 2);
    const auto ends = onepass::run_length_encode(backend.policy(), in.begin(), in.end(), out.begin(), lengths.begin());
    ASSERT_EQ(ends.second - lengths.begin(), 2);
    EXPECT_TRUE(test::same(lengths.to_host(), {n - 3, 3}));
  }
}

ONEPASS_GPU_TEST(reduce_by_key, large_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t runs = (n - 1) / length + 1;
    const test::large_range<std::uint8_t> keys(backend, n, segment_of{length}), values(backend, n, segment_of{length});
    const test::large_room<std::uint8_t> out_keys(backend, runs), narrow(backend, runs);
    const test::large_room<std::int64_t> wide(backend, runs);
    auto ends = onepass::reduce_by_key(backend.policy(), keys.begin(), keys.end(), values.begin(), out_keys.begin(),
                                       narrow.begin());
    ASSERT_EQ(ends.first - out_keys.begin(), runs);
    out_keys.check(backend, runs, first_key{length});
    narrow.check(backend, runs, sum_of{{n, length}});
    const auto widened = thrust::make_transform_iterator(values.begin(), to_int64{});
    const auto all =
        onepass::reduce_by_key(backend.policy(), keys.begin(), keys.end(), widened, out_keys.begin(), wide.begin());
    ASSERT_EQ(all.second - wide.begin(), runs);
    wide.check(backend, runs, sum_of{{n, length}});
  }
}

// So many heads that 32 bits do not count them.
ONEPASS_GPU_TEST(segmented_reduce, large_count_of_flags) {
  ONEPASS_SKIP_WITHOUT_MEMORY(13 * gib);
  for (const std::int64_t n : {test::above_int(), test::above_unsigned() + test::above_unsigned() / 100}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t segments = n - (n + 998) / 1000;
    const test::large_range<std::uint8_t> in(backend, n, test::always{1}), heads(backend, n, is_head{});
    const test::large_room<std::uint8_t> out(backend, segments);
    const test::buffer<std::int64_t> count(backend, 1);
    onepass::segmented_reduce_async(backend.policy(), in.begin(), in.end(), heads.begin(), out.begin(), count.begin());
    EXPECT_EQ(count.to_host()[0], segments);
    out.check(backend, segments, one_or_two{});
  }
}

ONEPASS_GPU_TEST(segmented_reduce, large_by_bits) {
  const std::int64_t n = test::above_unsigned(), segments = (n - 1) / length + 1;
  ONEPASS_SKIP_WITHOUT_MEMORY(6 * gib);
  using bits = test::word_of_bits<test::is_at>;
  const test::large_range<std::uint8_t> in(backend, n, segment_of{length});
  const test::large_range<std::uint32_t> words(backend, n / 32 + 1, bits{{length, 0}});
  const test::large_room<std::uint8_t> out(backend, segments);
  const auto end =
      onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::bits(words.begin()), out.begin());
  ASSERT_EQ(end - out.begin(), segments);
  out.check(backend, segments, sum_of{{n, length}});
}

ONEPASS_GPU_TEST(segmented_reduce, large_rows) {
  ONEPASS_SKIP_WITHOUT_MEMORY(8 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t row : {std::int64_t{1000}, length, n - 6, n, 2 * n}) {
      SCOPED_TRACE(testing::Message() << n << " items in rows of " << row);
      const std::int64_t rows = (n - 1) / row + 1;
      const test::large_range<std::uint8_t> in(backend, n, segment_of{row}, 1);
      const test::large_room<std::int64_t> out(backend, rows);
      const auto end = onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::rows(row),
                                                 out.begin(), std::int64_t{-5});
      ASSERT_EQ(end - out.begin(), rows);
      out.check(backend, rows, sum_of{{n, row}, -5});
    }
  }
}

// More than 2^31 rows, and more than 2^32.
ONEPASS_GPU_TEST(segmented_reduce, large_count_of_rows) {
  const std::int64_t n = test::above_unsigned();
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t row : {2, 1}) {
    SCOPED_TRACE(testing::Message() << "rows of " << row);
    const std::int64_t rows = (n - 1) / row + 1;
    const test::large_range<std::uint8_t> in(backend, n, segment_of{row});
    const test::large_room<std::uint8_t> out(backend, rows);
    onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::rows(row), out.begin(), std::uint8_t{3});
    out.check(backend, rows, sum_of{{n, row}, 3});
  }
}

// Words in memory, which tiles fetch by copies; the offsets are computed. And one segment of nearly all items.
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, large_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(18 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t far : {std::int64_t{1000}, n - 6}) {
      SCOPED_TRACE(testing::Message() << n << " items in segments of " << far);
      const std::int64_t segments = n / far;  // the last items are in none
      const test::large_range<std::uint32_t> in(backend, n, segment_of{far});
      const test::large_room<std::uint32_t> out(backend, segments);
      const auto starts =
          thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::index_times{far});
      onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(starts, starts + segments + 1),
                                out.begin(), 9u);
      out.check(backend, segments, sum_of{{n, far}, 9});
    }
  }
}

// More than 2^32 segments, and with the items more than 2^33 steps of the call.
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, large_count) {
  const std::int64_t n = test::above_unsigned(), segments = 2 * n;
  ONEPASS_SKIP_WITHOUT_MEMORY(14 * gib);
  const test::large_range<std::uint8_t> in(backend, n, number_of_item{});
  const test::large_room<std::uint8_t> out(backend, segments);
  const auto starts = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::index_over{2});
  onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(starts, starts + segments + 1),
                            out.begin(), std::uint8_t{7});
  out.check(backend, segments, item_or_none{});
}

ONEPASS_GPU_TEST(segmented_reduce, large_size_in_memory) {
  const std::int64_t n = test::above_unsigned(), size = n - 2 * length, rows = (n - 1) / length + 1;
  ONEPASS_SKIP_WITHOUT_MEMORY(6 * gib);
  const test::large_range<std::uint8_t> in(backend, n, segment_of{length});
  const test::large_room<std::int64_t> out(backend, rows);
  const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{std::max<std::int64_t>(size, 1)});
  onepass::segmented_reduce(backend.policy().sized_by(in_memory.begin()), in.begin(), in.end(), onepass::rows(length),
                            out.begin(), std::int64_t{4});
  if (size < 1) return;
  EXPECT_EQ(test::wrong_items(backend, out.data(), rows - 2, sum_of{{size, length}, 4}), 0);
  EXPECT_EQ(test::wrong_items(backend, out.data() + rows - 2, 2, test::always{4}), 0);
}
#endif
