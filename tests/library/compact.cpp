// SPDX-License-Identifier: Apache-2.0
// The library's compaction, partition and unique.
#include "library/fixture.hpp"

#include <functional>

namespace {

std::size_t value_of(const test::array<std::int64_t>& count) { return static_cast<std::size_t>(count.items()[0]); }

// Values with runs of equal ones, and which of them are the first of a run.
template <class T>
struct runs {
  explicit runs(std::size_t n)
      : values(test::keys_of<T>(test::segment_starts(n, 4, 5), n, 9)), is_first(test::heads_of_keys(values)) {}
  std::vector<T> values;
  std::vector<std::uint8_t> is_first;
};

}  // namespace

LIBRARY_TEST(library_compact, all_types_and_sizes) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const double share : {0.0, 0.03, 0.5, 1.0}) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", share " << share << ", bytes " << sizeof(T));
        const std::vector<T> values = test::random_values<T>(n, 1);
        const std::vector<std::uint8_t> keep = test::random_flags(n, 2, share);
        const std::vector<T> expected = test::kept(values, keep), others = test::kept(values, keep, false);
        const test::array<T> in(where, values), out(where, n), out_true(where, expected.size()),
            out_false(where, others.size());
        const test::array<std::uint8_t> flags(where, keep);
        EXPECT_EQ(library::compact<T>(where, in, n, flags, out), expected.size());
        EXPECT_TRUE(test::same(out.items(expected.size()), expected));
        EXPECT_EQ(library::stable_partition_copy<T>(where, in, n, flags, out_true, out_false), expected.size());
        EXPECT_TRUE(test::same(out_true.items(), expected));
        EXPECT_TRUE(test::same(out_false.items(), others));

        const test::array<T> out_again(where, n), true_again(where, expected.size()), false_again(where, others.size());
        const test::array<std::int64_t> count(where, 1), border(where, 1);
        library::compact_async<T>(where, in, n, flags, out_again, count);
        library::stable_partition_copy_async<T>(where, in, n, flags, true_again, false_again, border);
        EXPECT_EQ(value_of(count), expected.size());
        EXPECT_EQ(value_of(border), expected.size());
        EXPECT_TRUE(test::same(out_again.items(expected.size()), expected));
        EXPECT_TRUE(test::same(true_again.items(), expected));
        EXPECT_TRUE(test::same(false_again.items(), others));
      }
    }
  });
}

LIBRARY_TEST(library_compact, in_place) {
  const std::vector<double> values = test::random_values<double>(200003, 3);
  const std::vector<std::uint8_t> keep = test::random_flags(values.size(), 4, 0.7);
  const std::vector<double> expected = test::kept(values, keep);
  const test::array<double> x(where, values);
  const test::array<std::uint8_t> flags(where, keep);
  ASSERT_EQ(library::compact<double>(where, x, x.size(), flags, x), expected.size());
  std::vector<double> result = x.items();
  result.resize(expected.size());
  EXPECT_TRUE(test::same(result, expected));
}

// An output that gets no items may be null, as the data of an empty vector is.
LIBRARY_TEST(library_compact, null_where_nothing_is_kept) {
  const test::array<int> in(where, {1, 2, 3, 4}), out(where, 4);
  const test::array<std::uint8_t> none(where, {0, 0, 0, 0}), all(where, {1, 1, 1, 1}), some(where, {0, 1, 0, 0});
  int* const null = nullptr;
  EXPECT_EQ(library::compact<int>(where, in, 4, none, null), 0u);
  EXPECT_EQ(library::positions(where, none, 4, null), 0u);
  EXPECT_EQ(library::stable_partition_copy<int>(where, in, 4, none, null, out), 0u);
  EXPECT_EQ(library::stable_partition_copy<int>(where, in, 4, all, out, null), 4u);
  EXPECT_EQ(out.items(4), (std::vector<int>{1, 2, 3, 4}));
  const auto refuses = [](const char* text, const std::function<void()>& call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(text, call));
  };
  refuses("onepass::compact: out is null", [&] { library::compact<int>(where, in, 4, some, null); });
  refuses("onepass::positions: out is null", [&] { library::positions(where, some, 4, null); });
  refuses("onepass::stable_partition_copy: out_true is null",
          [&] { library::stable_partition_copy<int>(where, in, 4, some, null, out); });
  refuses("onepass::stable_partition_copy: out_false is null",
          [&] { library::stable_partition_copy<int>(where, in, 4, some, out, null); });
}

LIBRARY_TEST(library_compact, any_flag_but_zero_keeps) {
  const test::array<int> in(where, {1, 2, 3, 4}), out(where, 4);
  const test::array<std::uint8_t> flags(where, {0, 1, 255, 2});
  EXPECT_EQ(library::compact<int>(where, in, 4, flags, out), 3u);
  EXPECT_EQ(out.items(3), (std::vector<int>{2, 3, 4}));
}

LIBRARY_TEST(library_unique, all_types_and_sizes) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", bytes " << sizeof(T));
      const runs<T> r(n);
      const std::vector<T> expected = test::kept(r.values, r.is_first);
      const test::array<T> in(where, r.values), out(where, n), again(where, n), in_place(where, r.values),
          later(where, r.values);
      const test::array<std::int64_t> count(where, 1), count_in_place(where, 1);
      EXPECT_EQ(library::unique_copy<T>(where, in, n, out), expected.size());
      library::unique_copy_async<T>(where, in, n, again, count);
      EXPECT_EQ(library::unique_count<T>(where, in, n), expected.size());
      const test::array<std::int64_t> runs(where, 1);
      library::unique_count_async<T>(where, in, n, runs);
      EXPECT_EQ(value_of(runs), expected.size());
      EXPECT_EQ(library::unique<T>(where, in_place, n), expected.size());
      library::unique_async<T>(where, later, n, count_in_place);
      EXPECT_EQ(value_of(count), expected.size());
      EXPECT_EQ(value_of(count_in_place), expected.size());
      EXPECT_TRUE(test::same(out.items(expected.size()), expected));
      EXPECT_TRUE(test::same(again.items(expected.size()), expected));
      for (const test::array<T>* array : {&in_place, &later}) {
        std::vector<T> result = array->items();
        result.resize(expected.size());
        EXPECT_TRUE(test::same(result, expected));
      }
    }
  });
}

LIBRARY_TEST(library_unique, by_key_of_all_types) {
  constexpr std::size_t n = 30011;
  test::for_each_type([&](auto key_tag) {
    using K = typename decltype(key_tag)::type;
    const runs<K> r(n);
    const std::vector<K> expected = test::kept(r.values, r.is_first);
    const std::size_t kept = expected.size();
    test::for_each_type([&](auto tag) {
      using V = typename decltype(tag)::type;
      SCOPED_TRACE(testing::Message() << "bytes " << sizeof(K) << ' ' << sizeof(V));
      const std::vector<V> values = test::random_values<V>(n, 5), expected_values = test::kept(values, r.is_first);
      const test::array<K> keys(where, r.values), out(where, n), again(where, n), later(where, r.values);
      const test::array<V> with(where, values), out_with(where, n), again_with(where, n), later_with(where, values);
      const test::array<std::int64_t> count(where, 1), count_in_place(where, 1);
      EXPECT_EQ((library::unique_by_key_copy<K, V>(where, keys, n, with, out, out_with)), kept);
      library::unique_by_key_copy_async<K, V>(where, keys, n, with, again, again_with, count);
      library::unique_by_key_async<K, V>(where, later, n, later_with, count_in_place);
      EXPECT_EQ((library::unique_by_key<K, V>(where, keys, n, with)), kept);
      EXPECT_EQ(value_of(count), kept);
      EXPECT_EQ(value_of(count_in_place), kept);
      EXPECT_TRUE(test::same(out.items(kept), expected));
      EXPECT_TRUE(test::same(out_with.items(kept), expected_values));
      EXPECT_TRUE(test::same(again.items(kept), expected));
      EXPECT_TRUE(test::same(again_with.items(kept), expected_values));
      for (const test::array<V>* array : {&with, &later_with}) {
        std::vector<V> result = array->items();
        result.resize(kept);
        EXPECT_TRUE(test::same(result, expected_values));
      }
    });
  });
}

LIBRARY_TEST(library_unique, floats_are_compared_as_floats) {
  const float nan = std::nanf("");
  const test::array<float> in(where, {-0.f, 0.f, 1.f, nan, nan}), out(where, 5);
  ASSERT_EQ(library::unique_copy<float>(where, in, 5, out), 4u);
  const std::vector<float> result = out.items(4);
  EXPECT_TRUE(test::same_bits(result[0], -0.f));
  EXPECT_EQ(result[1], 1.f);
  EXPECT_TRUE(std::isnan(result[2]) && std::isnan(result[3]));
}
