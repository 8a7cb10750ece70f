// SPDX-License-Identifier: Apache-2.0
// Histograms by a plain loop: for each item each bin is asked whether the item is in it, or the bin's number is computed by
// the formula of the public header.
#pragma once

#include <onepass/histogram.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/execution.hpp"
#include "support/test.hpp"

namespace test {

// The number of an item's bin, or less than 0.
template <class T>
std::int64_t bin_of_item(const onepass::bins_by_value& bins, const T& item) {
  if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
    if (item > static_cast<T>(std::numeric_limits<std::int64_t>::max())) return -1;
  }
  const auto value = static_cast<std::int64_t>(item);
  return value >= bins.lower && value < bins.upper ? value - bins.lower : -1;
}
template <class T>
std::int64_t bin_of_item(const onepass::bins_of_even_width& bins, const T& item) {
  using computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto x = static_cast<computed>(as_double(item)), lower = static_cast<computed>(bins.lower),
             upper = static_cast<computed>(bins.upper);
  if (!(lower <= x && x < upper)) return -1;
  const computed scale = static_cast<computed>(bins.count) / (upper - lower);
  const volatile computed difference = x - lower;
  return std::min(static_cast<std::int64_t>(difference * scale), bins.count - 1);
}
// Of integers as the public header says; floats as with bounds in double.
template <class Lower, class Upper, class T>
std::int64_t bin_of_item(const onepass::bins_of_even_integers<Lower, Upper>& bins, const T& item) {
  if constexpr (std::is_integral_v<T>) {
    __extension__ typedef __int128 wide;
    const wide x = item, lower = bins.lower, upper = bins.upper;
    return lower <= x && x < upper ? static_cast<std::int64_t>((x - lower) * bins.count / (upper - lower)) : -1;
  } else {
    const auto lower = static_cast<double>(bins.lower), upper = static_cast<double>(bins.upper);
    return bin_of_item(onepass::bins_of_even_width{lower, upper, bins.count}, item);
  }
}
template <class T>
std::int64_t bin_of_item(const onepass::bins_between_edges<const T*>& bins, const T& item) {
  for (const T* edge = bins.begin; edge + 1 < bins.end; ++edge) {
    if (as_double(edge[0]) <= as_double(item) && as_double(item) < as_double(edge[1])) return edge - bins.begin;
  }
  return -1;
}

inline std::int64_t size_of_bins(const onepass::bins_by_value& bins) { return bins.upper - bins.lower; }
inline std::int64_t size_of_bins(const onepass::bins_of_even_width& bins) { return bins.count; }
template <class Lower, class Upper>
std::int64_t size_of_bins(const onepass::bins_of_even_integers<Lower, Upper>& bins) {
  return bins.count;
}
template <class T>
std::int64_t size_of_bins(const onepass::bins_between_edges<const T*>& bins) {
  return bins.end - bins.begin - 1;
}

// The sums of the weights in each bin of each row of `length` items.
template <class Count, class T, class Bins, class W>
std::vector<Count> expected_sums(const std::vector<T>& items, const std::vector<W>& weights, const Bins& bins,
                                 std::size_t length) {
  using sum = std::make_unsigned_t<Count>;
  const auto size = static_cast<std::size_t>(size_of_bins(bins));
  const std::size_t rows = length == 0 ? 1 : (items.size() + length - 1) / length;
  std::vector<Count> sums(rows * size);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int64_t bin = bin_of_item(bins, items[i]);
    if (bin < 0) continue;
    Count& at = sums[(length == 0 ? 0 : i / length) * size + static_cast<std::size_t>(bin)];
    at = static_cast<Count>(static_cast<sum>(at) + static_cast<sum>(weights[i]));
  }
  return sums;
}
template <class Count, class T, class Bins>
std::vector<Count> expected_counts(const std::vector<T>& items, const Bins& bins, std::size_t length = 0) {
  return expected_sums<Count>(items, std::vector<std::uint8_t>(items.size(), 1), bins, length);
}

// Bins as a backend gets them, when `edges` have been copied to it.
template <class T, class Bins>
Bins bins_on(const Bins& bins, const buffer<T>&) {
  return bins;
}
template <class T>
onepass::bins_between_edges<const T*> bins_on(const onepass::bins_between_edges<const T*>&, const buffer<T>& edges) {
  return {edges.begin(), edges.end()};
}
template <class T, class Bins>
std::vector<T> edges_of(const Bins&) {
  return {};
}
template <class T>
std::vector<T> edges_of(const onepass::bins_between_edges<const T*>& bins) {
  return {bins.begin, bins.end};
}

// A histogram of all items, and of rows, of items that `shift` moves off the alignment of an allocation.
template <class Count, class T, class Bins, class Backend>
void check_histogram(const Backend& backend, const std::vector<T>& items, const Bins& host_bins, std::size_t shift,
                     const std::vector<std::size_t>& lengths = {}) {
  const std::size_t n = items.size();
  SCOPED_TRACE(testing::Message() << n << " items, " << size_of_bins(host_bins) << " bins");
  const buffer<T> in(backend, items, shift), edges(backend, edges_of<T>(host_bins));
  const auto bins = bins_on(host_bins, edges);
  const auto check = [&](const std::vector<Count>& expected, auto call) {
    const buffer<Count> counts(backend, expected.size(), shift);
    EXPECT_EQ(call(counts.begin()), counts.end());
    EXPECT_TRUE(same(counts.to_host(), expected));
  };
  const auto p = backend.policy();
  check(expected_counts<Count>(items, host_bins),
        [&](auto counts) { return onepass::histogram(p, in.begin(), in.end(), bins, counts); });
  for (const std::size_t length : lengths) {
    SCOPED_TRACE(testing::Message() << "rows of " << length);
    const auto rows = onepass::rows(static_cast<std::int64_t>(length));
    check(expected_counts<Count>(items, host_bins, length),
          [&](auto counts) { return onepass::histogram(p, in.begin(), in.end(), rows, bins, counts); });
  }
}

}  // namespace test
