// SPDX-License-Identifier: Apache-2.0
// Radix sorts of integer keys of every width, and by ranges of their bits.
#include "primitives/radix_sort/keys_of_type.hpp"

ONEPASS_TEST(radix_sort, int8_keys) { test::check_key_type<std::int8_t>(backend); }
ONEPASS_TEST(radix_sort, uint8_keys) { test::check_key_type<std::uint8_t>(backend); }
ONEPASS_TEST(radix_sort, int16_keys) { test::check_key_type<std::int16_t>(backend); }
ONEPASS_TEST(radix_sort, uint16_keys) { test::check_key_type<std::uint16_t>(backend); }
ONEPASS_TEST(radix_sort, int32_keys) { test::check_key_type<std::int32_t>(backend); }
ONEPASS_TEST(radix_sort, uint32_keys) { test::check_key_type<std::uint32_t>(backend); }
ONEPASS_TEST(radix_sort, int64_keys) { test::check_key_type<std::int64_t>(backend); }
ONEPASS_TEST(radix_sort, uint64_keys) { test::check_key_type<std::uint64_t>(backend); }

// A block counts equal keys of 16 bits, up to 15 of each; where there are more, it sorts digit by digit. Keys of 8 bits occur
// more often than is said here, as they wrap.
template <class K, class Backend>
static void check_equal_keys(const Backend& backend) {
  for (const std::size_t n : {33, 1000, 4096, 4097, 8192, 12288}) {
    if (n > test::limited(n)) continue;
    for (const std::size_t times : {1, 2, 14, 15, 16, 17, 33}) {
      std::vector<K> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<K>(i / times * 1031);
      for (std::size_t i = n; i-- > 1;) std::swap(values[i], values[test::hash(times, i) % (i + 1)]);
      SCOPED_TRACE(testing::Message() << n << " keys, each " << times << " times");
      test::check_sort(backend, values, times % 2 == 0 ? test::descending() : onepass::radix_options{});
      std::fill(values.begin() + static_cast<long>(n / 2), values.end(), values[0]);  // and one of them often
      test::check_sort(backend, values, {});
    }
  }
}
ONEPASS_TEST(radix_sort, equal_int16_keys) { check_equal_keys<std::int16_t>(backend); }
ONEPASS_TEST(radix_sort, equal_int8_keys) { check_equal_keys<std::int8_t>(backend); }

// Keys that agree in the bits that count keep their order, whatever their other bits.
template <class K, class Backend>
static void check_bit_ranges(const Backend& backend) {
  constexpr int bits = 8 * sizeof(K);
  const std::size_t n = test::limited(20011);
  for (const auto& [begin, end] : {std::pair{0, 1},
                                   {0, 8},
                                   {3, 4},
                                   {5, 16},
                                   {7, bits},
                                   {bits - 1, bits},
                                   {1, bits - 1},
                                   {4, 4},
                                   {bits, bits},
                                   {0, 0}}) {
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(testing::Message() << "bits [" << begin << ", " << end << ")" << (descending ? ", descending" : ""));
      onepass::radix_options options;
      options.descending = descending;
      options.begin_bit = begin;
      options.end_bit = end;
      test::check_sort(backend, test::keys<K>(n, static_cast<std::uint64_t>(begin + end), test::pattern::uniform),
                       options);
    }
  }
}
ONEPASS_TEST(radix_sort, bit_ranges_of_uint32) { check_bit_ranges<std::uint32_t>(backend); }
ONEPASS_TEST(radix_sort, bit_ranges_of_int64) { check_bit_ranges<std::int64_t>(backend); }

#if ONEPASS_HAS_CUDA
// So many that a GPU sorts by their highest digits first. Some that agree in those, few or more than are put in order there.
ONEPASS_GPU_TEST(radix_sort, many_random_keys) {
  const std::size_t n = test::limited((std::size_t{1} << 22) + 77);
  std::vector<std::uint64_t> values = test::random_values<std::uint64_t>(n, 9);
  for (const std::size_t alike : {0, 20, 1000}) {
    for (std::size_t i = 0; i < alike; ++i) values[n / 2 + 3 * i] = std::uint64_t{0x12345678} << 32 | values[i] >> 32;
    SCOPED_TRACE(testing::Message() << alike << " that agree in 32 bits");
    test::check_sort(backend, values, alike == 20 ? test::descending() : onepass::radix_options{});
  }
}
#endif

// Only one digit differs, any of them: the passes of the others move nothing, and the result lies in the right buffer.
ONEPASS_TEST(radix_sort, digits_that_are_the_same_in_all_keys) {
  const std::size_t n = test::limited(20011);
  for (const std::uint64_t mask : {0xFFull, 0xFF00ull, 0xFF0000ull, 0xFF000000ull, 0xFF00FFull, 0xFFFF00ull, 0ull}) {
    SCOPED_TRACE(testing::Message() << "differ in " << std::hex << mask);
    std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, 3);
    for (std::uint32_t& value : values)
      value = (value & static_cast<std::uint32_t>(mask)) | (0x12345678u & ~static_cast<std::uint32_t>(mask));
    test::check_sort(backend, values, {});
  }
}

ONEPASS_TEST(radix_sort, bool_keys) {
  const std::size_t n = test::limited(20011);
  const std::vector<std::uint8_t> values = test::random_flags(n, 4, 0.3);
  const test::buffer<std::uint8_t> keys(backend, values);
  bool* first = reinterpret_cast<bool*>(keys.begin());
  onepass::radix_sort(backend.policy(), first, first + n);
  std::vector<std::uint8_t> expected = values;
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(test::same(keys.to_host(), expected));
}

namespace {

// Keys that ascend, but not in the bits that are sorted by; the last digit may be less than a whole one.
template <class K, class Backend>
void check_bits_of_sorted_keys(const Backend& backend) {
  constexpr int bits = 8 * static_cast<int>(sizeof(K));
  constexpr int ranges[][2] = {{0, 3}, {0, 1}, {2, 7}, {1, 8}, {0, bits - 3}, {3, bits - 5}};
  for (const std::size_t n : {std::size_t{300}, test::limited(20011), test::limited(70001)}) {
    std::vector<K> values(n);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = static_cast<K>(i * ((std::uint64_t{1} << (bits < 20 ? bits : 20)) - 1) / n);
    for (const auto& range : ranges) {
      SCOPED_TRACE(testing::Message() << n << " keys, bits [" << range[0] << ", " << range[1] << ")");
      test::check_sort(backend, values, {false, range[0], range[1]});
      test::check_sort(backend, values, {true, range[0], range[1]});
    }
  }
}

}  // namespace

ONEPASS_TEST(radix_sort, bits_of_sorted_keys) {
  check_bits_of_sorted_keys<std::uint8_t>(backend);
  check_bits_of_sorted_keys<std::uint16_t>(backend);
  check_bits_of_sorted_keys<std::uint32_t>(backend);
  check_bits_of_sorted_keys<std::uint64_t>(backend);
}

// Enough to be split past the caches: into piles that are sorted in a near one, that hold most of the keys, or that are in
// order but for one key.
ONEPASS_CPU_TEST(radix_sort, piles) {
  const std::size_t n = test::limited((1u << 20) + 7);
  for (const test::pattern p : {test::pattern::uniform, test::pattern::few_valued, test::pattern::presorted}) {
    SCOPED_TRACE(test::name_of(p));
    test::check_sort(backend, test::keys<std::uint32_t>(n, 5, p), {});
  }
  std::vector<std::uint32_t> values = test::keys<std::uint32_t>(n, 6, test::pattern::presorted);
  std::swap(values[n / 2], values[n - 1]);
  test::check_sort(backend, values, {});
}

// Keys that agree in more bits than a pile is sorted by at first, a few of them or many, and differ far below.
ONEPASS_CPU_TEST(radix_sort, keys_that_differ_in_low_bits) {
  for (const std::size_t n : {test::limited(5000), test::limited(600011)}) {
    for (const int ways : {2, 40, 4000}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << ways << " with the same high bits");
      std::vector<std::uint64_t> values = test::random_values<std::uint64_t>(n, 7);
      for (std::uint64_t& value : values) {
        const std::uint64_t high = test::hash(8, value % (n / static_cast<std::size_t>(ways) + 1));
        value = (high & ~std::uint64_t{0xFFFF}) | (value >> 48);
      }
      test::check_sort(backend, values, {});
    }
  }
}

// So few that they are inserted, with the memory that is measured for them and with none.
ONEPASS_CPU_TEST(radix_sort, few_keys) {
  for (std::size_t n = 0; n <= 70; ++n) {
    const std::vector<std::int16_t> values = test::keys<std::int16_t>(n, n, test::all_patterns[n % 6]);
    test::check_sort(backend, values, n % 2 == 0 ? onepass::radix_options{} : test::descending());
    std::vector<std::int16_t> keys = values;
    const auto sort = [&](const auto& policy) { onepass::radix_sort(policy, keys.begin(), keys.end()); };
    onepass::workspace memory(backend.policy(), onepass::measure(backend.policy(), sort));
    EXPECT_TRUE(test::same(keys, values)) << "measuring sorts";
    sort(backend.policy().with(memory));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  }
}

// Around the numbers from which on narrow integers are counted, and shared out among threads.
template <class K>
void check_counted_keys(const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes) {
    for (const int threads : {1, 2, 5}) {
      const std::vector<K> values = test::keys<K>(test::limited(size), size, test::pattern::uniform);
      for (const bool descending : {false, true}) {
        SCOPED_TRACE(testing::Message() << size << " keys, " << threads << " threads");
        std::vector<K> expected = values, keys = values, copied(values.size());
        if (descending) std::sort(expected.begin(), expected.end(), std::greater<K>());
        else std::sort(expected.begin(), expected.end());
        const onepass::radix_options options = descending ? test::descending() : onepass::radix_options{};
        onepass::radix_sort_copy(onepass::cpu(threads), keys.begin(), keys.end(), copied.begin(), options);
        EXPECT_TRUE(keys == values);
        onepass::radix_sort(onepass::cpu(threads), keys.begin(), keys.end(), options);
        EXPECT_TRUE(keys == expected);
        EXPECT_TRUE(copied == expected);
      }
    }
  }
}
ONEPASS_CPU_TEST(radix_sort, integers_that_are_counted) {
  (void)backend;
  check_counted_keys<std::int8_t>({255, 256, 257, 65535, 131071, 131072, 400003});
  check_counted_keys<std::uint8_t>({256, 131079});
  check_counted_keys<std::int16_t>({524287, 524288, 2097152, 2097159});
  check_counted_keys<std::uint16_t>({524288, 5000011});
}
