// SPDX-License-Identifier: Apache-2.0
// Radix sorts of floats: signed zeros are equal and keep their order, infinities and NaNs go to the ends by their sign.
#include "primitives/radix_sort/keys_of_type.hpp"

#include <cstring>
#include <limits>

ONEPASS_TEST(radix_sort, float_keys) { test::check_key_type<float>(backend); }
ONEPASS_TEST(radix_sort, double_keys) { test::check_key_type<double>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_TEST(radix_sort, half_keys) { test::check_key_type<test::half>(backend); }
#endif

namespace {

// A float of given bits: 0 and 1 in front are signs.
template <class K>
K from_bits(std::uint64_t bits) {
  K key;
  std::memcpy(static_cast<void*>(&key), &bits, sizeof(K));
  return key;
}

// Random bits, among them every kind of number and NaNs of any payload, and many zeros of both signs.
template <class K, std::uint64_t infinity, class Backend>
void check_special_values(const Backend& backend) {
  constexpr std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(K) - 1);
  const std::uint64_t special[] = {0,
                                   sign,
                                   1,
                                   sign | 1,
                                   infinity,
                                   sign | infinity,
                                   infinity + 1,
                                   sign | (infinity + 1),
                                   sign - 1,
                                   sign | (sign - 1),
                                   infinity - 1,
                                   sign | (infinity - 1)};
  std::vector<K> values(test::limited(30011));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = test::hash(1, i), kind = test::hash(2, i) % 4;
    values[i] = from_bits<K>(kind == 0 ? special[bits % 2] : kind == 1 ? special[bits % 12] : bits);
  }
  test::check_sort(backend, values, {});
  test::check_sort(backend, values, test::descending());
}

}  // namespace

ONEPASS_TEST(radix_sort, special_floats) { check_special_values<float, 0x7F800000>(backend); }
ONEPASS_TEST(radix_sort, special_doubles) { check_special_values<double, 0x7FF0000000000000>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_TEST(radix_sort, special_halves) { check_special_values<test::half, 0x7C00>(backend); }
ONEPASS_TEST(radix_sort, special_bfloat16s) { check_special_values<test::bfloat16, 0x7F80>(backend); }
#endif

// The order is that of < among numbers: what the bits say is what the comparison says.
ONEPASS_TEST(radix_sort, floats_in_the_order_of_less) {
  std::vector<float> values = test::random_values<float>(test::limited(30011), 5);
  values[7] = -0.0f;
  values[8] = 0.0f;
  values[9] = std::numeric_limits<float>::infinity();
  values[10] = -std::numeric_limits<float>::denorm_min();
  const test::buffer<float> keys(backend, values);
  onepass::radix_sort(backend.policy(), keys.begin(), keys.end());
  std::stable_sort(values.begin(), values.end());
  EXPECT_TRUE(test::identical(keys.to_host(), values));
}

// Bits of floats count in their ordered form: the top one is the inverted sign, so this splits by sign.
ONEPASS_TEST(radix_sort, sign_bit_of_floats) {
  onepass::radix_options options;
  options.begin_bit = 31;
  test::check_sort(backend, test::random_values<float>(test::limited(30011), 6), options);
}
