// SPDX-License-Identifier: Apache-2.0
// What a histogram counts and where to, as both backends get it.
#pragma once

#include "../../core/support/none.hpp"
#include "bin_finder.hpp"

namespace onepass::detail {

// Row i has the items from i * length up to (i + 1) * length, and the counts from i * bins on. Weights: an iterator, or none
// where each item adds one. Count: an unsigned integer of 4 or 8 bytes.
template <class In, class Weights, class Finder, class Count>
struct histogram_call {
  using count_type = Count;
  static constexpr bool weighs = !std::is_same_v<Weights, none>;
  In items;
  Weights weights;
  Finder finder;
  Count* counts;
  std::uint32_t bins;
  index_t rows, length;
};

}  // namespace onepass::detail
