// SPDX-License-Identifier: Apache-2.0
// Scans by key: types of keys and values, lengths of segments, sizes, unaligned and in place.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

constexpr std::size_t means[] = {1, 3, 40, 5000, 0};

// Every size with some mean length, and every mean with some size.
template <class Body>
void for_each_layout(Body body) {
  std::size_t which = 0;
  for (const std::size_t n : test::sizes()) {
    ++which;
    body(n, means[which % 5], which % 3);
  }
  for (const std::size_t mean : means) body(test::limited(150011), mean, 1);
}

template <class K, class T, class Op, class Backend>
void check_by_key(const Backend& backend, Op op, T init) {
  for_each_layout([&](std::size_t n, std::size_t mean, std::size_t shift) {
    SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean << ", shift " << shift);
    const std::vector<K> key_values = test::keys_of<K>(test::segment_starts(n, n + mean, mean), n, n);
    const std::vector<std::uint8_t> heads = test::heads_of_keys(key_values);
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<T> inclusive = test::inclusive_segmented_reference(values, heads, op);
    const std::vector<T> exclusive = test::exclusive_segmented_reference(values, heads, init, op);
    const test::buffer<K> keys(backend, key_values, shift);
    const test::buffer<T> in(backend, values, shift), out(backend, n);
    const auto p = backend.policy();
    T* end =
        onepass::inclusive_scan_by_key(p, keys.begin(), keys.end(), in.begin(), out.begin(), test::same_value{}, op);
    EXPECT_EQ(end, out.end());
    EXPECT_TRUE(test::same(out.to_host(), inclusive)) << "inclusive";
    out.poison_all();
    end = onepass::exclusive_scan_by_key(p, keys.begin(), keys.end(), in.begin(), out.begin(), init, test::same_value{},
                                         op);
    EXPECT_EQ(end, out.end());
    EXPECT_TRUE(test::same(out.to_host(), exclusive)) << "exclusive";
    onepass::exclusive_scan_by_key(p, keys.begin(), keys.end(), in.begin(), in.begin(), init, test::same_value{}, op);
    EXPECT_TRUE(test::same(in.to_host(), exclusive)) << "exclusive, in place";
    EXPECT_TRUE(test::same(keys.to_host(), key_values)) << "the keys were written";
  });
}

}  // namespace

ONEPASS_TEST(segmented_scan, int8_keys_uint32_values) {
  check_by_key<std::int8_t>(backend, onepass::sum{}, std::uint32_t{5});
}
ONEPASS_TEST(segmented_scan, int32_keys_uint8_values) {
  check_by_key<std::int32_t>(backend, onepass::sum{}, std::uint8_t{5});
}
ONEPASS_TEST(segmented_scan, uint64_keys_int16_values) {
  check_by_key<std::uint64_t>(backend, onepass::maximum{}, std::int16_t{-30000});
}
ONEPASS_TEST(segmented_scan, uint16_keys_uint64_values) {
  check_by_key<std::uint16_t>(backend, onepass::sum{}, std::uint64_t{1} << 60);
}
ONEPASS_TEST(segmented_scan, non_commutative) {
  check_by_key<std::int32_t>(backend, test::matrix_product{}, test::matrix{1, 2, 3, 4});
}
ONEPASS_TEST(segmented_scan, values_of_24_bytes) {
  check_by_key<float>(backend, test::triangular_product{}, test::triple{1, 2, 3});
}

// Fractions near the sums of doubles, and the same bits each time.
template <class T, class Backend>
static void check_floats(const Backend& backend, double relative) {
  const std::size_t n = test::limited(200003);
  for (const std::size_t mean : means) {
    SCOPED_TRACE(testing::Message() << "mean length " << mean);
    const std::vector<std::int32_t> key_values = test::keys_of<std::int32_t>(test::segment_starts(n, 1, mean), n, 2);
    const std::vector<T> values = test::random_fractions<T>(n, 3);
    const std::vector<double> widened(values.begin(), values.end());
    const std::vector<double> expected =
        test::inclusive_segmented_reference(widened, test::heads_of_keys(key_values), onepass::sum{});
    const test::buffer<std::int32_t> keys(backend, key_values);
    const test::buffer<T> in(backend, values), out(backend, n);
    std::vector<T> first;
    for (int repeat = 0; repeat < 4; ++repeat) {
      out.poison_all();
      onepass::inclusive_scan_by_key(backend.policy(), keys.begin(), keys.end(), in.begin(), out.begin());
      const std::vector<T> result = out.to_host();
      EXPECT_TRUE(test::near(result, expected, expected, relative));
      if (repeat == 0) first = result;
      EXPECT_TRUE(test::identical(result, first)) << "other bits in run " << repeat;
    }
  }
}
ONEPASS_TEST(segmented_scan, float_near_and_reproducible) { check_floats<float>(backend, 1e-4); }
ONEPASS_TEST(segmented_scan, double_near_and_reproducible) { check_floats<double>(backend, 1e-12); }

#if ONEPASS_HAS_CUDA
ONEPASS_TEST(segmented_scan, half_values) {
  const std::size_t n = test::limited(50021);
  const std::vector<std::uint8_t> key_values = test::keys_of<std::uint8_t>(test::segment_starts(n, 1, 100), n, 2);
  const std::vector<test::half> values = test::random_between<test::half>(n, 3, 0, 8);  // whole sums below 2048: exact
  std::vector<double> widened(n);
  for (std::size_t i = 0; i < n; ++i) widened[i] = test::as_double(values[i]);
  const std::vector<double> expected =
      test::inclusive_segmented_reference(widened, test::heads_of_keys(key_values), onepass::sum{});
  const test::buffer<std::uint8_t> keys(backend, key_values, 3);
  const test::buffer<test::half> in(backend, values), out(backend, n, 1);
  onepass::inclusive_scan_by_key(backend.policy(), keys.begin(), keys.end(), in.begin(), out.begin());
  EXPECT_TRUE(test::near(out.to_host(), expected, expected, 0));
}
#endif

namespace {
// Of keys that ascend.
struct equal_to_the_one_before {
  bool operator()(int before, int key) const {
    if (key < before) throw std::runtime_error("these are no neighbours");
    return key == before;
  }
};
}  // namespace

// Each key is compared with the one before it, and with no other.
ONEPASS_CPU_TEST(by_key, compares_neighbours_alone) {
  for (const std::size_t n : {1, 2, 63, 64, 65, 100, 200, 100003}) {
    std::vector<int> keys(n), values(n, 1), sums(n), out_keys(n), out(n);
    std::iota(keys.begin(), keys.end(), 5);
    for (const int threads : {1, 3}) {
      const auto p = onepass::cpu(threads);
      onepass::inclusive_scan_by_key(p, keys.begin(), keys.end(), values.begin(), sums.begin(),
                                     equal_to_the_one_before{});
      EXPECT_EQ(sums, values);
      onepass::reduce_by_key(p, keys.begin(), keys.end(), values.begin(), out_keys.begin(), out.begin(),
                             equal_to_the_one_before{}, onepass::sum{});
      EXPECT_EQ(out_keys, keys);
    }
  }
}
