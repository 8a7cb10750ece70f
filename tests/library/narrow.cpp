// SPDX-License-Identifier: Apache-2.0
// The library's calls that take bool and integers of 8 and 16 bits, too: they only move items, or compare them.
#include "library/fixture.hpp"

#include <numeric>

namespace {

template <class F>
void for_each_narrow_type(F f) {
  f(test::type_tag<std::int8_t>{});
  f(test::type_tag<std::uint8_t>{});
  f(test::type_tag<std::int16_t>{});
  f(test::type_tag<std::uint16_t>{});
}

}  // namespace

LIBRARY_TEST(library_narrow, compact_and_partition) {
  for_each_narrow_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", bytes " << sizeof(T));
      const std::vector<T> values = test::random_values<T>(n, 1);
      const std::vector<std::uint8_t> keep = test::random_flags(n, 2, 0.4);
      const std::vector<T> expected = test::kept(values, keep), others = test::kept(values, keep, false);
      const test::array<T> in(where, values), out(where, expected.size()), out_true(where, expected.size()),
          out_false(where, others.size());
      const test::array<std::uint8_t> flags(where, keep);
      EXPECT_EQ(library::compact<T>(where, in, n, flags, out), expected.size());
      EXPECT_TRUE(test::same(out.items(), expected));
      EXPECT_EQ(library::stable_partition_copy<T>(where, in, n, flags, out_true, out_false), expected.size());
      EXPECT_TRUE(test::same(out_true.items(), expected));
      EXPECT_TRUE(test::same(out_false.items(), others));
    }
  });
}

namespace {

template <class T>
void wide_sums(const library::execution& where, std::size_t n) {
  SCOPED_TRACE(testing::Message() << "n " << n << ", bytes " << sizeof(T));
  const std::vector<T> values = test::random_values<T>(n, 1);
  const std::vector<std::int64_t> as_wide(values.begin(), values.end());
  const auto add = [](std::int64_t a, std::int64_t b) { return a + b; };
  const std::int64_t init = -7000000000;
  const test::array<T> in(where, values);
  const test::array<std::int64_t> plain(where, n), with_init(where, n), exclusive(where, n);
  library::inclusive_wide_sum<T>(where, in, n, plain);
  library::inclusive_wide_sum<T>(where, in, n, with_init, init);
  library::exclusive_wide_sum<T>(where, in, n, exclusive, init);
  EXPECT_TRUE(test::same(plain.items(), test::inclusive_reference<std::int64_t>(as_wide, add)));
  EXPECT_TRUE(test::same(with_init.items(), test::inclusive_reference<std::int64_t>(as_wide, add, init)));
  EXPECT_TRUE(test::same(exclusive.items(), test::exclusive_reference<std::int64_t>(as_wide, add, init)));
}

}  // namespace

LIBRARY_TEST(library_narrow, sums_in_64_bits) {
  for (const std::size_t n : test::few_sizes()) {
    for_each_narrow_type([&](auto tag) { wide_sums<typename decltype(tag)::type>(where, n); });
    wide_sums<std::int32_t>(where, n);
    wide_sums<std::uint32_t>(where, n);
  }
}

LIBRARY_TEST(library_narrow, sums_of_bools) {
  const test::array<std::uint8_t> in(where, {1, 0, 1});
  const test::array<std::int64_t> out(where, 3);
  library::inclusive_wide_sum(where, reinterpret_cast<const bool*>(static_cast<std::uint8_t*>(in)), 3, out);
  EXPECT_EQ(out.items(), (std::vector<std::int64_t>{1, 1, 2}));
}

LIBRARY_TEST(library_narrow, unique_and_run_lengths) {
  for_each_narrow_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", bytes " << sizeof(T));
      const std::vector<T> values = test::keys_of<T>(test::segment_starts(n, 4, 5), n, 9);
      const std::vector<T> expected = test::kept(values, test::heads_of_keys(values));
      const test::array<T> in(where, values), out(where, expected.size()), items(where, expected.size());
      const test::array<std::int64_t> lengths(where, expected.size());
      EXPECT_EQ(library::unique_copy<T>(where, in, n, out), expected.size());
      EXPECT_EQ(library::run_length_encode<T>(where, in, n, items, lengths), expected.size());
      EXPECT_TRUE(test::same(out.items(), expected));
      EXPECT_TRUE(test::same(items.items(), expected));
      const std::vector<std::int64_t> counted = lengths.items();
      EXPECT_EQ(std::accumulate(counted.begin(), counted.end(), std::int64_t{0}), static_cast<std::int64_t>(n));
    }
  });
}

LIBRARY_TEST(library_narrow, values_of_unique_by_key) {
  for_each_narrow_type([&](auto tag) {
    using V = typename decltype(tag)::type;
    const std::size_t n = 30011;
    const std::vector<std::int64_t> all = test::keys_of<std::int64_t>(test::segment_starts(n, 4, 5), n, 9);
    const std::vector<V> values = test::random_values<V>(n, 1);
    const std::vector<V> expected = test::kept(values, test::heads_of_keys(all));
    const test::array<std::int64_t> keys(where, all), out_keys(where, n);
    const test::array<V> with(where, values), out(where, n);
    EXPECT_EQ((library::unique_by_key_copy<std::int64_t, V>(where, keys, n, with, out_keys, out)), expected.size());
    EXPECT_TRUE(test::same(out.items(expected.size()), expected));
  });
}

LIBRARY_TEST(library_narrow, bool_is_an_integer_of_8_bits) {
  const test::array<std::uint8_t> in(where, {1, 0, 1}), out(where, 3), flags(where, {1, 1, 0});
  const auto* first = reinterpret_cast<const bool*>(static_cast<std::uint8_t*>(in));
  auto* to = reinterpret_cast<bool*>(static_cast<std::uint8_t*>(out));
  EXPECT_EQ(library::compact(where, first, 3, flags, to), 2u);
  EXPECT_EQ(out.items(2), (std::vector<std::uint8_t>{1, 0}));
}
