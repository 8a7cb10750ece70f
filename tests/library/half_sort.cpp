// SPDX-License-Identifier: Apache-2.0
// The library's sorts and selections of floats of 16 bits: in the order of the floats that they stand for.
#include "library/half.hpp"

namespace {

using test::for_each_half;
using test::narrowed;
using test::widened;

// Of any bits, with both zeros, infinities and NaNs among them; or of few values.
template <class H>
std::vector<H> keys(std::size_t n, std::uint64_t seed, bool few) {
  std::vector<H> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t drawn = test::hash(seed, i);
    const std::uint16_t often[] = {0, 0x8000, 0x3f80, 0xbf80, 0x7c00, 0xff80, 0x7fff, 0xffff};
    all[i].bits = few || drawn % 16 == 0 ? often[drawn / 16 % 8] : static_cast<std::uint16_t>(drawn >> 16);
  }
  return all;
}

// NaNs go to the ends by their sign, and among themselves by their bits.
template <class H>
std::vector<std::size_t> order_of(const std::vector<H>& all, bool descending, std::size_t begin, std::size_t end) {
  const auto rank = [&](std::size_t i) {
    const int bits = all[i].bits;
    return bits < 0x8000 ? bits : 0x8000 - bits;  // -0 as 0
  };
  std::vector<std::size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return descending ? rank(b) < rank(a) : rank(a) < rank(b); });
  return order;
}
template <class H>
std::vector<std::size_t> order_of(const std::vector<H>& all, bool descending = false) {
  return order_of(all, descending, 0, all.size());
}

}  // namespace

// So that the order above is that of numbers.
TEST(library_half_sort, the_order_of_bits_is_that_of_numbers) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    std::vector<H> all = keys<H>(10000, 1, false);
    const std::vector<H> sorted = test::arranged(all, order_of(all));
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const float a = widened(sorted[i - 1]), b = widened(sorted[i]);
      EXPECT_TRUE(a <= b || std::isnan(a) || std::isnan(b)) << a << ' ' << b;
    }
  });
}

LIBRARY_TEST(library_half_sort, keys_and_pairs) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const bool few : {false, true}) {
        for (const bool descending : {false, true}) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", few " << few << ", descending " << descending);
          const std::vector<H> all = keys<H>(n, 2, few);
          const std::vector<std::size_t> order = order_of(all, descending);
          const std::vector<H> sorted = test::arranged(all, order);
          std::vector<std::int32_t> index(n);
          std::iota(index.begin(), index.end(), 0);
          const std::vector<double> wide(index.begin(), index.end());
          const test::array<H> alone(where, all), in(where, all), with_narrow(where, all), with_wide(where, all);
          const test::array<std::int32_t> narrow_values(where, index), narrow_order(where, n);
          const test::array<double> wide_values(where, wide);
          const test::array<std::int64_t> wide_order(where, n);
          library::radix_sort<H>(where, alone, n, {descending});
          EXPECT_TRUE(test::identical(alone.items(), sorted));
          library::radix_sort_by_key<H, std::int32_t>(where, with_narrow, n, narrow_values, {descending});
          EXPECT_TRUE(test::identical(with_narrow.items(), sorted));
          EXPECT_TRUE(test::same(narrow_values.items(), {order.begin(), order.end()}));
          library::radix_sort_by_key<H, double>(where, with_wide, n, wide_values, {descending});
          EXPECT_TRUE(test::identical(with_wide.items(), sorted));
          EXPECT_TRUE(test::same(wide_values.items(), {order.begin(), order.end()}));
          library::argsort<H, std::int32_t>(where, in, n, narrow_order, {descending});
          EXPECT_TRUE(test::same(narrow_order.items(), {order.begin(), order.end()}));
          library::argsort<H, std::int64_t>(where, in, n, wide_order, {descending});
          EXPECT_TRUE(test::same(wide_order.items(), {order.begin(), order.end()}));
          EXPECT_TRUE(test::identical(in.items(), all));
        }
      }
    }
  });
}

LIBRARY_TEST(library_half_sort, segments) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const std::size_t mean : {3, 60, 5000}) {
      SCOPED_TRACE(testing::Message() << "mean " << mean);
      const std::size_t n = test::limited(100003);
      const std::vector<H> all = keys<H>(n, 3, false);
      std::vector<std::int64_t> starts = test::segment_starts(n, 4, mean);
      starts.push_back(static_cast<std::int64_t>(n));
      std::vector<std::size_t> order;
      for (std::int64_t i = 0; i < starts[0]; ++i) order.push_back(static_cast<std::size_t>(i));
      for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        const auto of =
            order_of(all, true, static_cast<std::size_t>(starts[s]), static_cast<std::size_t>(starts[s + 1]));
        order.insert(order.end(), of.begin(), of.end());
      }
      std::vector<float> index(n);
      std::iota(index.begin(), index.end(), 0.f);
      const test::array<H> alone(where, all), pairs(where, all);
      const test::array<float> values(where, index);
      const test::array<std::int64_t> offsets(where, starts);
      const library::offsets by{offsets, starts.size()};
      library::segmented_sort<H>(where, alone, n, by, {true});
      EXPECT_TRUE(test::identical(alone.items(), test::arranged(all, order)));
      library::segmented_sort_by_key<H, float>(where, pairs, n, values, by, {true});
      EXPECT_TRUE(test::identical(pairs.items(), test::arranged(all, order)));
      EXPECT_TRUE(test::same(values.items(), test::arranged(index, order)));
    }
  });
}

LIBRARY_TEST(library_half_sort, selections) {
  for_each_half([&](auto tag) {
    using H = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const std::size_t wanted : {1, 10, 5000}) {
        const std::size_t k = std::min(n, wanted);
        SCOPED_TRACE(testing::Message() << "n " << n << ", k " << k);
        const std::vector<H> all = keys<H>(n, 5, false);
        std::vector<std::size_t> order = order_of(all, true);
        const test::array<H> in(where, all), out(where, k), keys_out(where, k), values_out(where, k), one(where, 1);
        const test::array<std::int32_t> indices(where, k);
        if (n > 0) {
          library::nth_element<H>(where, in, n, n - k, one);
          const float found = widened(one.items()[0]), right = widened(all[order_of(all)[n - k]]);
          EXPECT_TRUE(found == right || (std::isnan(found) && std::isnan(right))) << found << ' ' << right;
        }
        std::vector<H> best = test::arranged(all, order);
        best.resize(k);
        order.resize(k);
        const H* const first = in;
        H* const largest = out;
        std::int32_t* const at = indices;
        library::top_k(where, first, n, k, largest, at);
        EXPECT_TRUE(test::identical(out.items(), best));
        EXPECT_TRUE(test::same(indices.items(), {order.begin(), order.end()}));
        library::top_k_by_key<H, H>(where, in, n, in, k, keys_out, values_out);
        EXPECT_TRUE(test::identical(keys_out.items(), best));
        EXPECT_TRUE(test::identical(values_out.items(), best));
      }
    }
  });
}
