// SPDX-License-Identifier: Apache-2.0
// Functions of the caller's that multiply and add floats. Rounded once for both, they would give another answer: calls
// have to get the one that the caller gets, at every level of vectors.
#include <onepass/compact.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

struct has_larger_square {
  float square;
  bool operator()(float x) const { return x * x - square > 0; }
};
// Whether a comes before b in no order: all items are equal but where rounding says otherwise.
struct have_product {
  float product;
  bool operator()(float a, float b) const { return !(a * b - product > 0); }
};
struct plus_square {
  float by;
  float operator()(float x) const { return x * by - 0.25f; }
};

// Fractions whose squares are not exact: rounded once, x * x - square is above 0 for about half of them, and else 0.
std::vector<float> fractions(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(test::hash(1, i) % 16777216 + 1) / 16777216.0f;
  return x;
}

}  // namespace

ONEPASS_CPU_TEST(compact_rounded, predicates) {
  const std::vector<float> x = fractions(200);
  std::vector<float> out(x.size());
  test::at_each_simd_level([&] {
    for (const float f : x) {
      const has_larger_square pred{f * f};
      const auto expected = std::count_if(x.begin(), x.end(), pred);
      EXPECT_EQ(onepass::copy_if(onepass::cpu(1), x.begin(), x.end(), out.begin(), pred) - out.begin(), expected);
      const auto flags = thrust::make_transform_iterator(x.begin(), pred);
      std::vector<std::int32_t> at(x.size());
      EXPECT_EQ(onepass::positions(onepass::cpu(1), flags, flags + 200, at.begin()) - at.begin(), expected);
    }
  });
}

// The items themselves may be computed, too.
ONEPASS_CPU_TEST(compact_rounded, items) {
  const std::vector<float> x = fractions(333);
  const auto computed = thrust::make_transform_iterator(x.begin(), plus_square{0.7f});
  const std::vector<float> expected(computed, computed + 333);
  test::at_each_simd_level([&] {
    std::vector<float> out(x.size());
    const auto end =
        onepass::copy_if(onepass::cpu(1), computed, computed + 333, out.begin(), [](float) { return true; });
    ASSERT_EQ(end, out.end());
    EXPECT_TRUE(test::identical(out, expected));
  });
}

ONEPASS_CPU_TEST(compact_rounded, comparisons) {
  test::at_each_simd_level([&] {
    for (const float f : fractions(100)) {
      const std::vector<float> x(200, f), values(200, 1);
      std::vector<float> keys = x, carried = values, sums(200);
      const have_product equal{f * f};
      EXPECT_EQ(onepass::unique(onepass::cpu(1), keys.begin(), keys.end(), equal) - keys.begin(), 1);
      keys = x;
      const auto ends = onepass::unique_by_key(onepass::cpu(1), keys.data(), keys.data() + 200, carried.data(), equal);
      EXPECT_EQ(ends.first - keys.data(), 1);
      onepass::inclusive_scan_by_key(onepass::cpu(1), x.begin(), x.end(), values.begin(), sums.begin(), equal);
      EXPECT_EQ(sums.back(), 200.0f);
    }
  });
}

// Offsets of segments: each is one less where the multiplication and the subtraction are rounded once.
struct rounded_offset {
  double step;
  std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(static_cast<double>(10 * i + 10) * step - 6.0);
  }
};
ONEPASS_CPU_TEST(compact_rounded, offsets) {
  const auto offsets = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), rounded_offset{0.7});
  test::at_each_simd_level([&] {
    for (const std::int64_t count : {30, 30000}) {  // one tile, and several
      SCOPED_TRACE(testing::Message() << count << " offsets");
      const std::vector<std::int64_t> stored(offsets, offsets + count);
      const std::vector<std::int32_t> ones(static_cast<std::size_t>(stored.back()) + 10, 1);
      std::vector<std::int32_t> computed(ones.size()), expected = computed, ends(stored.size());
      onepass::inclusive_segmented_scan(onepass::cpu(3), ones.begin(), ones.end(),
                                        onepass::offsets(offsets, offsets + count), computed.begin());
      for (std::size_t i = 0, k = 0; i < ones.size(); ++i) {
        const bool is_head = k < stored.size() && stored[k] == static_cast<std::int64_t>(i);
        expected[i] = is_head || i == 0 ? 1 : expected[i - 1] + 1;
        k += is_head;
      }
      EXPECT_TRUE(test::identical(computed, expected));
      onepass::segmented_reduce(onepass::cpu(3), ones.begin(), ones.end(), onepass::offsets(offsets, offsets + count),
                                ends.begin(), 0);
      for (std::size_t k = 0; k + 1 < stored.size(); ++k) ASSERT_EQ(ends[k], stored[k + 1] - stored[k]);
    }
  });
}

// Both outputs may be one range if one of them gets nothing, which is looked at before.
ONEPASS_CPU_TEST(compact_rounded, equal_outputs) {
  test::at_each_simd_level([&] {
    for (const float f : fractions(100)) {
      std::vector<float> x(1000, 0.0f), out(1000);
      for (std::size_t i = 1; i < 1000; i += 2) x[i] = f;
      const auto ends = onepass::stable_partition_copy(onepass::cpu(1), x.data(), x.data() + 1000, out.data(),
                                                       out.data(), has_larger_square{f * f});
      EXPECT_EQ(ends.first, out.data());
      EXPECT_EQ(ends.second, out.data() + 1000);
      EXPECT_TRUE(test::identical(out, x));
    }
  });
}

// Items that no one can make without a value, of the sizes that are copied in vectors.
template <class T>
struct without_default {
  T value;
  explicit without_default(T v) : value(v) {}
  friend bool operator==(const without_default& a, const without_default& b) { return a.value == b.value; }
};
template <class T>
static void check_without_default() {
  std::vector<without_default<T>> x;
  for (int i = 0; i < 300; ++i) x.emplace_back(static_cast<T>(i / 3 % 100));
  std::vector<without_default<T>> out = x, expected;
  const auto is_odd = [](const without_default<T>& i) { return i.value % 2 == 1; };
  std::copy_if(x.begin(), x.end(), std::back_inserter(expected), is_odd);
  auto end = onepass::copy_if(onepass::cpu(1), x.begin(), x.end(), out.begin(), is_odd);
  EXPECT_TRUE(std::equal(out.begin(), end, expected.begin(), expected.end()));
  expected = x;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  end = onepass::unique(onepass::cpu(1), x.begin(), x.end());
  EXPECT_TRUE(std::equal(x.begin(), end, expected.begin(), expected.end()));
}
ONEPASS_CPU_TEST(compact_rounded, items_without_a_default) {
  check_without_default<std::uint8_t>();
  check_without_default<std::int32_t>();
  check_without_default<std::int64_t>();
}
