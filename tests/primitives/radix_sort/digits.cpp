// SPDX-License-Identifier: Apache-2.0
// The digits of key bits (primitives/radix_sort/keys/digits.hpp): for every range of bits they take each bit once, in
// order, and sorts by one after another give the order of the keys.
#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "support/random.hpp"
#include "support/references.hpp"
#include "support/test.hpp"
#include "../../../primitives/radix_sort/keys/digits.hpp"
#include "../../../primitives/radix_sort/struct_keys/field_digits.hpp"

namespace test {

namespace radix = onepass::detail;

template <class K>
static void check_digits(const std::vector<K>& values, const radix::key_digits<K>& of) {
  SCOPED_TRACE(testing::Message() << "bits " << of.begin_bit << " to " << of.end_bit << ", " << of.descending << ", "
                                  << of.spreads_bits);
  const radix::bits_digits<K, true> digits{of};
  using key_bits = typename decltype(digits.at(0))::key_bits;
  std::vector<K> sorted = values;
  int at = of.begin_bit;
  for (int p = 0; p < digits.positions(); ++p) {
    const auto digit = digits.at(p);
    int bits = 0;
    while (bits < 32 && digit.mask >> bits != 0) ++bits;
    ASSERT_EQ(digit.mask, (1ull << bits) - 1);
    ASSERT_EQ(digit.shift, at);
    ASSERT_GE(bits, 1);
    ASSERT_LE(bits, radix::digit_bits);
    at += bits;
    // What has been sorted by once this digit is.
    const int bits_so_far = at - of.begin_bit, width = static_cast<int>(8 * sizeof(K));
    const auto ones = static_cast<key_bits>(static_cast<key_bits>(~key_bits{0}) >> (width - bits_so_far));
    ASSERT_EQ(digit.sorted_bits(of.begin_bit), static_cast<key_bits>(ones << of.begin_bit));
    ASSERT_EQ(digit.begin_bit, of.begin_bit);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const K& a, const K& b) { return digit(digit.to_bits(a)) < digit(digit.to_bits(b)); });
  }
  ASSERT_EQ(at, of.end_bit);
  const auto order = sorted_order(values, of.descending, of.begin_bit, of.end_bit);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_TRUE(same_bits(sorted[i], values[order[i]])) << "key " << i;
}

template <class K>
static void check_all_ranges(const std::vector<K>& values, int step) {
  constexpr int width = 8 * static_cast<int>(sizeof(K));
  for (int begin = 0; begin < width; begin += step) {
    for (int end = begin + 1; end <= width; end += end + step <= width ? step : 1) {
      for (const bool spreads : {false, true}) {
        check_digits<K>(values, {begin, end, (begin + end) % 2 == 0, false, spreads, spreads});
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(radix_digits, of_uint32) { check_all_ranges(random_values<std::uint32_t>(120, 1), 1); }
TEST(radix_digits, of_uint64) { check_all_ranges(random_values<std::uint64_t>(60, 2), 3); }
TEST(radix_digits, of_uint16) { check_all_ranges(random_values<std::uint16_t>(200, 3), 1); }
TEST(radix_digits, of_doubles) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const double random = static_cast<double>(hash(4, i) >> 12) * 0x1p-51 - 1.0;
    values.push_back(i % 7 == 0 ? 0.0 : i % 7 == 1 ? -0.0 : random);
  }
  check_all_ranges(values, 5);
}

// Where keys differ in a digit of a field, may_differ says so. A sort leaves out digits of which it does not.
template <class KeyBits, class K, class Decomposer>
static void check_left_out(const std::vector<K>& keys, Decomposer decompose) {
  using fields = radix::key_fields<K, Decomposer>;
  const auto positions = radix::find_fields<K>("test", decompose);
  const radix::field_digits<KeyBits, fields::have_floats(), fields::bytes()> digits(
      positions, false, 0, 8 * static_cast<int>(fields::bytes()));
  std::vector<KeyBits> bits(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) std::memcpy(&bits[i], &keys[i], sizeof(K));
  for (const KeyBits a : bits) {
    for (const KeyBits b : bits) {
      for (int p = 0; p < digits.positions(); ++p) {
        const auto digit = digits.at(p);
        ASSERT_TRUE(digit(a) == digit(b) || digit.may_differ(a ^ b)) << "digit " << p;
      }
    }
  }
}

struct float_and_int {
  float x;
  std::int32_t y;
};
TEST(radix_digits, of_fields_that_may_differ) {
  std::vector<float_and_int> keys;
  for (const float x : {0.0f, -0.0f, 1e-45f, -1e-45f, 1.0f, -1.0f, -3e38f})
    for (const std::int32_t y : {0, -1, 255, 256}) keys.push_back({x, y});
  check_left_out<std::uint64_t>(keys, [](float_and_int& k) { return std::tie(k.x); });
  check_left_out<std::uint64_t>(keys, [](float_and_int& k) { return std::tie(k.y, k.x); });
}

}  // namespace test
