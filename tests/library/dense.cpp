// SPDX-License-Identifier: Apache-2.0
// The library's calls on dense arrays: scans, sorts and reductions of rows, scans of columns, linear recurrences, counts of flags.
#include "library/fixture.hpp"

namespace {

struct shape {
  std::int64_t arrays, height, width;
  std::size_t size() const { return static_cast<std::size_t>(arrays * height * width); }
};
// One item, few columns (which are scanned in groups), many, arrays behind one another, more than a block's share.
std::vector<shape> shapes() {
  return {{1, 1, 1}, {1, 700, 2}, {1, 301, 3}, {1, 5000, 4}, {3, 100, 2}, {1, 40, 1000}, {7, 33, 65}, {2, 3001, 17}};
}

// The items of a column one after another, and back.
template <class T, class F>
std::vector<T> by_columns(const std::vector<T>& items, const shape& s, F scan) {
  std::vector<T> result(items.size());
  for (std::int64_t a = 0; a < s.arrays; ++a) {
    for (std::int64_t c = 0; c < s.width; ++c) {
      const auto at = [&](std::int64_t r) { return static_cast<std::size_t>((a * s.height + r) * s.width + c); };
      std::vector<T> column;
      for (std::int64_t r = 0; r < s.height; ++r) column.push_back(items[at(r)]);
      column = scan(column, at);
      for (std::int64_t r = 0; r < s.height; ++r) result[at(r)] = column[static_cast<std::size_t>(r)];
    }
  }
  return result;
}

template <class T>
void scans_columns(const library::execution& where, const shape& s, library::op by) {
  SCOPED_TRACE(testing::Message() << s.arrays << " x " << s.height << " x " << s.width << ", operator "
                                  << static_cast<int>(by) << ", bytes " << sizeof(T));
  const std::vector<T> values = test::operands<T>(s.size(), 3, by);
  const test::applied<T> op{by};
  const T init = by == library::op::product ? T(-1) : T(5);
  const test::array<T> in(where, values), out(where, s.size()), exclusive(where, s.size()), in_place(where, values);
  const library::columns along{s.width, s.height};
  library::inclusive_segmented_scan<T>(where, in, s.size(), along, out, by);
  library::exclusive_segmented_scan<T>(where, in, s.size(), along, exclusive, init, by);
  library::inclusive_segmented_scan<T>(where, in_place, s.size(), along, in_place, by);
  const auto inclusive = [&](const std::vector<T>& x, auto) { return test::inclusive_reference<T>(x, op); };
  const auto shifted = [&](const std::vector<T>& x, auto) { return test::exclusive_reference<T>(x, op, init); };
  EXPECT_TRUE(test::same(out.items(), by_columns(values, s, inclusive)));
  EXPECT_TRUE(test::same(in_place.items(), by_columns(values, s, inclusive)));
  EXPECT_TRUE(test::same(exclusive.items(), by_columns(values, s, shifted)));
}

template <class T>
void recurs(const library::execution& where, const shape& s, const library::recurrence_options& options) {
  SCOPED_TRACE(testing::Message() << s.arrays << " x " << s.height << " x " << s.width << ", reverse "
                                  << options.reverse << ", next " << options.next_factor << ", bytes " << sizeof(T));
  // Factors of 0, 1 and -1, so that all is exact, whatever the order.
  const std::vector<T> a = test::random_between<T>(s.size(), 5, -1, 1), b = test::random_between<T>(s.size(), 6, -3, 3);
  const std::vector<T> expected = by_columns(b, s, [&](std::vector<T> h, auto at) {
    const std::int64_t last = s.height - 1;
    for (std::int64_t i = 1; i < s.height; ++i) {
      const std::int64_t t = options.reverse ? last - i : i, before = options.reverse ? t + 1 : t - 1;
      h[static_cast<std::size_t>(t)] += a[at(options.next_factor ? before : t)] * h[static_cast<std::size_t>(before)];
    }
    return h;
  });
  const test::array<T> factors(where, a), terms(where, b), out(where, s.size());
  library::linear_recurrence<T>(where, factors, terms, s.size(), library::columns{s.width, s.height}, out, options);
  EXPECT_TRUE(test::same(out.items(), expected));
}

}  // namespace

LIBRARY_TEST(library_dense, columns) {
  for (const shape& s : shapes()) {
    test::for_each_type([&](auto tag) {
      using T = typename decltype(tag)::type;
      for (const library::op by : test::operators<T>()) scans_columns<T>(where, s, by);
    });
  }
}

LIBRARY_TEST(library_dense, rows_of_any_length) {
  for (const std::int64_t length : {1, 2, 31, 1000, 50000}) {
    constexpr std::size_t n = 100003;  // the last row is shorter
    std::vector<std::uint8_t> heads(n);
    for (std::size_t i = 0; i < n; i += static_cast<std::size_t>(length)) heads[i] = 1;
    const auto scan = [&](auto tag) {
      using T = typename decltype(tag)::type;
      SCOPED_TRACE(testing::Message() << "rows of " << length << ", bytes " << sizeof(T));
      const std::vector<T> values = test::random_values<T>(n, 9);
      const test::applied<T> sum{library::op::sum}, largest{library::op::maximum};
      const test::array<T> in(where, values), out(where, n), exclusive(where, n), maxima(where, n);
      library::inclusive_segmented_scan<T>(where, in, n, library::rows{length}, out);
      library::exclusive_segmented_scan<T>(where, in, n, library::rows{length}, exclusive, 7);
      library::inclusive_segmented_scan<T>(where, in, n, library::rows{length}, maxima, library::op::maximum);
      EXPECT_TRUE(test::same(out.items(), test::inclusive_segmented_reference(values, heads, sum)));
      EXPECT_TRUE(test::same(exclusive.items(), test::exclusive_segmented_reference(values, heads, T(7), sum)));
      EXPECT_TRUE(test::same(maxima.items(), test::inclusive_segmented_reference(values, heads, largest)));
    };
    test::for_each_narrow_type(scan);
    scan(test::type_tag<std::int32_t>{});
  }
}

// The last row is shorter. Keys take their indices along.
LIBRARY_TEST(library_dense, sorts_rows) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    for (const std::int64_t length : {1, 7, 1000, 40000}) {
      constexpr std::size_t n = 30011;
      SCOPED_TRACE(testing::Message() << "rows of " << length << ", bytes " << sizeof(K));
      const std::vector<K> values = test::keys<K>(n, 3, test::pattern::few_valued);
      std::vector<K> expected;
      std::vector<std::uint32_t> index(n), expected_index;
      for (std::size_t begin = 0; begin < n; begin += static_cast<std::size_t>(length)) {
        const std::size_t end = std::min(n, begin + static_cast<std::size_t>(length));
        const std::vector<K> row(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                 values.begin() + static_cast<std::ptrdiff_t>(end));
        for (const std::size_t i : test::sorted_order(row, true)) {
          expected.push_back(row[i]);
          expected_index.push_back(static_cast<std::uint32_t>(begin + i));
        }
      }
      for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::uint32_t>(i);
      const test::array<K> keys(where, values), pair_keys(where, values);
      const test::array<std::uint32_t> with(where, index);
      library::segmented_sort<K>(where, keys, n, library::rows{length}, {true});
      library::segmented_sort_by_key<K, std::uint32_t>(where, pair_keys, n, with, library::rows{length}, {true});
      EXPECT_TRUE(test::identical(keys.items(), expected));
      EXPECT_TRUE(test::identical(pair_keys.items(), expected));
      EXPECT_TRUE(test::same(with.items(), expected_index));
    }
  });
}

LIBRARY_TEST(library_dense, reduces_rows) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::int64_t length : {1, 7, 1000, 40000}) {
      constexpr std::size_t n = 30011;
      for (const library::op by : test::operators<T>()) {
        SCOPED_TRACE(testing::Message() << "rows of " << length << ", operator " << static_cast<int>(by) << ", bytes "
                                        << sizeof(T));
        const std::vector<T> values = test::operands<T>(n, 3, by);
        const T init = by == library::op::product ? T(-1) : T(5);
        std::vector<T> expected;
        for (std::size_t i = 0; i < n; ++i) {
          if (i % static_cast<std::size_t>(length) == 0) expected.push_back(init);
          expected.back() = test::applied<T>{by}(expected.back(), values[i]);
        }
        const test::array<T> in(where, values), out(where, expected.size());
        library::segmented_reduce<T>(where, in, n, library::rows{length}, out, init, by);
        EXPECT_TRUE(test::same(out.items(), expected));
      }
    }
  });
}

LIBRARY_TEST(library_dense, sums_from_the_end) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const std::size_t length : {1, 3, 100, 4096, 300000}) {
      const std::size_t n = length * (length > 4096 ? 1 : 60000 / length);
      SCOPED_TRACE(testing::Message() << "rows of " << length << ", bytes " << sizeof(T));
      const std::vector<T> values = test::operands<T>(n, 7, library::op::sum);
      const test::applied<T> add{library::op::sum};
      std::vector<T> expected = values;
      for (std::size_t i = n; i-- > 0;) {
        if ((i + 1) % length != 0) expected[i] = add(expected[i + 1], values[i]);
      }
      const test::array<T> in(where, values), out(where, n), in_place(where, values);
      library::reverse_sum<T>(where, in, n, library::rows{static_cast<std::int64_t>(length)}, out);
      library::reverse_sum<T>(where, in_place, n, library::rows{static_cast<std::int64_t>(length)}, in_place);
      EXPECT_TRUE(test::same(out.items(), expected));
      EXPECT_TRUE(test::same(in_place.items(), expected));
    }
  });
}

LIBRARY_TEST(library_dense, recurrences) {
  std::vector<shape> all = shapes();
  for (const std::int64_t length : {1, 40, 5000}) all.push_back({30000 / length, length, 1});
  for (const shape& s : all) {
    for (const bool reverse : {false, true}) {
      for (const bool next_factor : {false, true}) {
        recurs<float>(where, s, {reverse, next_factor});
        recurs<double>(where, s, {reverse, next_factor});
      }
    }
  }
}

LIBRARY_TEST(library_dense, refuses_what_is_no_shape) {
  const test::array<float> x(where, 6), out(where, 6);
  using namespace library;
  const auto refused = [](const auto& call) { EXPECT_THROW(call(), onepass::invalid_argument); };
  refused([&] { inclusive_segmented_scan<float>(where, x, 6, rows{0}, out); });
  refused([&] { inclusive_segmented_scan<float>(where, x, 6, columns{0}, out); });
  refused([&] { exclusive_segmented_scan<float>(where, x, 6, columns{2, 0}, out, 0.f); });
  refused([&] { reverse_sum<float>(where, x, 6, rows{0}, out); });
  refused([&] { reverse_sum<float>(where, x, 6, rows{4}, out); });
  refused([&] { linear_recurrence<float>(where, x, x, 6, rows{0}, out); });
  refused([&] { linear_recurrence<float>(where, x, x, 6, rows{4}, out, {true, false}); });
  refused([&] { linear_recurrence<float>(where, x, nullptr, 6, rows{3}, out); });
  refused([&] { count_flags(where, nullptr, 3); });
  refused([&] { segmented_sort<float>(where, out, 6, rows{0}); });
  refused([&] { segmented_sort<float>(where, nullptr, 6, rows{3}); });
  refused([&] { segmented_sort_by_key<float, float>(where, out, 6, nullptr, rows{3}); });
  refused([&] { segmented_reduce<float>(where, x, 6, rows{0}, out); });
  refused([&] { segmented_reduce<float>(where, nullptr, 6, rows{3}, out); });
  refused([&] { segmented_reduce<float>(where, x, 6, rows{3}, nullptr); });
  EXPECT_TRUE(out.untouched());
  linear_recurrence<float>(where, nullptr, nullptr, 0, rows{3}, nullptr, {true, false});
  inclusive_segmented_scan<float>(where, nullptr, 0, columns{3}, nullptr);
  segmented_sort<float>(where, nullptr, 0, rows{3});
  segmented_sort_by_key<float, float>(where, nullptr, 0, nullptr, rows{3});
  segmented_reduce<float>(where, nullptr, 0, rows{3}, nullptr);
  EXPECT_EQ(count_flags(where, nullptr, 0), 0u);
}

// An output that begins within the input, or ends there, is refused; one that begins where the input does passes if the
// call works in place.
template <class Call>
void refuses_overlaps(float* items, bool in_place, const Call& call) {
  for (const int shift : {-5, -1, 1, 5}) {
    EXPECT_THROW(call(items + 6, items + 6 + shift), onepass::invalid_argument) << "shifted by " << shift;
  }
  if (in_place) {
    EXPECT_NO_THROW(call(items + 6, items + 6));
  } else {
    EXPECT_THROW(call(items + 6, items + 6), onepass::invalid_argument);
  }
  EXPECT_NO_THROW(call(items + 6, items));
  EXPECT_NO_THROW(call(items + 6, items + 12));
}

LIBRARY_TEST(library_dense, refuses_overlaps) {
  using namespace library;
  const test::array<float> x(where, std::vector<float>(18, 1.f)), other(where, std::vector<float>(6, 1.f));
  refuses_overlaps(x, true, [&](const float* in, float* out) { reverse_sum(where, in, 6, rows{6}, out); });
  refuses_overlaps(x, true, [&](const float* in, float* out) { reverse_sum(where, in, 6, rows{3}, out); });
  for (const std::int64_t width : {1, 2}) {
    const columns along{width, 3};
    refuses_overlaps(x, false,
                     [&](const float* in, float* out) { linear_recurrence<float>(where, in, other, 6, along, out); });
    refuses_overlaps(x, false,
                     [&](const float* in, float* out) { linear_recurrence<float>(where, other, in, 6, along, out); });
  }
}

LIBRARY_TEST(library_dense, counts_of_flags_at_any_address) {
  for (const std::size_t n : test::few_sizes()) {
    std::vector<std::uint8_t> set = test::random_flags(n + 17, 2, 0.4);
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = static_cast<std::uint8_t>(set[i] << i % 8);  // any bit
    const test::array<std::uint8_t> flags(where, set);
    for (const std::size_t shift : {0, 1, 15, 16, 17}) {
      const auto begin = set.begin() + static_cast<std::ptrdiff_t>(shift);
      const auto expected =
          std::count_if(begin, begin + static_cast<std::ptrdiff_t>(n), [](auto flag) { return flag != 0; });
      EXPECT_EQ(library::count_flags(where, flags + shift, n), static_cast<std::size_t>(expected)) << n << ' ' << shift;
    }
  }
}

// Rows of many tiles, so that threads begin within them; and flags of several parts.
TEST(library_dense, several_threads_cpu) {
  const auto where = library::execution::cpu(3);
  for (const bool reverse : {false, true}) recurs<float>(where, {2, 300000, 1}, {reverse, false});
  const std::vector<std::uint8_t> flags = test::random_flags(3 << 20, 7, 0.4);
  EXPECT_EQ(library::count_flags(where, flags.data(), flags.size()),
            static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1)));
}

LIBRARY_TEST(library_dense, positions_of_32_bits) {
  const test::array<std::uint8_t> flags(where, {1, 0, 255, 2});
  const test::array<std::int32_t> out(where, 3), again(where, 3);
  const test::array<std::int64_t> count(where, 1);
  EXPECT_EQ(library::positions(where, flags, 4, out), 3u);
  library::positions_async(where, flags, 4, again, count);
  EXPECT_EQ(out.items(), (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(again.items(), (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(count.items()[0], 3);
  std::int32_t* const narrow = out;
  EXPECT_THROW(library::positions(where, flags, (std::size_t{1} << 31) + 1, narrow), onepass::invalid_argument);
}
