// SPDX-License-Identifier: Apache-2.0
// onepass/bins.hpp: how a histogram is told its bins: a value each, bins of even width, or bins between given edges. An
// item outside all bins is not counted.
#pragma once

#include <limits>
#include <type_traits>

#include "iterator_system.hpp"

namespace onepass {

// Bin i has the items of value lower + i; there are upper - lower bins, 1 to 2^24. Items are integers or bool. Bins for
// values that the items' type does not have stay empty.
//
//   std::vector<int> x = {3, 5, 3, 9}, counts(4);
//   onepass::histogram(x.begin(), x.end(), onepass::value_bins(3, 7), counts.begin());  // counts = 2 0 1 0
struct bins_by_value {
  index_t lower, upper;
};
inline bins_by_value value_bins(index_t lower, index_t upper) { return {lower, upper}; }
// A bin for each value of T, an integer of 8 or 16 bits, from the lowest.
template <class T>
bins_by_value all_value_bins() {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2, "onepass: all values of T are too many bins");
  return {index_t{std::numeric_limits<T>::lowest()}, index_t{std::numeric_limits<T>::max()} + 1};
}

// `count` bins of one width, 1 to 2^24, from lower to upper, for items that are floats. An item x with
// lower <= x < upper is in bin (x - lower) * (count / (upper - lower)), rounded down, or in the last one if that is
// less. This is computed in double for doubles, and in float for other items, the same on every backend; so an item
// that is no more than a rounding error away from an edge may be in the bin on the other side of it; with a million
// bins of floats and more, where a rounding error may be as wide as a bin, also in the one behind that. `lower` and
// `upper` are rounded to that type first; NaN is in no bin. A call throws invalid_argument if lower is not less than
// upper, or if one of them, their difference or count / (upper - lower) is not finite.
//
//   std::vector<float> x = {0.1f, 0.6f, 0.9f, 1.0f};
//   std::vector<int> counts(2);
//   onepass::histogram(x.begin(), x.end(), onepass::even_bins(0, 1, 2), counts.begin());  // counts = 1 2
struct bins_of_even_width {
  double lower, upper;
  index_t count;
};
inline bins_of_even_width even_bins(double lower, double upper, index_t count) { return {lower, upper, count}; }

// The same with bounds that are integers, for items that are integers or bool, too. An integer x with lower <= x < upper
// is in bin (x - lower) * count / (upper - lower), rounded down, as in cub::DeviceHistogram::HistogramEven. This is
// computed exactly for all items and bounds of up to 64 bits: bin i begins at lower + i * (upper - lower) / count, rounded
// up. With more bins than upper - lower some stay empty. Bounds may be values that the items' type does not have. A call
// throws invalid_argument if lower is not less than upper, or if they are 2^64 or more apart. Items that are floats are
// counted as with the same bounds in double, which is what they are converted to.
//
//   std::vector<int> x = {0, 3, 4, 9, 10}, counts(3);
//   onepass::histogram(x.begin(), x.end(), onepass::even_bins(0, 10, 3), counts.begin());  // counts = 2 1 1
template <class Lower, class Upper>
struct bins_of_even_integers {
  Lower lower;
  Upper upper;
  index_t count;
};
template <class Lower, class Upper, std::enable_if_t<std::is_integral_v<Lower> && std::is_integral_v<Upper>, int> = 0>
bins_of_even_integers<Lower, Upper> even_bins(Lower lower, Upper upper, index_t count) {
  static_assert(sizeof(Lower) <= 8 && sizeof(Upper) <= 8, "onepass: bounds of bins have up to 64 bits");
  return {lower, upper, count};
}

// Bin i has the items x with edges[i] <= x < edges[i + 1], for the edges of [begin, end), at least two: 1 to 2^24 bins.
// Edges have the items' type, are in the same memory as the items, and ascend; two equal edges make an empty bin. If
// edges do not ascend, or one is NaN, the counts mean nothing. An item that is NaN is in no bin.
//
//   std::vector<float> x = {1, 2, 5, 40}, edges = {0, 2, 10};
//   std::vector<int> counts(2);
//   onepass::histogram(x.begin(), x.end(), onepass::edge_bins(edges.begin(), edges.end()), counts.begin());
//   // counts = 1 2
template <class It>
struct bins_between_edges {
  It begin, end;
};
template <class It>
bins_between_edges<It> edge_bins(It begin, It end) {
  return {begin, end};
}

// The memory of bins, as onepass/iterator_system.hpp says it of iterators.
template <>
struct iterator_system<bins_by_value> {
  using type = any_system;
};
template <>
struct iterator_system<bins_of_even_width> {
  using type = any_system;
};
template <class Lower, class Upper>
struct iterator_system<bins_of_even_integers<Lower, Upper>> {
  using type = any_system;
};
template <class It>
struct iterator_system<bins_between_edges<It>> : iterator_system<It> {};

}  // namespace onepass
