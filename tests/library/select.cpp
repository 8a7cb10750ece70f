// SPDX-License-Identifier: Apache-2.0
// The library's selections beside a stable sort of each segment.
#include "library/fixture.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace {

constexpr unsigned char poison = 0xA5;  // what an array has before it is written

// The parts that a call works on, and how it is told.
struct parts {
  std::vector<std::int64_t> begins, ends;
};
parts parts_of_rows(std::size_t n, std::size_t length) {
  parts of;
  for (std::size_t begin = 0; begin < n; begin += length) {
    of.begins.push_back(static_cast<std::int64_t>(begin));
    of.ends.push_back(static_cast<std::int64_t>(std::min(n, begin + length)));
  }
  return of;
}

// For each part the indices of its items within it, in the order of a selection.
template <class K>
std::vector<std::vector<std::size_t>> orders(const std::vector<K>& keys, const parts& of, bool smallest) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t p = 0; p < of.begins.size(); ++p) {
    const std::vector<K> part(keys.begin() + of.begins[p], keys.begin() + std::max(of.begins[p], of.ends[p]));
    all.push_back(test::sorted_order(part, !smallest));
  }
  return all;
}

// The results of all parts, side by side: of(part, index within it).
template <class V, class Of>
std::vector<V> results(const std::vector<std::vector<std::size_t>>& orders, std::size_t k, bool input_order, Of of) {
  std::vector<V> all(orders.size() * k);
  if (!all.empty()) std::memset(static_cast<void*>(all.data()), poison, all.size() * sizeof(V));
  for (std::size_t p = 0; p < orders.size(); ++p) {
    std::vector<std::size_t> first(orders[p].begin(),
                                   orders[p].begin() + static_cast<std::ptrdiff_t>(std::min(k, orders[p].size())));
    if (input_order) std::sort(first.begin(), first.end());
    for (std::size_t i = 0; i < first.size(); ++i) all[p * k + i] = of(p, first[i]);
  }
  return all;
}

// All calls with one k. Segments: none, or what they are given as.
template <class K, class V, class... Segments>
void selects(const library::execution& where, const std::vector<K>& keys, const parts& of, std::size_t k,
             const library::top_k_options& options, const Segments&... segments) {
  SCOPED_TRACE(testing::Message() << keys.size() << " items in " << of.begins.size() << " parts, k " << k
                                  << ", smallest " << options.smallest << ", input order " << options.input_order
                                  << ", bytes " << sizeof(K) << ' ' << sizeof(V));
  const std::size_t n = keys.size(), size = of.begins.size() * k;
  const auto order = orders(keys, of, options.smallest);
  const auto index_of = [&](std::size_t p, std::size_t i) { return static_cast<std::size_t>(of.begins[p]) + i; };
  const auto expected = results<K>(order, k, options.input_order, [&](auto p, auto i) { return keys[index_of(p, i)]; });
  const std::vector<V> carried = test::random_values<V>(n, 5);
  const test::array<K> in(where, keys), out(where, size), out_narrow(where, size), out_wide(where, size);
  const test::array<K> out_keys(where, size);
  const test::array<std::int32_t> narrow(where, size);
  const test::array<std::uint64_t> wide(where, size);
  const test::array<V> values(where, carried), out_values(where, size);
  const K* const first = in;
  const V* const with = values;
  K *const a = out, *const b = out_narrow, *const c = out_wide, *const d = out_keys;
  std::int32_t* const narrow_to = narrow;
  std::uint64_t* const wide_to = wide;
  V* const to = out_values;
  library::top_k(where, first, n, segments..., k, a, options);
  library::top_k(where, first, n, segments..., k, b, narrow_to, options);
  library::top_k(where, first, n, segments..., k, c, wide_to, options);
  library::top_k_by_key(where, first, n, with, segments..., k, d, to, options);
  for (const test::array<K>* found : {&out, &out_narrow, &out_wide, &out_keys})
    EXPECT_TRUE(test::identical(found->items(), expected));
  const auto within = [](auto, std::size_t i) { return i; };
  EXPECT_TRUE(test::same(narrow.items(), results<std::int32_t>(order, k, options.input_order, within)));
  EXPECT_TRUE(test::same(wide.items(), results<std::uint64_t>(order, k, options.input_order, within)));
  const auto value = [&](std::size_t p, std::size_t i) { return carried[index_of(p, i)]; };
  EXPECT_TRUE(test::identical(out_values.items(), results<V>(order, k, options.input_order, value)));
  EXPECT_TRUE(test::identical(in.items(), keys)) << "the keys were changed";
}

// The item at an index of the sorted part.
template <class K, class... Segments>
void takes_the_nth(const library::execution& where, const std::vector<K>& keys, const parts& of, std::size_t rank,
                   const Segments&... segments) {
  SCOPED_TRACE(testing::Message() << keys.size() << " items in " << of.begins.size() << " parts, rank " << rank);
  std::vector<K> expected(of.begins.size());
  std::memset(static_cast<void*>(expected.data()), poison, expected.size() * sizeof(K));
  const auto order = orders(keys, of, true);
  for (std::size_t p = 0; p < order.size(); ++p) {
    if (rank < order[p].size()) expected[p] = keys[static_cast<std::size_t>(of.begins[p]) + order[p][rank]];
  }
  const test::array<K> in(where, keys), out(where, expected.size());
  const K* const first = in;
  K* const to = out;
  library::nth_element(where, first, keys.size(), segments..., rank, to);
  EXPECT_TRUE(test::identical(out.items(), expected));
}

const std::array<library::top_k_options, 4> all_options{{{false, false}, {true, false}, {false, true}, {true, true}}};

}  // namespace

LIBRARY_TEST(library_select, from_all_items) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    for (const std::size_t n : test::few_sizes()) {
      for (const test::pattern pattern : test::all_patterns) {
        if (n > 20000 && pattern != test::pattern::uniform) continue;
        const std::vector<K> keys = test::keys<K>(n, 11, pattern);
        const parts one{{0}, {static_cast<std::int64_t>(n)}};
        for (const std::size_t k : {std::size_t{0}, std::min<std::size_t>(n, 1), n / 3, n}) {
          selects<K, std::uint16_t>(where, keys, one, k, all_options[k % 4]);
        }
        if (n > 0) takes_the_nth(where, keys, one, n / 2);
        if (n > 0) takes_the_nth(where, keys, one, n - 1);
      }
    }
  });
}

// Values of all sizes, options of all kinds; the last row is shorter than the others, and may be shorter than k.
LIBRARY_TEST(library_select, from_rows) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    for (const std::size_t length : {1, 5, 300, 5000}) {
      const std::size_t n = 3 * length + length / 2;
      const std::vector<K> keys = test::keys<K>(n, 7, test::pattern::few_valued);
      const parts of = parts_of_rows(n, length);
      const library::rows rows{static_cast<std::int64_t>(length)};
      for (const std::size_t k : {std::size_t{1}, length - length / 4, length}) {
        for (const library::top_k_options& options : all_options) {
          selects<K, std::int8_t>(where, keys, of, k, options, rows);
          selects<K, double>(where, keys, of, k, options, rows);
        }
        takes_the_nth(where, keys, of, k - 1, rows);
      }
    }
  });
}

LIBRARY_TEST(library_select, from_segments_of_any_length) {
  test::for_each_type([&](auto tag) {
    using K = typename decltype(tag)::type;
    const std::size_t n = 9000;
    const std::vector<K> keys = test::random_values<K>(n, 7);
    // One that begins in front of the items, an empty one, and one that ends behind them.
    const std::vector<std::int64_t> starts = {-5, 3, 3, 40, 5000, 9000, 9100};
    const parts of{{0, 3, 3, 40, 5000, 9000}, {3, 3, 40, 5000, 9000, 9000}};
    const test::array<std::int64_t> first(where, starts);
    const library::offsets segments{first, starts.size()};
    for (const std::size_t k : {1, 30, 4500}) {
      for (const library::top_k_options& options : all_options)
        selects<K, std::int32_t>(where, keys, of, k, options, segments);
      takes_the_nth(where, keys, of, k - 1, segments);
    }
  });
}

// Long rows are shared by threads on the CPU, and by all blocks on CUDA.
LIBRARY_TEST(library_select, from_many_items) {
  const std::size_t n = test::small_only() ? 100003 : 1500007;
  const std::vector<float> keys = test::random_between<float>(n, 3, -1000000, 1000000);
  const parts one{{0}, {static_cast<std::int64_t>(n)}};
  for (const std::size_t k : {std::size_t{10}, n / 5}) selects<float, std::int64_t>(where, keys, one, k, {});
  takes_the_nth(where, keys, one, n / 2);
}

LIBRARY_TEST(library_select, nan_and_zeros) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const test::array<float> in(where, {-0.f, nan, 0.f, -nan, infinity, -0.f}), out(where, 6);
  const test::array<std::int32_t> indices(where, 6);
  library::top_k<float, std::int32_t>(where, in, 6, 6, out, indices);
  EXPECT_EQ(indices.items(), (std::vector<std::int32_t>{1, 4, 0, 2, 5, 3}));
  library::top_k<float, std::int32_t>(where, in, 6, 6, out, indices, library::top_k_options{true, false});
  EXPECT_EQ(indices.items(), (std::vector<std::int32_t>{3, 0, 2, 5, 4, 1}));
}

LIBRARY_TEST(library_select, refuses_wrong_arguments) {
  const test::array<int> in(where, std::vector<int>(20, 1)), room(where, 20), beside(where, 20);
  const test::array<std::int64_t> starts(where, {0, 10, 20});
  using namespace library;
  int *const x = in, *const y = room, *const z = beside, *const null = nullptr;
  std::int64_t* const first = starts;
  const offsets segments{first, 3};
  const auto refused = [](const std::string& text, const std::function<void()>& call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + text, call));
  };
  refused("top_k: first is null", [&] { top_k(where, null, 20, 1, y); });
  refused("top_k: out", [&] { top_k(where, x, 20, 1, null); });
  refused("top_k: indices is null", [&] { top_k(where, x, 20, 1, y, null); });
  refused("top_k: k is more", [&] { top_k(where, x, 20, 21, y); });
  refused("top_k: k is more", [&] { top_k(where, x, 20, ~std::size_t{0}, y); });
  refused("top_k: k is more", [&] { top_k(where, null, 0, 1, y); });
  refused("top_k: more is asked for", [&] { top_k(where, x, 20, rows{5}, 6, y); });
  refused("top_k: a row has less", [&] { top_k(where, x, 20, rows{0}, 0, y); });
  refused("top_k: more results", [&] { top_k(where, x, 20, segments, ~std::size_t{0}, y, z); });
  refused("top_k: more results", [&] { top_k(where, x, 20, rows{1}, ~std::size_t{0}, y, z); });
  refused("top_k: more results", [&] { top_k(where, x, 20, ~std::size_t{0}, y, z); });
  refused("top_k: offsets is null", [&] { top_k(where, x, 20, offsets{nullptr, 3}, 1, y); });
  refused("top_k: n is more", [&] { top_k(where, x, ~std::size_t{0}, 1, y); });
  refused("top_k: n is more than an index", [&] { top_k(where, x, (std::size_t{1} << 31) + 1, 1, y, z); });
  refused("top_k: out overlaps", [&] { top_k(where, x, 20, 1, x + 19); });
  refused("top_k: indices overlaps first", [&] { top_k(where, x, 20, 1, y, x); });
  refused("top_k: indices overlaps out", [&] { top_k(where, x, 20, 2, y, y + 1); });
  refused("top_k: indices overlaps the offsets", [&] { top_k(where, x, 20, segments, 1, y, first + 1); });
  refused("top_k_by_key: values is null", [&] { top_k_by_key(where, x, 20, null, 1, y, z); });
  refused("top_k_by_key: out_values is null", [&] { top_k_by_key(where, x, 20, z, 1, y, null); });
  refused("top_k_by_key: out overlaps values", [&] { top_k_by_key(where, x, 20, y, 1, y, z); });
  refused("top_k_by_key: out_values overlaps values", [&] { top_k_by_key(where, x, 20, y, 1, z, y); });
  refused("nth_element: rank", [&] { nth_element(where, x, 20, 20, y); });
  refused("nth_element: rank", [&] { nth_element(where, null, 0, 0, y); });
  refused("nth_element: rank", [&] { nth_element(where, x, 20, rows{5}, 5, y); });
  refused("nth_element: rank", [&] { nth_element(where, x, 20, rows{5}, 12, y); });
  refused("nth_element: rank", [&] { nth_element(where, x, 5, rows{10}, 12, y); });
  refused("nth_element: out", [&] { nth_element(where, x, 20, 3, null); });
  EXPECT_TRUE(room.untouched() && beside.untouched());
  top_k(where, null, 0, 0, null);
  top_k(where, null, 0, rows{5}, 3, null, null);
  top_k_by_key(where, null, 0, null, offsets{nullptr, 0}, 3, null, null);
  nth_element(where, null, 0, rows{5}, 3, null);
}
