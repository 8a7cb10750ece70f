// SPDX-License-Identifier: Apache-2.0
// Radix sorts of integers of 128 bits: alone and with values, by ranges of their bits, in one block and in passes.
#include "primitives/radix_sort/keys_of_type.hpp"

ONEPASS_TEST(radix_sort, int128_keys) { test::check_key_type<test::int128>(backend); }

// Ranges that lie in a half, across both, and hold more than eight digits.
ONEPASS_TEST(radix_sort, bit_ranges_of_uint128) {
  const std::size_t n = test::limited(20011);
  for (const auto& [begin, end] : {std::pair{0, 128}, {3, 59}, {60, 68}, {61, 127}, {64, 128}, {127, 128}, {40, 40}}) {
    for (const bool descending : {false, true}) {
      for (const std::size_t size : {n, std::size_t{1500}}) {
        SCOPED_TRACE(testing::Message() << size << " keys, bits [" << begin << ", " << end << ")");
        const onepass::radix_options options{descending, begin, end};
        test::check_sort(backend, test::keys<test::uint128>(size, size, test::pattern::low_entropy), options);
      }
    }
  }
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::radix_sort: bits [0, 129)", [&] {
    test::uint128 key{};
    onepass::radix_sort(backend.policy(), &key, &key + 1, onepass::radix_options{false, 0, 129});
  }));
}

#if ONEPASS_HAS_CUDA
// So many that a GPU sorts by their highest digits first, four of sixteen.
ONEPASS_GPU_TEST(radix_sort, many_random_wide_keys) {
  const std::size_t n = test::limited((std::size_t{1} << 22) + 77);
  test::check_sort(backend, test::random_values<test::uint128>(n, 9), {});
  test::check_sort(backend, test::random_values<test::uint128>(n, 10), {true, 3, 83});
}
#endif

// Only some digits differ: the other passes move nothing, and the result lies in the right buffer.
ONEPASS_TEST(radix_sort, digits_that_are_the_same_in_all_wide_keys) {
  std::vector<test::uint128> values = test::random_values<test::uint128>(test::limited(20011), 3);
  for (const int shift : {0, 56, 64, 120}) {
    std::vector<test::uint128> masked = values;
    for (test::uint128& value : masked) value = (value & test::uint128{0xFFFF} << shift) | test::uint128{0x55} << 40;
    SCOPED_TRACE(testing::Message() << "differ from bit " << shift << " on");
    test::check_sort(backend, masked, {});
  }
}
