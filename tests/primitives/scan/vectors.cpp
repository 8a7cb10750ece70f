// SPDX-License-Identifier: Apache-2.0
// Where the CPU backend scans in vectors: every width of lane, every size around a vector and a block, any alignment,
// stored past the caches or not, with vectors of every size, and the same bits with all of them and any number of threads.
#include <onepass/scan.hpp>
#include <onepass/segmented_scan.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

// The whole range of the type, but for sums that would overflow in C++'s sense: those of narrow types are added up in int.
template <class T, class Op>
std::vector<T> values_for(Op, std::size_t n, std::uint64_t seed) {
  constexpr bool is_sum = std::is_same_v<Op, onepass::sum>;
  if constexpr (std::is_floating_point_v<T>) return test::random_between<T>(n, seed, -1000, 1000);
  else if constexpr (is_sum && std::is_same_v<T, std::uint16_t>) return test::random_between<T>(n, seed, 0, 900);
  else if constexpr (is_sum && std::is_signed_v<T>) return test::random_between<T>(n, seed, -99, 127);
  else return test::random_values<T>(n, seed);
}

template <class T, class Op>
void check(const onepass::cpu_policy& policy, std::size_t n, std::size_t in_shift, std::size_t out_shift, Op op) {
  SCOPED_TRACE(testing::Message() << n << " items, shifted by " << in_shift << " and " << out_shift);
  const test::cpu_backend backend;
  const std::vector<T> values = values_for<T>(op, n, n + 7);
  const T init = static_cast<T>(-3);
  const auto inclusive = test::inclusive_reference<T>(values, op);
  const auto exclusive = test::exclusive_reference<T>(values, op, init);
  const test::buffer<T> in(backend, values, in_shift), out(backend, n, out_shift);
  const bool is_small = n <= 200;  // larger ones only with the vectors in use, as that takes longest
  test::at_each_simd_level(is_small ? test::simd_level::none : onepass::detail::simd_in_use(), [&] {
    in.assign(values);
    out.poison_all();
    onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin(), op);
    EXPECT_TRUE(test::identical(out.to_host(), inclusive)) << "inclusive";
    out.poison_all();
    onepass::exclusive_scan(policy, in.begin(), in.end(), out.begin(), init, op);
    EXPECT_TRUE(test::identical(out.to_host(), exclusive)) << "exclusive";
    EXPECT_TRUE(test::identical(in.to_host(), values)) << "the input was written";
    onepass::inclusive_scan(policy, in.begin(), in.end(), in.begin(), op);
    EXPECT_TRUE(test::identical(in.to_host(), inclusive)) << "inclusive, in place";
    in.assign(values);
    onepass::exclusive_scan(policy, in.begin(), in.end(), in.begin(), init, op);
    EXPECT_TRUE(test::identical(in.to_host(), exclusive)) << "exclusive, in place";
  });
}

template <class T, class Op>
void check_operator(Op op) {
  for (std::size_t n = 0; n <= 200; ++n) check<T>(onepass::cpu(1), n, n % 3, n % 5, op);
  check<T>(onepass::cpu(3), test::limited(1700000 / sizeof(T) + 3), 1, 1, op);  // a dozen tiles and a part
}
template <class T>
void check_type() {
  check_operator<T>(onepass::sum{});
  // Of each width signed and unsigned ones are compared, and both operators taken.
  if constexpr (std::is_signed_v<T>) check_operator<T>(onepass::minimum{});
  if constexpr (std::is_unsigned_v<T> || std::is_floating_point_v<T>) check_operator<T>(onepass::maximum{});
  // Enough to be stored past the caches, straight and through a buffer.
  for (const std::size_t out_shift : {0, 1})
    check<T>(onepass::cpu(2), test::limited(4300000 / sizeof(T) + 3), 1, out_shift, onepass::sum{});
}

}  // namespace

ONEPASS_CPU_TEST(scan, vectors_int8) { check_type<std::int8_t>(); }
ONEPASS_CPU_TEST(scan, vectors_uint8) { check_type<std::uint8_t>(); }
ONEPASS_CPU_TEST(scan, vectors_int16) { check_type<std::int16_t>(); }
ONEPASS_CPU_TEST(scan, vectors_uint16) { check_type<std::uint16_t>(); }
ONEPASS_CPU_TEST(scan, vectors_int32) { check_type<std::int32_t>(); }
ONEPASS_CPU_TEST(scan, vectors_uint32) { check_type<std::uint32_t>(); }
ONEPASS_CPU_TEST(scan, vectors_int64) { check_type<std::int64_t>(); }
ONEPASS_CPU_TEST(scan, vectors_uint64) { check_type<std::uint64_t>(); }
// Whole numbers: exact, however they are associated.
ONEPASS_CPU_TEST(scan, vectors_float) { check_type<float>(); }
ONEPASS_CPU_TEST(scan, vectors_double) { check_type<double>(); }

namespace {

template <class T>
void check_same_bits() {
  const test::cpu_backend backend;
  const std::size_t n = test::limited(1200007);
  const std::vector<T> values = test::random_values<T>(n, 1);
  std::vector<T> first;
  const auto check_threads = [&](int threads) {
    // Neither where the items lie nor whether they are scanned in place makes a difference.
    for (const std::size_t shift : {0, 1, 2, 3}) {
      const test::buffer<T> in(backend, values, 3 - shift), out(backend, n, shift);
      onepass::inclusive_scan(onepass::cpu(threads), in.begin(), in.end(), out.begin());
      onepass::inclusive_scan(onepass::cpu(threads), in.begin(), in.end(), in.begin());
      if (first.empty()) first = out.to_host();
      EXPECT_TRUE(test::identical(out.to_host(), first)) << threads << " threads, shifted by " << shift;
      EXPECT_TRUE(test::identical(in.to_host(), first)) << threads << " threads, in place, shifted by " << 3 - shift;
    }
  };
  test::at_each_simd_level(test::least_vectors, [&] {
    for (const int threads : {1, 2, 3, 8}) check_threads(threads);
  });
}

}  // namespace

ONEPASS_CPU_TEST(scan, vectors_same_bits_float) { check_same_bits<float>(); }
ONEPASS_CPU_TEST(scan, vectors_same_bits_double) { check_same_bits<double>(); }
// As on all other machines: a hash of the results' bits.
ONEPASS_CPU_TEST(scan, vectors_same_bits_on_every_machine) {
  const std::size_t n = 100003;
  std::vector<float> values(n), sums(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(test::hash(1, i) >> 40) * 0x1p-24f;
  test::at_each_simd_level(test::least_vectors, [&] {
    onepass::inclusive_scan(onepass::cpu(2), values.begin(), values.end(), sums.begin());
    std::uint64_t bits = 0;
    for (const float sum : sums) {
      std::uint32_t word;
      std::memcpy(&word, &sum, sizeof word);
      bits = test::hash(bits, word);
    }
    EXPECT_EQ(bits, 0xeaab76cf72a6bc3bu);
  });
}

// Sums of -0 alone are -0; whichever of -0 and +0 is first stays; a NaN is never made up or lost from the front.
ONEPASS_CPU_TEST(scan, vectors_special_floats) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const std::size_t n : {1, 5, 8, 40, 100}) {
    std::vector<float> values(n, -0.0f), result(n);
    const auto scan = [&](auto op) {
      test::at_each_simd_level([&] {
        onepass::inclusive_scan(backend.policy(), values.begin(), values.end(), result.begin(), op);
        EXPECT_TRUE(test::identical(result, test::inclusive_reference<float>(values, op))) << n << " items";
      });
    };
    scan(onepass::sum{});
    scan(onepass::maximum{});
    values[n / 2] = 0.0f;
    scan(onepass::sum{});
    scan(onepass::maximum{});
    scan(onepass::minimum{});
    values[n / 2] = inf;
    scan(onepass::sum{});
    scan(onepass::minimum{});
    values[n / 2] = -inf;
    scan(onepass::maximum{});
    values[0] = nan;
    scan(onepass::sum{});
  }
}

// Operators on bits, and products modulo 2^bits.
namespace {

template <class T>
void check_bits() {
  check_operator<T>(onepass::bit_and{});
  check_operator<T>(onepass::bit_or{});
  check_operator<T>(std::bit_xor<T>{});
}
template <class T, class Op>
void check_segments(Op op, T init) {
  const test::cpu_backend backend;
  for (const std::size_t n : {std::size_t{37}, test::limited(150001)}) {
    const std::vector<T> values = test::random_values<T>(n, 4);
    const std::vector<std::uint8_t> flags = test::random_flags(n, 5, 0.02);
    std::vector<T> result(n);
    const auto expected = test::exclusive_segmented_reference(values, flags, init, op);
    test::at_each_simd_level([&] {
      onepass::exclusive_segmented_scan(backend.policy(), values.begin(), values.end(), flags.begin(), result.begin(),
                                        init, op);
      EXPECT_TRUE(test::same(result, expected)) << n << " items";
    });
  }
}

}  // namespace

ONEPASS_CPU_TEST(scan, vectors_bits_uint8) { check_bits<std::uint8_t>(); }
ONEPASS_CPU_TEST(scan, vectors_bits_int64) { check_bits<std::int64_t>(); }
ONEPASS_CPU_TEST(scan, vectors_product_uint32) { check_operator<std::uint32_t>(onepass::product{}); }
ONEPASS_CPU_TEST(scan, vectors_product_uint8) { check_operator<std::uint8_t>(std::multiplies<std::uint8_t>{}); }
ONEPASS_CPU_TEST(scan, vectors_of_segments_by_bits_and_products) {
  check_segments<std::uint32_t>(onepass::product{}, 3u);
  check_segments<std::int16_t>(onepass::bit_xor{}, std::int16_t{-7});
}
// Products of 0.5 and 2 are exact.
ONEPASS_CPU_TEST(scan, vectors_product_double) {
  const std::size_t n = test::limited(150001);
  std::vector<double> values(n), result(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = test::hash(6, i / 2) % 2 == i % 2 ? 0.5 : -2.0;
  onepass::inclusive_scan(backend.policy(), values.begin(), values.end(), result.begin(), onepass::product{});
  EXPECT_TRUE(test::identical(result, test::inclusive_reference<double>(values, onepass::product{})));
}

ONEPASS_CPU_TEST(scan, vectors_bool) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{65}, test::limited(300007)}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    // Arrays, as std::vector<bool> has none; each operator meets the item that decides in the middle.
    const std::unique_ptr<bool[]> in(new bool[n + 1]), out(new bool[n + 1]);
    const auto check = [&](auto op, bool usual, bool initial) {
      std::fill(in.get(), in.get() + n, usual);
      if (n > 0) in[n / 2] = !usual;
      onepass::inclusive_scan(backend.policy(), in.get(), in.get() + n, out.get(), op);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], i >= n / 2 ? !usual : usual) << i;
      onepass::exclusive_scan(backend.policy(), in.get(), in.get() + n, out.get(), initial, op);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], i > n / 2 || initial != usual ? !usual : usual) << i;
    };
    check(onepass::logical_or{}, false, false);
    check(onepass::logical_or{}, false, true);
    check(onepass::logical_and{}, true, true);
    check(onepass::logical_and{}, true, false);
    check(onepass::maximum{}, false, false);
    check(onepass::minimum{}, true, true);
  }
}

// Results of another type than the items. Sums are added up in the items' type, or in that of the initial value.
ONEPASS_CPU_TEST(scan, vectors_other_types) {
  const std::size_t n = test::limited(150001);
  const auto bytes = test::random_values<std::int8_t>(n, 3);
  std::vector<std::uint8_t> narrow(n);
  std::vector<std::int16_t> wide(n);
  std::vector<std::int32_t> sums(n), expected(n);
  onepass::inclusive_scan(backend.policy(), bytes.begin(), bytes.end(), narrow.begin());
  onepass::inclusive_scan(backend.policy(), bytes.begin(), bytes.end(), wide.begin(), 0, std::plus<int>{});
  onepass::inclusive_scan(backend.policy(), bytes.begin(), bytes.end(), sums.begin(), 0, thrust::plus<int>{});
  for (std::size_t i = 0; i < n; ++i) expected[i] = (i > 0 ? expected[i - 1] : 0) + bytes[i];
  EXPECT_TRUE(test::same(sums, expected));
  EXPECT_TRUE(test::same(wide, std::vector<std::int16_t>(expected.begin(), expected.end())));
  EXPECT_TRUE(test::same(narrow, std::vector<std::uint8_t>(expected.begin(), expected.end())));

  std::vector<double> fractions(n), halves(n, 0.5);
  std::vector<int> whole(n);
  onepass::exclusive_scan(backend.policy(), halves.begin(), halves.end(), fractions.begin(), 0.25, std::plus<>{});
  onepass::inclusive_scan(backend.policy(), halves.begin(), halves.end(), whole.begin());  // added up as doubles
  for (std::size_t i = 0; i < n; i += 997) {
    EXPECT_EQ(fractions[i], 0.25 + 0.5 * static_cast<double>(i));
    EXPECT_EQ(whole[i], static_cast<int>((i + 1) / 2));
  }
}
