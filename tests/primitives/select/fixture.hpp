// SPDX-License-Identifier: Apache-2.0
// Selections by a stable sort of all indices of a segment.
#pragma once

#include <onepass/select.hpp>

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/execution.hpp"
#include "support/test.hpp"

namespace test {

// Whether a is smaller than b: NaNs with a sign are smaller than all else, those without one are larger, -0 equals +0.
template <class T>
bool is_smaller(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    const double x = as_double(a), y = as_double(b);
    const int nan_x = std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0,
              nan_y = std::isnan(y) ? (std::signbit(y) ? -1 : 1) : 0;
    if (nan_x != 0 || nan_y != 0) return nan_x < nan_y;
    return x < y;
  }
}

struct part {
  std::size_t begin, size;
};
inline std::vector<part> parts_of_rows(std::size_t n, std::size_t length) {
  std::vector<part> parts;
  for (std::size_t begin = 0; begin < n; begin += length) parts.push_back({begin, std::min(length, n - begin)});
  return parts;
}

// For each part the indices of its items, in the order of a selection.
template <class T>
std::vector<std::vector<std::int64_t>> ranking(const std::vector<T>& items, const std::vector<part>& parts,
                                               bool smallest) {
  std::vector<std::vector<std::int64_t>> all;
  for (const part& p : parts) {
    std::vector<std::int64_t> order(p.size);
    std::iota(order.begin(), order.end(), static_cast<std::int64_t>(p.begin));
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
      const T &a = items[static_cast<std::size_t>(i)], &b = items[static_cast<std::size_t>(j)];
      return smallest ? is_smaller(a, b) : is_smaller(b, a);
    });
    all.push_back(std::move(order));
  }
  return all;
}

// What a buffer of results has that were at first poisoned: `of(index)` for each result.
template <class V, class Of>
std::vector<V> expected_results(const std::vector<std::vector<std::int64_t>>& ranking, std::size_t k, bool input_order,
                                Of of) {
  std::vector<V> all(ranking.size() * k);
  if (!all.empty()) std::memset(static_cast<void*>(all.data()), poison, all.size() * sizeof(V));
  for (std::size_t p = 0; p < ranking.size(); ++p) {
    std::vector<std::int64_t> first(ranking[p].begin(),
                                    ranking[p].begin() + static_cast<std::ptrdiff_t>(std::min(k, ranking[p].size())));
    if (input_order) std::sort(first.begin(), first.end());
    for (std::size_t i = 0; i < first.size(); ++i) all[p * k + i] = of(first[i]);
  }
  return all;
}

// `order`: what ranking() says for the smallest.
template <class T, class Backend, class Segments, class KeyAt>
void check_nth(const Backend& backend, const buffer<T>& in, std::size_t shift, const Segments& segments,
               const std::vector<std::vector<std::int64_t>>& order, std::size_t n, const KeyAt& key_at) {
  const buffer<T> nth(backend, order.size(), shift);
  const auto end =
      onepass::nth_element(backend.policy(), in.begin(), in.end(), segments, static_cast<std::int64_t>(n), nth.begin());
  EXPECT_EQ(end, nth.end());
  std::vector<std::vector<std::int64_t>> only;
  for (const auto& o : order)
    only.push_back(o.size() <= n ? std::vector<std::int64_t>() : std::vector<std::int64_t>{o[n]});
  EXPECT_TRUE(identical(nth.to_host(), expected_results<T>(only, 1, false, key_at))) << "item " << n;
}

// All calls, for each k: `segments` are given to the calls, `parts` say what they are.
template <class T, class Backend, class Segments>
void check_segments(const Backend& backend, const std::vector<T>& items, std::size_t shift, const Segments& segments,
                    const std::vector<part>& parts, const std::vector<std::size_t>& ks) {
  const buffer<T> in(backend, items, shift);
  const auto p = backend.policy();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto key_at = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
  for (const bool smallest : {false, true}) {
    const auto order = ranking(items, parts, smallest);
    for (const std::size_t k : ks) {
      for (const bool input_order : {false, true}) {
        SCOPED_TRACE(testing::Message() << items.size() << " items, k " << k << (smallest ? ", smallest" : "")
                                        << (input_order ? ", input order" : ""));
        const onepass::top_k_options options{smallest, input_order};
        const buffer<T> out(backend, parts.size() * k, shift), keys(backend, parts.size() * k);
        const buffer<std::int64_t> values(backend, parts.size() * k, shift);
        const auto size = static_cast<std::int64_t>(k);
        EXPECT_EQ(onepass::top_k(p, in.begin(), in.end(), segments, size, out.begin(), options), out.end());
        const auto expected = expected_results<T>(order, k, input_order, key_at);
        EXPECT_TRUE(identical(out.to_host(), expected));
        const auto ends = onepass::top_k_by_key(p, in.begin(), in.end(), numbers, segments, size, keys.begin(),
                                                values.begin(), options);
        EXPECT_EQ(ends.first, keys.end());
        EXPECT_EQ(ends.second, values.end());
        EXPECT_TRUE(identical(keys.to_host(), expected));
        EXPECT_TRUE(same(values.to_host(),
                         expected_results<std::int64_t>(order, k, input_order, [](std::int64_t i) { return i; })));
      }
      if (smallest && k > 0) check_nth(backend, in, shift, segments, order, k - 1, key_at);
    }
  }
}
template <class T, class Backend>
void check_rows(const Backend& backend, const std::vector<T>& items, std::size_t shift, std::size_t length,
                const std::vector<std::size_t>& ks) {
  SCOPED_TRACE(testing::Message() << "rows of " << length);
  check_segments(backend, items, shift, onepass::rows(static_cast<std::int64_t>(length)),
                 parts_of_rows(items.size(), length), ks);
}
// As one array.
template <class T, class Backend>
void check_array(const Backend& backend, const std::vector<T>& items, std::size_t shift,
                 const std::vector<std::size_t>& ks) {
  const buffer<T> in(backend, items, shift);
  const auto p = backend.policy();
  const std::vector<part> whole{{0, items.size()}};
  const auto key_at = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
  for (const bool smallest : {false, true}) {
    const auto order = ranking(items, whole, smallest);
    for (const std::size_t k : ks) {
      for (const bool input_order : {false, true}) {
        SCOPED_TRACE(testing::Message() << items.size() << " items, k " << k << (smallest ? ", smallest" : "")
                                        << (input_order ? ", input order" : ""));
        const buffer<T> out(backend, k, shift);
        const onepass::top_k_options options{smallest, input_order};
        EXPECT_EQ(onepass::top_k(p, in.begin(), in.end(), static_cast<std::int64_t>(k), out.begin(), options),
                  out.end());
        EXPECT_TRUE(identical(out.to_host(), expected_results<T>(order, k, input_order, key_at)));
      }
      if (!smallest || k == 0) continue;
      const buffer<T> nth(backend, 1);
      onepass::nth_element(p, in.begin(), in.end(), static_cast<std::int64_t>(k) - 1, nth.begin());
      EXPECT_TRUE(identical(nth.to_host(), std::vector<T>{key_at(order[0][k - 1])})) << "item " << k - 1;
    }
  }
}

// Keys of many kinds: all bits at random, few values, all equal, in order, mostly equal.
template <class T>
std::vector<T> keys_of_kind(std::size_t n, std::size_t kind) {
  std::vector<T> items = random_values<T>(n, n + 3);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = hash(77, i);
    if (kind == 1) items[i] = from_double<T>(static_cast<double>(bits % 3));
    if (kind == 2) items[i] = from_double<T>(1);
    if (kind == 4 && bits % 8 != 0) items[i] = from_double<T>(1);
  }
  if (kind == 3) std::sort(items.begin(), items.end(), is_smaller<T>);
  if constexpr (!std::is_integral_v<T>) {
    const double odd[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),  -0.0, 0.0,
                          -std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::quiet_NaN()};
    if (kind == 0) {
      for (std::size_t i = 0; i < n; i += 3) items[i] = from_double<T>(odd[hash(5, i) % 6]);
    }
    if (kind == 1) {
      for (std::size_t i = 0; i < n; i += 2) items[i] = from_double<T>(odd[2 + hash(5, i) % 2]);
    }
  }
  return items;
}
constexpr std::size_t kinds = 5;

}  // namespace test
