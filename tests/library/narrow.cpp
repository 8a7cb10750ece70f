// SPDX-License-Identifier: Apache-2.0
// What is particular to bool and integers of 8 and 16 bits. The other files of this folder have the calls on these types, too.
#include "library/fixture.hpp"

#include <functional>

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
    test::for_each_narrow_type([&](auto tag) { wide_sums<typename decltype(tag)::type>(where, n); });
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

LIBRARY_TEST(library_narrow, arithmetic_wraps_around) {
  const test::array<std::int8_t> in(where, {127, 1, -128, -128, 100, 2}), out(where, 6), one(where, 1);
  library::inclusive_scan<std::int8_t>(where, in, 6, out);
  EXPECT_TRUE(test::same(out.items(), {127, -128, 0, -128, -28, -26}));
  library::exclusive_scan<std::int8_t>(where, in, 6, out, 3, library::op::product);
  EXPECT_TRUE(test::same(out.items(), {3, 125, 125, -128, 0, 0}));
  library::inclusive_scan<std::int8_t>(where, in, 6, out, library::op::minimum);
  EXPECT_TRUE(test::same(out.items(), {127, 1, -128, -128, -128, -128}));
  library::reverse_sum<std::int8_t>(where, in, 6, library::rows{2}, out);
  EXPECT_TRUE(test::same(out.items(), {-128, 1, 0, -128, 102, 2}));
  library::segmented_reduce<std::int8_t>(where, in, 6, library::rows{6}, one, -128, library::op::maximum);
  EXPECT_TRUE(test::same(one.items(), {127}));
  const test::array<std::uint16_t> wide(where, {65535, 65535, 2}), products(where, 3);
  library::inclusive_scan<std::uint16_t>(where, wide, 3, products, library::op::product);
  EXPECT_TRUE(test::same(products.items(), {65535, 1, 2}));
}

// More than 2^31 as a sum of 32 bits with a sign.
LIBRARY_TEST(library_narrow, long_sums) {
  const std::size_t n = test::limited((std::size_t{1} << 25) + 3);
  const test::array<std::int16_t> in(where, std::vector<std::int16_t>(n, 32767)), one(where, 1);
  library::segmented_reduce<std::int16_t>(where, in, n, library::rows{static_cast<std::int64_t>(n)}, one, 5);
  EXPECT_EQ(one.items()[0], static_cast<std::int16_t>(5 + 32767 * static_cast<std::int64_t>(n)));
  library::inclusive_scan<std::int16_t>(where, in, n, in, 5, library::op::sum);
  EXPECT_EQ(in.items()[n - 1], one.items()[0]);
}

LIBRARY_TEST(library_narrow, sorts_keys_at_the_ends_of_their_range) {
  const std::vector<std::int8_t> all = {0, 127, -128, -1, 127, -128};
  const test::array<std::int8_t> keys(where, all), best(where, 2), median(where, 1);
  const test::array<std::int32_t> order(where, 6), indices(where, 2);
  library::argsort<std::int8_t, std::int32_t>(where, keys, 6, order);
  EXPECT_TRUE(test::same(order.items(), {2, 5, 3, 0, 1, 4}));
  library::top_k<std::int8_t, std::int32_t>(where, keys, 6, 2, best, indices, library::top_k_options{true, false});
  EXPECT_TRUE(test::same(best.items(), {-128, -128}));
  EXPECT_TRUE(test::same(indices.items(), {2, 5}));
  library::nth_element<std::int8_t>(where, keys, 6, 2, median);
  EXPECT_TRUE(test::same(median.items(), {-1}));
  library::radix_sort<std::int8_t>(where, keys, 6, {true});
  EXPECT_TRUE(test::same(keys.items(), {127, 127, 0, -1, -128, -128}));
}

namespace {

// The bytes of an array as bools.
bool* bools(const test::array<std::uint8_t>& bytes) {
  return reinterpret_cast<bool*>(static_cast<std::uint8_t*>(bytes));
}

}  // namespace

LIBRARY_TEST(library_narrow, bools_are_moved_and_sorted) {
  const std::vector<std::uint8_t> all = {1, 0, 1};
  const test::array<std::uint8_t> in(where, all), out(where, 3), flags(where, {1, 1, 0}), best(where, 2), one(where, 1);
  const test::array<std::int32_t> order(where, 3), indices(where, 2), values(where, {1, 2, 3});
  EXPECT_EQ(library::compact(where, bools(in), 3, flags, bools(out)), 2u);
  EXPECT_EQ(out.items(2), (std::vector<std::uint8_t>{1, 0}));
  library::split(where, bools(in), 3, bools(out), library::digit{0, 1});
  EXPECT_TRUE(test::same(out.items(), {0, 1, 1}));
  library::argsort<bool, std::int32_t>(where, bools(in), 3, order);
  EXPECT_TRUE(test::same(order.items(), {1, 0, 2}));
  library::top_k<bool, std::int32_t>(where, bools(in), 3, 2, bools(best), indices);
  EXPECT_TRUE(test::same(indices.items(), {0, 2}));
  library::nth_element(where, bools(in), 3, 0, bools(one));
  EXPECT_TRUE(test::same(one.items(), {0}));
  library::segmented_sort(where, bools(out), 3, library::rows{3}, library::radix_options{true});
  EXPECT_TRUE(test::same(out.items(), {1, 1, 0}));
  library::radix_sort_by_key<bool, std::int32_t>(where, bools(in), 3, values);
  EXPECT_TRUE(test::same(in.items(), {0, 1, 1}));
  EXPECT_TRUE(test::same(values.items(), {2, 1, 3}));
}

LIBRARY_TEST(library_narrow, bools_are_keys) {
  const test::array<std::uint8_t> keys(where, {1, 1, 0, 0, 0}), found(where, 2);
  const test::array<std::uint16_t> in(where, {1, 2, 3, 4, 65535}), out(where, 5), sums(where, 2);
  library::inclusive_scan_by_key<bool, std::uint16_t>(where, bools(keys), 5, in, out);
  EXPECT_TRUE(test::same(out.items(), {1, 3, 3, 7, 6}));
  EXPECT_EQ((library::reduce_by_key<bool, std::uint16_t>(where, bools(keys), 5, in, bools(found), sums)), 2u);
  EXPECT_TRUE(test::same(found.items(), {1, 0}));
  EXPECT_TRUE(test::same(sums.items(), {3, 6}));
  EXPECT_EQ((library::unique_by_key<bool, std::uint16_t>(where, bools(keys), 5, in)), 2u);
  EXPECT_EQ(in.items()[1], 3);
}

LIBRARY_TEST(library_narrow, refuses_wrong_keys) {
  const std::size_t n = 20;
  const test::array<std::int8_t> keys(where, std::vector<std::int8_t>(n, 1)), room(where, n);
  const test::array<float> values(where, std::vector<float>(n, 1)), out(where, n);
  std::int8_t *const k = keys, *const free = room, *const null = nullptr;
  float *const x = values, *const y = out, *const no_values = nullptr;
  using namespace library;
  const auto refused = [](const std::string& text, const std::function<void()>& call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + text, call));
  };
  refused("inclusive_scan_by_key: keys", [&] { inclusive_scan_by_key(where, null, n, x, y); });
  refused("inclusive_scan_by_key: first", [&] { inclusive_scan_by_key(where, k, n, no_values, y); });
  refused("inclusive_scan_by_key: operators on bits", [&] { inclusive_scan_by_key(where, k, n, x, y, op::bit_or); });
  refused("reduce_by_key: keys", [&] { reduce_by_key(where, null, n, x, free, y); });
  refused("reduce_by_key: out_keys overlaps keys", [&] { reduce_by_key(where, k, n, x, k, y); });
  refused("reduce_by_key: out_values overlaps values", [&] { reduce_by_key(where, k, n, x, free, x + 1); });
  EXPECT_TRUE(room.untouched() && out.untouched());
  inclusive_scan_by_key(where, null, 0, no_values, no_values);
  EXPECT_EQ(reduce_by_key(where, null, 0, no_values, null, no_values), 0u);
}
