// SPDX-License-Identifier: Apache-2.0
// The library's floats of 16 bits. Each result has to be that of floats, rounded once.
#include "library/half.hpp"
#include "support/float_control.hpp"

namespace {

using test::for_each_half;
using test::narrowed;
using test::widened;

// Whole numbers, whose sums are exact as floats and soon too long for 16 bits; for products signs.
template <class H>
std::vector<H> operands(std::size_t n, std::uint64_t seed, library::op by) {
  return narrowed<H>(test::operands<float>(n, seed, by));
}

// Any bits but those of NaNs.
template <class H>
std::vector<H> numbers(std::size_t n, std::uint64_t seed) {
  std::vector<H> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::uint16_t>(test::hash(seed, i));
    items[i].bits = std::isnan(test::widened(H{bits})) ? std::uint16_t{0x8000} : bits;
  }
  return items;
}

}  // namespace

LIBRARY_TEST(library_half, every_number_is_read_and_written) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    std::vector<H> all;
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const H item{static_cast<std::uint16_t>(bits)};
      if (!std::isnan(widened(item))) all.push_back(item);
    }
    const auto check = [&] {
      const test::array<H> in(where, all), out(where, all.size());
      library::inclusive_segmented_scan<H>(where, in, all.size(), library::rows{1}, out);
      EXPECT_TRUE(test::identical(out.items(), all));
    };
    check();
    const test::subnormals_are_zero setting;  // as in calls that XLA makes
    check();
  });
}

LIBRARY_TEST(library_half, sums_of_two_are_rounded_to_the_nearest) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    const std::size_t n = test::limited(400000);
    std::vector<H> values = numbers<H>(n, 1);
    // Half of the pairs have neighbouring exponents, so that their sums lie between two numbers.
    for (std::size_t i = 0; i + 1 < n; i += 4) {
      const auto low = static_cast<std::uint16_t>(test::hash(2, i) & 0x83ff);
      values[i + 1].bits = static_cast<std::uint16_t>((values[i].bits & 0x7c00) ^ low);
      if (std::isnan(widened(values[i + 1]))) values[i + 1].bits = low;
    }
    std::vector<float> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = widened(values[i]);
      if (i % 2 == 1) expected[i] += widened(values[i - 1]);
    }
    const test::array<H> in(where, values), out(where, n);
    library::inclusive_segmented_scan<H>(where, in, n, library::rows{2}, out);
    EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(expected)));
  });
}

LIBRARY_TEST(library_half, nan_stays) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    const float nan = std::nanf("");
    const test::array<H> in(where, narrowed<H>({1, nan, 2})), out(where, 3);
    for (const library::op by : test::operators<float>()) {
      library::inclusive_scan<H>(where, in, 3, out, by);
      EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>({1, nan, nan})));
    }
    EXPECT_THROW(library::inclusive_scan<H>(where, in, 3, out, library::op::bit_and), onepass::invalid_argument);
  });
}

LIBRARY_TEST(library_half, scans) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const library::op by : test::operators<float>()) {
      for (const std::size_t n : test::few_sizes()) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by));
        const std::vector<H> values = operands<H>(n, 3, by);
        const std::vector<float> wide = widened(values);
        const test::applied<float> op{by};
        const float init = by == library::op::product ? -1 : 5;
        const H first = narrowed<H>({init})[0];
        const test::array<H> in(where, values), out(where, n), with_init(where, n), exclusive(where, values);
        library::inclusive_scan<H>(where, in, n, out, by);
        library::inclusive_scan<H>(where, in, n, with_init, first, by);
        library::exclusive_scan<H>(where, exclusive, n, exclusive, first, by);
        EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(test::inclusive_reference<float>(wide, op))));
        EXPECT_TRUE(
            test::same_numbers(with_init.items(), narrowed<H>(test::inclusive_reference<float>(wide, op, init))));
        EXPECT_TRUE(
            test::same_numbers(exclusive.items(), narrowed<H>(test::exclusive_reference<float>(wide, op, init))));
      }
    }
  });
}

// Rounded at each step, a sum of ones stays at 2,048, or at 256.
LIBRARY_TEST(library_half, ones) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    std::vector<float> counts(60000);
    std::iota(counts.begin(), counts.end(), 1.f);
    const test::array<H> in(where, narrowed<H>(std::vector<float>(counts.size(), 1.f))), out(where, counts.size());
    library::inclusive_scan<H>(where, in, counts.size(), out);
    EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(counts)));
  });
}

LIBRARY_TEST(library_half, segmented_scans) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const library::op by : test::operators<float>()) {
      for (const std::size_t n : test::few_sizes()) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by));
        const std::vector<H> values = operands<H>(n, 4, by);
        const std::vector<std::int64_t> starts = test::segment_starts(n, 5, 60);
        const std::vector<std::uint8_t> heads = test::flags_at(starts, n);
        const test::applied<float> op{by};
        const float init = by == library::op::product ? -1 : 5;
        const H first = narrowed<H>({init})[0];
        const auto inclusive = narrowed<H>(test::inclusive_segmented_reference(widened(values), heads, op));
        const auto exclusive = narrowed<H>(test::exclusive_segmented_reference(widened(values), heads, init, op));
        const test::array<H> in(where, values), out(where, n);
        const test::array<std::uint8_t> flags(where, heads);
        const test::array<std::int64_t> offsets(where, starts);
        const test::array<std::int64_t> keys(where, test::keys_of<std::int64_t>(starts, n, 6));
        const test::array<std::int32_t> narrow_keys(where, test::keys_of<std::int32_t>(starts, n, 6));
        const library::offsets at{offsets, starts.size()};
        const auto check = [&](const auto& expected) { EXPECT_TRUE(test::same_numbers(out.items(), expected)); };
        const std::uint8_t* const by_flags = flags;
        library::inclusive_segmented_scan<H>(where, in, n, by_flags, out, by);
        check(inclusive);
        library::exclusive_segmented_scan<H>(where, in, n, by_flags, out, first, by);
        check(exclusive);
        library::inclusive_segmented_scan<H>(where, in, n, at, out, by);
        check(inclusive);
        library::exclusive_segmented_scan<H>(where, in, n, at, out, first, by);
        check(exclusive);
        library::inclusive_scan_by_key<std::int64_t, H>(where, keys, n, in, out, by);
        check(inclusive);
        library::exclusive_scan_by_key<std::int32_t, H>(where, narrow_keys, n, in, out, first, by);
        check(exclusive);
      }
    }
  });
}

LIBRARY_TEST(library_half, rows_and_columns) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const std::int64_t width : {1, 2, 7, 64, 1000}) {
      for (const library::op by : test::operators<float>()) {
        SCOPED_TRACE(testing::Message() << "width " << width << ", operator " << static_cast<int>(by));
        const std::size_t length = static_cast<std::size_t>(width), n = 50 * length;
        const std::vector<H> values = operands<H>(n, 7, by);
        const std::vector<float> wide = widened(values);
        const test::applied<float> op{by};
        std::vector<float> rows = wide, columns = wide, from_end = wide;
        for (std::size_t i = 0; i < n; ++i) {
          if (i % length != 0) rows[i] = op(rows[i - 1], wide[i]);
          if (i >= length) columns[i] = op(columns[i - length], wide[i]);
          const std::size_t j = n - 1 - i;
          if (j % length != length - 1) from_end[j] = from_end[j + 1] + wide[j];
        }
        const test::array<H> in(where, values), out(where, n);
        library::inclusive_segmented_scan<H>(where, in, n, library::rows{width}, out, by);
        EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(rows)));
        library::inclusive_segmented_scan<H>(where, in, n, library::columns{width}, out, by);
        EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(columns)));
        if (by != library::op::sum) continue;
        library::reverse_sum<H>(where, in, n, library::rows{width}, out);
        EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(from_end)));
      }
    }
  });
}

LIBRARY_TEST(library_half, reductions) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const library::op by : test::operators<float>()) {
      for (const std::size_t n : test::few_sizes()) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by));
        const std::vector<H> values = operands<H>(n, 8, by);
        std::vector<std::int64_t> starts = test::segment_starts(n, 9, 60);
        const std::vector<std::uint32_t> keys = test::keys_of<std::uint32_t>(starts, n, 10);
        starts.push_back(static_cast<std::int64_t>(n));
        const test::applied<float> op{by};
        const float init = by == library::op::product ? -1 : 5;
        std::vector<float> plain, with_init;
        for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
          const auto begin = static_cast<std::size_t>(starts[s]), end = static_cast<std::size_t>(starts[s + 1]);
          float all = init;
          for (std::size_t i = begin; i < end; ++i) all = op(all, widened(values[i]));
          with_init.push_back(all);
          all = begin < end ? widened(values[begin]) : 0;
          for (std::size_t i = begin + 1; i < end; ++i) all = op(all, widened(values[i]));
          if (begin < end) plain.push_back(all);
        }
        const test::array<H> in(where, values), sums(where, with_init.size()), by_key(where, n);
        const test::array<std::int64_t> offsets(where, starts);
        const test::array<std::uint32_t> with(where, keys), found(where, n);
        library::segmented_reduce<H>(where, in, n, library::offsets{offsets, starts.size()}, sums,
                                     narrowed<H>({init})[0], by);
        EXPECT_TRUE(test::same_numbers(sums.items(), narrowed<H>(with_init)));
        const std::size_t count = library::reduce_by_key<std::uint32_t, H>(where, with, n, in, found, by_key, by);
        EXPECT_TRUE(test::same_numbers(by_key.items(count), narrowed<H>(plain)));
      }
    }
  });
}

LIBRARY_TEST(library_half, sums_of_rows) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const std::size_t length : {1, 5, 100, 5000}) {
      const std::size_t rows = 30, n = rows * length;
      const std::vector<H> values = operands<H>(n, 11, library::op::sum);
      std::vector<float> expected(rows, 1);
      for (std::size_t i = 0; i < n; ++i) expected[i / length] += widened(values[i]);
      const test::array<H> in(where, values), out(where, rows);
      library::segmented_reduce<H>(where, in, n, library::rows{static_cast<std::int64_t>(length)}, out,
                                   narrowed<H>({1})[0]);
      EXPECT_TRUE(test::same_numbers(out.items(), narrowed<H>(expected)));
    }
  });
}

LIBRARY_TEST(library_half, compaction_and_runs) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    const std::vector<H> values = narrowed<H>({-0.f, 0.f, 2, 2, 2, std::nanf(""), std::nanf(""), 3});
    const test::array<H> in(where, values), out(where, 8), kept(where, 3);
    const test::array<std::int64_t> lengths(where, 8);
    const test::array<std::uint8_t> flags(where, {0, 1, 0, 0, 1, 0, 0, 1});
    EXPECT_EQ(library::compact<H>(where, in, 8, flags, kept), 3u);
    EXPECT_TRUE(test::identical(kept.items(), narrowed<H>({0.f, 2, 3})));
    const std::vector<H> expected = narrowed<H>({-0.f, 2, std::nanf(""), std::nanf(""), 3});
    ASSERT_EQ(library::unique_copy<H>(where, in, 8, out), 5u);
    EXPECT_TRUE(test::identical(out.items(5), expected));
    ASSERT_EQ(library::run_length_encode<H>(where, in, 8, out, lengths), 5u);
    EXPECT_TRUE(test::identical(out.items(5), expected));
    EXPECT_TRUE(test::same(lengths.items(5), {2, 3, 1, 1, 1}));
    const test::array<H> keys(where, values), with(where, narrowed<H>({1, 2, 3, 4, 5, 6, 7, 8}));
    ASSERT_EQ((library::unique_by_key<H, H>(where, keys, 8, with)), 5u);
    std::vector<H> first = with.items();
    first.resize(5);
    EXPECT_TRUE(test::identical(first, narrowed<H>({1, 3, 6, 7, 8})));
  });
}
