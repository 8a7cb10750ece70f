// SPDX-License-Identifier: Apache-2.0
// Which bin an item is in. A finder is a function object for both backends: finder(item) is the number of the item's bin, or
// `no_bin`. The functions finder_of check the caller's bins and make it.
#pragma once

#include <onepass/bins.hpp>

#include <cmath>

#include "../../core/support/argument_checks.hpp"
#include "../../core/support/divisor.hpp"
#include "../../core/support/half.hpp"

namespace onepass::detail {

template <class It>
constexpr bool any_host_readable<bins_between_edges<It>> = is_host_readable<It>();

constexpr index_t most_bins = index_t{1} << 24;
constexpr std::uint32_t no_bin = ~std::uint32_t{0};

inline std::uint32_t checked_bins(const char* call, index_t bins) {
  if (bins < 1 || bins > most_bins) throw invalid_argument(call, "the number of bins is not between 1 and 2^24");
  return static_cast<std::uint32_t>(bins);
}

// The bins that integers of type T can be in, of those of a range of values: `size` bins from bin `first` on. The first of
// them is that of the value `lowest`. Differences of values are computed in `bits`.
template <class T>
struct value_finder {
  static_assert(sizeof(T) <= 8, "onepass: a histogram counts integers of up to 64 bits");
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  bits lowest;
  std::uint32_t size, first;

  ONEPASS_HOST_DEVICE std::uint32_t operator()(const T& item) const {
    const bits i = static_cast<bits>(static_cast<bits>(item) - lowest);
    return i < size ? static_cast<std::uint32_t>(i) + first : no_bin;
  }
};
// The same where each value of T has a bin, and the first bin is that of the lowest one: no item is outside.
template <class T>
struct whole_type_finder {
  static constexpr auto lowest = static_cast<std::uint32_t>(std::numeric_limits<T>::lowest());
  ONEPASS_HOST_DEVICE std::uint32_t operator()(const T& item) const {
    return static_cast<std::uint32_t>(item) - lowest;
  }
};

template <class T>
value_finder<T> finder_of_values(const bins_by_value& bins) {
  // Integers of 64 bits without a sign may be larger than any bin's value.
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const bool all_fit = most >= static_cast<std::uint64_t>(std::numeric_limits<index_t>::max());
  const index_t end = all_fit ? bins.upper : std::min(bins.upper, static_cast<index_t>(most) + 1);
  const index_t lowest = std::max(bins.lower, static_cast<index_t>(std::numeric_limits<T>::lowest()));
  if (lowest >= end) return {0, 0, 0};
  return {static_cast<typename value_finder<T>::bits>(lowest), static_cast<std::uint32_t>(end - lowest),
          static_cast<std::uint32_t>(lowest - bins.lower)};
}

// Floats by even width. `computed`: what it is computed in.
template <class T>
struct even_finder {
  using computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
  computed lower, upper, scale;
  std::uint32_t last;

  ONEPASS_HOST_DEVICE std::uint32_t operator()(const T& item) const {
    const auto x = static_cast<computed>(item);
    if (!(x >= lower && x < upper)) return no_bin;
    const computed difference = x - lower;  // on its own, so that each result is rounded as the public header says
    const auto i = static_cast<std::uint32_t>(static_cast<std::int32_t>(difference * scale));
    return i < last ? i : last;
  }
};

// Integers by even width: bin d * count / width, where d is an item's distance from the lower bound, exactly. The items in
// [lower, upper) that the type has are the `size` ones from `lowest` on, which is `before` above the lower bound; all this
// is computed modulo 2^64.
//
// With m = floor(2^64 count / width), the upper half of d m is that quotient or one less, as d < width <= 2^64. Where count
// is not less than width, m does not fit in 64 bits; then d count, which has no more than 48, is multiplied with
// m = floor((2^64 - 1) / width) instead (core/support/divisor.hpp).
template <class T>
struct even_integer_finder {
  static_assert(sizeof(T) <= 8, "onepass: a histogram counts integers of up to 64 bits");
  std::uint64_t lowest, size, before, width, factor, m;
  std::uint32_t count;

  ONEPASS_HOST_DEVICE std::uint32_t operator()(const T& item) const {
    const std::uint64_t above = static_cast<std::uint64_t>(item) - lowest;
    if (above >= size) return no_bin;
    const std::uint64_t d = above + before, bin = upper_half(d * factor, m);
    // d count - bin width is less than 2 width, which may have 65 bits.
    const std::uint64_t product = d * count, rest = product - bin * width;
    const std::uint64_t carry = upper_half(d, count) - upper_half(bin, width) - (product < rest);
    return static_cast<std::uint32_t>(bin + (carry != 0 || rest >= width));
  }
};

template <class T, class Lower, class Upper>
even_integer_finder<T> finder_of_even_integers(const char* call, const bins_of_even_integers<Lower, Upper>& bins) {
  __extension__ typedef __int128 wide;
  constexpr wide one = 1;
  const wide lower = bins.lower, upper = bins.upper, width = upper - lower, count = bins.count;
  if (width <= 0)
    throw invalid_argument(call, "bins of even width need finite bounds, the lower one below the upper one");
  if (width >> 64 != 0) throw invalid_argument(call, "the bounds of the bins are 2^64 or more apart");
  const wide lowest = std::max<wide>(lower, std::numeric_limits<T>::lowest());
  const wide end = std::min<wide>(upper, wide{std::numeric_limits<T>::max()} + 1);
  const wide factor = count < width ? 1 : count, m = count < width ? (count << 64) / width : ((one << 64) - 1) / width;
  const auto low_half = [](wide x) { return static_cast<std::uint64_t>(x); };
  return {low_half(lowest),
          low_half(std::max<wide>(end - lowest, 0)),
          low_half(lowest - lower),
          low_half(width),
          low_half(factor),
          low_half(m),
          static_cast<std::uint32_t>(count)};
}

// Items between edges: the last edge that is not above the item is the begin of its bin.
template <class T, class It>
struct edge_finder {
  using compared = std::conditional_t<is_half<T>, float, T>;
  It edges;
  std::uint32_t bins;

  ONEPASS_HOST_DEVICE compared edge(std::uint32_t i) const { return static_cast<compared>(static_cast<T>(edges[i])); }
  ONEPASS_HOST_DEVICE std::uint32_t operator()(const T& of) const {
    const auto item = static_cast<compared>(of);
    if (!(item >= edge(0) && item < edge(bins))) return no_bin;
    // The item is in one of `left` bins from `low` on. Written so that a CPU need not guess which half it is.
    std::uint32_t low = 0;
    for (std::uint32_t left = bins; left > 1; left -= left / 2) low += item < edge(low + left / 2) ? 0 : left / 2;
    return low;
  }
};

template <class T>
constexpr bool is_counted_float = (std::is_floating_point_v<T> && sizeof(T) <= 8) || is_half<T>;

// ---- the caller's bins ----------------------------------------------------------------------------------------------
inline std::uint32_t bin_count(const char* call, const bins_by_value& bins) {
  // The difference as an unsigned number cannot overflow.
  const std::uint64_t all = static_cast<std::uint64_t>(bins.upper) - static_cast<std::uint64_t>(bins.lower);
  const bool too_many = bins.upper > bins.lower && all > static_cast<std::uint64_t>(most_bins);
  return checked_bins(call, bins.upper <= bins.lower || too_many ? 0 : static_cast<index_t>(all));
}
inline std::uint32_t bin_count(const char* call, const bins_of_even_width& bins) {
  return checked_bins(call, bins.count);
}
template <class Lower, class Upper>
std::uint32_t bin_count(const char* call, const bins_of_even_integers<Lower, Upper>& bins) {
  return checked_bins(call, bins.count);
}
template <class It>
std::uint32_t bin_count(const char* call, const bins_between_edges<It>& bins) {
  const std::uint32_t count = checked_bins(call, checked_distance(call, bins.begin, bins.end) - 1);
  check_not_null(call, "edges", bins.begin, index_t{count} + 1);
  return count;
}

// Calls f with the finder for items of type T.
template <class T, class F>
auto with_finder(const char*, const bins_by_value& bins, F&& f) {
  static_assert(std::is_integral_v<T>, "onepass: bins by value are for integers; floats have even bins or edges");
  if constexpr (sizeof(T) <= 2) {
    const bool is_whole = bins.lower == index_t{std::numeric_limits<T>::lowest()} &&
                          bins.upper == index_t{std::numeric_limits<T>::max()} + 1;
    if (is_whole) return f(whole_type_finder<T>());
  }
  return f(finder_of_values<T>(bins));
}
template <class T, class F>
auto with_finder(const char* call, const bins_of_even_width& bins, F&& f) {
  static_assert(is_counted_float<T>,
                "onepass: even bins of integers have integers as bounds; floats have up to 64 bits");
  using computed = typename even_finder<T>::computed;
  const auto lower = static_cast<computed>(bins.lower), upper = static_cast<computed>(bins.upper);
  const computed scale = static_cast<computed>(bins.count) / (upper - lower);
  if (!(lower < upper) || !std::isfinite(upper - lower) || !std::isfinite(scale))
    throw invalid_argument(call, "bins of even width need finite bounds, the lower one below the upper one");
  return f(even_finder<T>{lower, upper, scale, static_cast<std::uint32_t>(bins.count - 1)});
}
template <class T, class Lower, class Upper, class F>
auto with_finder(const char* call, const bins_of_even_integers<Lower, Upper>& bins, F&& f) {
  if constexpr (std::is_integral_v<T>) {
    return f(finder_of_even_integers<T>(call, bins));
  } else {
    return with_finder<T>(
        call, bins_of_even_width{static_cast<double>(bins.lower), static_cast<double>(bins.upper), bins.count}, f);
  }
}
template <class T, class It, class F>
auto with_finder(const char*, const bins_between_edges<It>& bins, F&& f) {
  static_assert(std::is_same_v<T, value_of<It>>, "onepass: edges have the type of the items");
  return f(edge_finder<T, unwrapped<It>>{unwrap(bins.begin), bin_count("", bins)});
}

}  // namespace onepass::detail
