// SPDX-License-Identifier: Apache-2.0
// The library's reductions, run lengths and positions.
#include "library/fixture.hpp"

#include <cmath>

namespace {

std::size_t value_of(const test::array<std::int64_t>& count) { return static_cast<std::size_t>(count.items()[0]); }

}  // namespace

LIBRARY_TEST(library_reduce, positions) {
  for (const std::size_t n : test::few_sizes()) {
    for (const double share : {0.0, 0.03, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", share " << share);
      std::vector<std::uint8_t> set = test::random_flags(n, 2, share);
      for (std::uint8_t& flag : set) flag = static_cast<std::uint8_t>(flag * 0x42);  // any byte but 0 counts
      std::vector<std::int64_t> all(n);
      for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::int64_t>(i);
      const std::vector<std::int64_t> expected = test::kept(all, set);
      const test::array<std::uint8_t> flags(where, set);
      const test::array<std::int64_t> out(where, expected.size()), again(where, expected.size()), count(where, 1);
      EXPECT_EQ(library::positions(where, flags, n, out), expected.size());
      library::positions_async(where, flags, n, again, count);
      EXPECT_EQ(value_of(count), expected.size());
      EXPECT_TRUE(test::same(out.items(), expected));
      EXPECT_TRUE(test::same(again.items(), expected));
    }
  }
}

LIBRARY_TEST(library_reduce, run_lengths_of_all_types) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", bytes " << sizeof(T));
      const std::vector<T> values = test::keys_of<T>(test::segment_starts(n, 4, 5), n, 9);
      const std::vector<std::uint8_t> heads = test::heads_of_keys(values);
      const std::vector<T> expected = test::kept(values, heads);
      const std::vector<std::int64_t> ones(n, 1);
      const auto lengths =
          test::ends_of(test::inclusive_segmented_reference(ones, heads, [](auto a, auto b) { return a + b; }), heads);
      const std::size_t runs = expected.size();
      const test::array<T> in(where, values), out(where, runs), again(where, runs);
      const test::array<std::int64_t> out_lengths(where, runs), again_lengths(where, runs), count(where, 1);
      EXPECT_EQ(library::run_length_encode<T>(where, in, n, out, out_lengths), runs);
      library::run_length_encode_async<T>(where, in, n, again, again_lengths, count);
      EXPECT_EQ(value_of(count), runs);
      EXPECT_TRUE(test::same(out.items(), expected));
      EXPECT_TRUE(test::same(again.items(), expected));
      EXPECT_TRUE(test::same(out_lengths.items(), lengths));
      EXPECT_TRUE(test::same(again_lengths.items(), lengths));
    }
  });
}

namespace {

// Every operator on values of one type, with keys of another.
template <class K, class T>
void reduce_by_key(const library::execution& where, std::size_t n) {
  const std::vector<K> keys = test::keys_of<K>(test::segment_starts(n, 4, 7), n, 9);
  const std::vector<std::uint8_t> heads = test::heads_of_keys(keys);
  const std::vector<K> expected_keys = test::kept(keys, heads);
  const std::size_t runs = expected_keys.size();
  const test::array<K> in_keys(where, keys);
  for (const library::op by : test::operators<T>()) {
    SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by) << ", bytes " << sizeof(K)
                                    << ' ' << sizeof(T));
    const std::vector<T> values = test::operands<T>(n, 17, by);
    const std::vector<T> expected =
        test::ends_of(test::inclusive_segmented_reference(values, heads, test::applied<T>{by}), heads);
    const test::array<T> in(where, values), out(where, runs), again(where, runs);
    const test::array<K> out_keys(where, runs), again_keys(where, runs);
    const test::array<std::int64_t> count(where, 1);
    EXPECT_EQ((library::reduce_by_key<K, T>(where, in_keys, n, in, out_keys, out, by)), runs);
    library::reduce_by_key_async<K, T>(where, in_keys, n, in, again_keys, again, count, by);
    EXPECT_EQ(value_of(count), runs);
    EXPECT_TRUE(test::same(out_keys.items(), expected_keys));
    EXPECT_TRUE(test::same(again_keys.items(), expected_keys));
    EXPECT_TRUE(test::same(out.items(), expected));
    EXPECT_TRUE(test::same(again.items(), expected));
  }
}

}  // namespace

LIBRARY_TEST(library_reduce, by_key_of_all_types_and_operators) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      reduce_by_key<std::int8_t, T>(where, n);
      reduce_by_key<std::uint16_t, T>(where, n);
      reduce_by_key<std::int32_t, T>(where, n);
      reduce_by_key<std::uint64_t, T>(where, n);
    }
  });
}

LIBRARY_TEST(library_reduce, by_offsets_of_all_types_and_operators) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      std::vector<std::int64_t> starts = test::segment_starts(n, 4, 7);
      if (starts.size() > 2) starts.insert(starts.begin() + 2, starts[2]);  // an empty segment
      starts.push_back(static_cast<std::int64_t>(n));
      starts.push_back(static_cast<std::int64_t>(n));  // and one in the end
      const std::size_t segments = starts.size() - 1;
      for (const library::op by : test::operators<T>()) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by) << ", bytes "
                                        << sizeof(T));
        const std::vector<T> values = test::operands<T>(n, 17, by);
        const T init = by == library::op::product ? T(-1) : T(5);
        std::vector<T> expected(segments, init);
        for (std::size_t s = 0; s < segments; ++s) {
          for (std::int64_t i = starts[s]; i < starts[s + 1]; ++i)
            expected[s] = test::applied<T>{by}(expected[s], values[static_cast<std::size_t>(i)]);
        }
        const test::array<T> in(where, values), out(where, segments);
        const test::array<std::int64_t> offsets(where, starts);
        library::segmented_reduce<T>(where, in, n, library::offsets{offsets, starts.size()}, out, init, by);
        EXPECT_TRUE(test::same(out.items(), expected));
      }
    }
  });
}

// A NaN wins, wherever it stands, so that the result does not depend on the grouping.
LIBRARY_TEST(library_reduce, extremes_of_floats_with_nan) {
  const std::size_t n = 50000;
  const float nan = std::nanf("");
  std::vector<float> values = test::random_between<float>(n, 3, -1000, 1000);
  values[40000] = nan;
  const test::array<float> in(where, values), scanned(where, n), by_segments(where, n), reduced(where, 2);
  const test::array<std::int64_t> offsets(where, {0, 30000, static_cast<std::int64_t>(n)});
  for (const library::op by : {library::op::minimum, library::op::maximum}) {
    library::inclusive_scan<float>(where, in, n, scanned, by);
    library::inclusive_segmented_scan<float>(where, in, n, library::offsets{offsets, 2}, by_segments, by);
    library::segmented_reduce<float>(where, in, n, library::offsets{offsets, 3}, reduced, values[0], by);
    const std::vector<float> all = scanned.items(), parts = by_segments.items();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(std::isnan(all[i]), i >= 40000) << i;
      ASSERT_EQ(std::isnan(parts[i]), i >= 40000) << i;
    }
    const test::applied<float> op{by};
    const std::vector<float> before(values.begin(), values.begin() + 40000);
    EXPECT_TRUE(test::same({all.begin(), all.begin() + 40000}, test::inclusive_reference<float>(before, op)));
    EXPECT_FALSE(std::isnan(reduced.items()[0]));
    EXPECT_TRUE(std::isnan(reduced.items()[1]));
  }
}
