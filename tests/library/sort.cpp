// SPDX-License-Identifier: Apache-2.0
// The library's split and radix sorts.
#include "library/fixture.hpp"

#include <numeric>

LIBRARY_TEST(library_sort, keys_of_all_types) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const test::pattern pattern : test::all_patterns) {
        for (const bool descending : {false, true}) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", " << test::name_of(pattern) << ", bytes " << sizeof(K));
          const std::vector<K> values = test::keys<K>(n, 11, pattern);
          const test::array<K> keys(where, values);
          library::radix_sort<K>(where, keys, n, {descending});
          EXPECT_TRUE(test::identical(keys.items(), test::arranged(values, test::sorted_order(values, descending))));
        }
      }
    }
  });
}

LIBRARY_TEST(library_sort, pairs_of_all_types) {
  constexpr std::size_t n = 30011;
  test::for_each_type([&](auto key_tag) {
    using K = typename decltype(key_tag)::type;
    const std::vector<K> all = test::keys<K>(n, 12, test::pattern::few_valued);
    const std::vector<std::size_t> order = test::sorted_order(all);
    test::for_each_word([&](auto tag) {
      using V = typename decltype(tag)::type;
      SCOPED_TRACE(testing::Message() << "bytes " << sizeof(K) << ' ' << sizeof(V));
      std::vector<V> index(n);  // says whether equal keys kept their order
      std::iota(index.begin(), index.end(), V(0));
      const test::array<K> keys(where, all);
      const test::array<V> values(where, index);
      library::radix_sort_by_key<K, V>(where, keys, n, values);
      EXPECT_TRUE(test::identical(keys.items(), test::arranged(all, order)));
      EXPECT_TRUE(test::same(values.items(), test::arranged(index, order)));
    });
  });
}

LIBRARY_TEST(library_sort, bit_range) {
  const std::vector<std::uint64_t> all = test::random_values<std::uint64_t>(50021, 13);
  const std::vector<std::uint32_t> numbers = test::random_values<std::uint32_t>(all.size(), 14);
  for (const bool descending : {false, true}) {
    const std::vector<std::size_t> order = test::sorted_order(all, descending, 13, 29);
    const test::array<std::uint64_t> keys(where, all), pair_keys(where, all);
    const test::array<std::uint32_t> values(where, numbers);
    library::radix_sort<std::uint64_t>(where, keys, all.size(), {descending, 13, 29});
    library::radix_sort_by_key<std::uint64_t, std::uint32_t>(where, pair_keys, all.size(), values,
                                                             {descending, 13, 29});
    EXPECT_TRUE(test::same(keys.items(), test::arranged(all, order)));
    EXPECT_TRUE(test::same(pair_keys.items(), test::arranged(all, order)));
    EXPECT_TRUE(test::same(values.items(), test::arranged(numbers, order)));
  }
}

LIBRARY_TEST(library_sort, signed_zeros_and_nans) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> all = {nan, 0.f, -0.f, infinity, -nan, 1.f, -infinity, -0.f, -1.f};
  const test::array<float> keys(where, all);
  library::radix_sort<float>(where, keys, all.size());
  EXPECT_TRUE(test::identical(keys.items(), {-nan, -infinity, -1.f, 0.f, -0.f, -0.f, 1.f, infinity, nan}));
}

LIBRARY_TEST(library_split, digits) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      for (const std::size_t n : test::few_sizes()) {
        for (const library::digit by : {library::digit{}, library::digit{5, 3}, library::digit{8 * sizeof(T) - 8, 8}}) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", bit " << by.shift << ", bytes " << sizeof(T));
          const std::vector<T> values = test::random_values<T>(n, 15);
          const std::vector<std::make_unsigned_t<T>> as_unsigned(values.begin(), values.end());
          const test::array<T> in(where, values), out(where, n);
          library::split<T>(where, in, n, out, by);
          const auto order = test::sorted_order(as_unsigned, false, by.shift, by.shift + by.bits);
          EXPECT_TRUE(test::same(out.items(), test::arranged(values, order)));
        }
      }
    }
  });
}
