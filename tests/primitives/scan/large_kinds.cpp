// SPDX-License-Identifier: Apache-2.0
// Scans of arrays of more than 2^31 and 2^32 items on the device: in place, apart and unaligned, widening, backwards, of
// transformed items, with a size in memory.
#include <onepass/scan.hpp>

#include <thrust/iterator/reverse_iterator.h>

#include <algorithm>
#include <cstdint>

#include "support/checking_output.hpp"
#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

// The sum of the first `i + 1 - excluded` odd numbers 1, 3, 5, ...
struct square {
  std::int64_t excluded;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (i + 1 - excluded) * (i + 1 - excluded); }
};
// Odd numbers from the back.
struct odd_from_end {
  std::int64_t n;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return 2 * (n - 1 - i) + 1; }
};
struct square_from_end {
  std::int64_t n;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (n - i) * (n - i); }
};
// The sum of the numbers 0 to 6, over and over, up to item i.
struct sum_of_sevens {
  std::int64_t before;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const std::int64_t count = i + 1, rest = count % 7;
    return before + count / 7 * 21 + rest * (rest - 1) / 2;
  }
};
struct twice_plus_one {
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::uint8_t x) const { return 2u * x + 1; }
};
// The sum of 1, 3, 5, 7, over and over, up to item i.
struct sum_of_odd_fours {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const std::int64_t count = i + 1, rest = count % 4;
    return count / 4 * 16 + rest * rest;
  }
};
// The same without item i, after `before`.
struct sum_of_odd_fours_before {
  std::int64_t before;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return before + sum_of_odd_fours{}(i) - (2 * (i % 4) + 1);
  }
};
// Whether an item is the first, and the last number before item i that is not 0: the latest of marks far apart.
struct mark {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return i % 1000003 == 0 ? i / 1000003 % 255 + 1 : 0;
  }
};
struct latest_mark {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / 1000003 % 255 + 1; }
};
struct latter_if_not_zero {  // not commutative
  ONEPASS_HOST_DEVICE std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const { return b != 0 ? b : a; }
};

}  // namespace

ONEPASS_GPU_TEST(scan, large_bytes_apart_and_in_place) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, test::index_times{2, 1}, 1);
    const test::large_room<std::uint8_t> out(backend, n, 3);
    EXPECT_EQ(onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin()), out.end());
    out.check(backend, n, square{0});
    onepass::exclusive_scan(backend.policy(), in.begin(), in.end(), in.begin(), std::uint8_t{0});
    EXPECT_EQ(test::wrong_items(backend, in.data(), n, square{1}), 0);
  }
}

ONEPASS_GPU_TEST(scan, large_not_commutative) {
  const std::int64_t n = test::above_unsigned();
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  const test::large_range<std::uint8_t> in(backend, n, mark{});
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), in.begin(), latter_if_not_zero{});
  EXPECT_EQ(test::wrong_items(backend, in.data(), n, latest_mark{}), 0);
}

// Bytes whose sums have 64 bits.
ONEPASS_GPU_TEST(scan, large_widening) {
  ONEPASS_SKIP_WITHOUT_MEMORY(37 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, test::index_within{7});
    const test::large_room<std::int64_t> out(backend, n);
    onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), std::int64_t{-9}, onepass::sum{});
    out.check(backend, n, sum_of_sevens{-9});
  }
}

// Sums of 64 bits that the output compares with what they must be: of bytes in memory.
ONEPASS_GPU_TEST(scan, large_widening_to_an_iterator) {
  const std::int64_t n = test::above_unsigned();
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  const test::large_range<std::uint8_t> in(backend, n, test::index_within{7});
  const test::checking_output<sum_of_sevens> out(backend, {1}, n);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), std::int64_t{1}, onepass::sum{});
  out.check();
}

ONEPASS_GPU_TEST(scan, large_backwards) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, odd_from_end{n});
    const test::large_room<std::uint8_t> out(backend, n);
    const auto first = thrust::make_reverse_iterator(in.end());
    const auto end =
        onepass::inclusive_scan(backend.policy(), first, first + n, thrust::make_reverse_iterator(out.end()));
    EXPECT_EQ(end.base(), out.begin());
    out.check(backend, n, square_from_end{n});
  }
}

ONEPASS_GPU_TEST(scan, large_transformed) {
  ONEPASS_SKIP_WITHOUT_MEMORY(22 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, test::index_within{4});
    const test::large_room<std::uint32_t> out(backend, n);
    onepass::transform_inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), twice_plus_one{},
                                      onepass::sum{});
    out.check(backend, n, sum_of_odd_fours{});
    const test::checking_output<sum_of_odd_fours_before> wide(backend, {-3}, n);
    onepass::transform_exclusive_scan(backend.policy(), in.begin(), in.end(), wide.begin(), twice_plus_one{},
                                      std::int64_t{-3}, onepass::sum{});
    wide.check();
  }
}

// There is room for more items than the size in memory says, and for fewer.
ONEPASS_GPU_TEST(scan, large_size_in_memory) {
  const std::int64_t n = test::above_unsigned(), left = 1003;
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  const test::large_range<std::uint8_t> in(backend, n, test::index_times{2, 1});
  for (const std::int64_t size : {n - left, n + (std::int64_t{1} << 33)}) {
    SCOPED_TRACE(testing::Message() << size << " items");
    const test::large_room<std::uint8_t> out(backend, n);
    const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
    onepass::inclusive_scan(backend.policy().sized_by(in_memory.begin()), in.begin(), in.end(), out.begin());
    out.check(backend, std::min(size, n), square{0});
  }
}
#endif
