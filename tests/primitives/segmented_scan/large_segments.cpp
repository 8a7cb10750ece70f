// SPDX-License-Identifier: Apache-2.0
// Segmented scans of arrays of more than 2^31 and 2^32 items on the device: by keys, flags, bits and offsets in memory, and
// of rows. Bytes that are all one are counted in their segments.
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "support/checking_output.hpp"
#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::int64_t length = 100003;  // of most segments

// Of segments that all have that length but the first, which is `shorter` by so much.
struct place {
  std::int64_t length, shorter;
  std::int64_t first = 1;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return (i + shorter < length ? i : (i + shorter) % length) + first;
  }
};
// From the back, in rows that are whole.
struct place_from_end {
  std::int64_t length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return length - i % length; }
};

// Inclusive and exclusive scans of ones in memory, with any kind of heads.
template <class Backend, class Heads>
void check_scans(const Backend& backend, std::int64_t n, Heads heads, place expected) {
  const test::large_range<std::uint8_t> in(backend, n, test::always{1}, 1);
  const test::large_room<std::uint8_t> out(backend, n, 1);
  onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), heads, out.begin());
  out.check(backend, n, expected);
  expected.first = -7;
  onepass::exclusive_segmented_scan(backend.policy(), in.begin(), in.end(), heads, in.begin(), std::uint8_t{249});
  EXPECT_EQ(test::wrong_items(backend, in.data(), n, expected), 0);
}

}  // namespace

ONEPASS_GPU_TEST(segmented_scan, large_by_flags) {
  ONEPASS_SKIP_WITHOUT_MEMORY(13 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> flags(backend, n, test::is_at{length, length - 5});
    check_scans(backend, n, flags.begin(), {length, 5});
  }
}

ONEPASS_GPU_TEST(segmented_scan, large_by_bits) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    using bits = test::word_of_bits<test::is_at>;
    const test::large_range<std::uint32_t> words(backend, n / 32 + 1, bits{{length, length - 5}});
    check_scans(backend, n, onepass::bits(words.begin()), {length, 5});
  }
}

// The only other head is behind 2^32 items, or 2^31.
ONEPASS_GPU_TEST(segmented_scan, large_segment_by_bits_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    using bits = test::word_of_bits<test::is_at>;
    const test::large_range<std::uint32_t> words(backend, n / 32 + 1, bits{{2 * n, n - 3}});
    check_scans(backend, n, onepass::bits(words.begin()), {n - 3, 0});
  }
}

ONEPASS_GPU_TEST(segmented_scan, large_by_offsets_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(12 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t far : {length, std::int64_t{20}}) {  // few offsets, and so many that flags are made of them
      SCOPED_TRACE(testing::Message() << n << " items in segments of " << far);
      const std::int64_t count = n / far + 1;
      const test::large_range<std::int64_t> starts(backend, count, test::index_times{far, far - 5});
      check_scans(backend, n, onepass::offsets(starts.begin(), starts.end()), {far, 5});
    }
  }
}

ONEPASS_GPU_TEST(segmented_scan, large_by_key_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(13 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> keys(backend, n, test::index_over{length});
    const test::large_range<std::uint8_t> in(backend, n, test::always{1});
    const test::large_room<std::uint8_t> out(backend, n, 3);
    onepass::inclusive_scan_by_key(backend.policy(), keys.begin(), keys.end(), in.begin(), out.begin());
    out.check(backend, n, place{length, 0});
  }
}

// Short rows, long ones, and a last one that begins behind 2^32 items.
ONEPASS_GPU_TEST(segmented_scan, large_rows) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t row : {std::int64_t{3}, std::int64_t{1000}, length, n - 6, n, 2 * n}) {
      SCOPED_TRACE(testing::Message() << n << " items in rows of " << row);
      check_scans(backend, n, onepass::rows(row), {row, 0});
    }
  }
}

// To an output of 64 bits, from ones that are computed: by the tile driver.
ONEPASS_GPU_TEST(segmented_scan, large_rows_that_widen) {
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t row : {std::int64_t{1000}, n - 6, n}) {
      SCOPED_TRACE(testing::Message() << n << " items in rows of " << row);
      const test::checking_output<place> out(backend, {row, 0, -9}, n);
      const thrust::constant_iterator<std::uint8_t> ones(1);
      onepass::exclusive_segmented_scan(backend.policy(), ones, ones + n, onepass::rows(row), out.begin(),
                                        std::int64_t{-9});
      out.check();
    }
  }
}

ONEPASS_GPU_TEST(segmented_scan, large_rows_backwards) {
  const std::int64_t n = test::above_unsigned() / length * length;
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  const test::large_range<std::uint8_t> in(backend, n, test::always{1});
  const auto first = thrust::make_reverse_iterator(in.end());
  onepass::inclusive_segmented_scan(backend.policy(), first, first + n, onepass::rows(length), first);
  EXPECT_EQ(test::wrong_items(backend, in.data(), n, place_from_end{length}), 0);
}

ONEPASS_GPU_TEST(segmented_scan, large_size_in_memory) {
  const std::int64_t n = test::above_unsigned(), size = n - 1003;
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  const test::large_range<std::uint8_t> in(backend, n, test::always{1});
  const test::large_room<std::uint8_t> out(backend, n);
  const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
  const auto policy = backend.policy().sized_by(in_memory.begin());
  onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), onepass::rows(length), out.begin());
  out.check(backend, size, place{length, 0});
}
#endif
