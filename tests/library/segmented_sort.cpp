// SPDX-License-Identifier: Apache-2.0
// The library's argsort and segmented sorts.
#include "library/fixture.hpp"

#include <cmath>
#include <numeric>

LIBRARY_TEST(library_argsort, keys_of_all_types) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const test::pattern pattern : test::all_patterns) {
        for (const bool descending : {false, true}) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", " << test::name_of(pattern) << ", bytes " << sizeof(K));
          const std::vector<K> values = test::keys<K>(n, 11, pattern);
          const std::vector<std::size_t> order = test::sorted_order(values, descending);
          const test::array<K> keys(where, values);
          const test::array<std::int32_t> narrow(where, n);
          const test::array<std::int64_t> wide(where, n);
          library::argsort<K, std::int32_t>(where, keys, n, narrow, {descending});
          library::argsort<K, std::int64_t>(where, keys, n, wide, {descending});
          EXPECT_TRUE(test::same(narrow.items(), std::vector<std::int32_t>(order.begin(), order.end())));
          EXPECT_TRUE(test::same(wide.items(), std::vector<std::int64_t>(order.begin(), order.end())));
          EXPECT_TRUE(test::identical(keys.items(), values)) << "the keys were changed";
        }
      }
    }
  });
}

LIBRARY_TEST(library_argsort, by_some_bits) {
  const std::vector<std::uint64_t> all = test::random_values<std::uint64_t>(50021, 13);
  const std::vector<std::size_t> order = test::sorted_order(all, true, 13, 29);
  const test::array<std::uint64_t> keys(where, all);
  const test::array<std::uint64_t> out(where, all.size());
  library::argsort<std::uint64_t, std::uint64_t>(where, keys, all.size(), out, {true, 13, 29});
  EXPECT_TRUE(test::same(out.items(), std::vector<std::uint64_t>(order.begin(), order.end())));
}

namespace {

// Segments with empty ones, and items before and behind all of them.
std::vector<std::int64_t> offsets_within(std::size_t n, std::size_t mean) {
  std::vector<std::int64_t> starts = test::segment_starts(n, 4, mean);
  if (starts.size() > 3) {
    starts.insert(starts.begin() + 2, starts[2]);
    starts.erase(starts.begin());
  }
  return starts;
}

// The order of each segment by itself.
template <class K>
std::vector<std::size_t> order_within(const std::vector<K>& keys, const std::vector<std::int64_t>& starts,
                                      bool descending) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const auto first = static_cast<std::size_t>(starts[s]);
    const std::vector<K> part(keys.begin() + starts[s], keys.begin() + starts[s + 1]);
    const std::vector<std::size_t> within = test::sorted_order(part, descending);
    for (std::size_t i = 0; i < within.size(); ++i) order[first + i] = first + within[i];
  }
  return order;
}

}  // namespace

LIBRARY_TEST(library_segmented_sort, all_types) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const std::size_t mean : {3, 700}) {
        for (const bool descending : {false, true}) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", mean " << mean << ", bytes " << sizeof(K));
          const std::vector<K> all = test::keys<K>(n, 11, test::pattern::few_valued);
          const std::vector<std::int64_t> starts = offsets_within(n, mean);
          const std::vector<std::size_t> order = order_within(all, starts, descending);
          std::vector<std::uint32_t> index(n);
          std::iota(index.begin(), index.end(), 0u);
          const test::array<std::int64_t> first(where, starts);
          const library::offsets segments{first, starts.size()};
          const test::array<K> keys(where, all), pair_keys(where, all);
          const test::array<std::uint32_t> values(where, index);
          library::segmented_sort<K>(where, keys, n, segments, {descending});
          library::segmented_sort_by_key<K, std::uint32_t>(where, pair_keys, n, values, segments, {descending});
          EXPECT_TRUE(test::identical(keys.items(), test::arranged(all, order)));
          EXPECT_TRUE(test::identical(pair_keys.items(), test::arranged(all, order)));
          EXPECT_TRUE(test::same(values.items(), test::arranged(index, order)));
        }
      }
    }
  });
}
