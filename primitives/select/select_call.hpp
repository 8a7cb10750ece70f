// SPDX-License-Identifier: Apache-2.0
// What a selection is given, as both backends get it.
#pragma once

#include "../../core/segments/segment_bounds.hpp"
#include "ranked_key.hpp"

namespace onepass::detail {

// Row i has the items bounds.at(i, n), and its results stand from i * results on. k: how many items are wanted of each row, or
// which one, counted from 1. Bounds: segment_bounds, or row_bounds.
template <class Keys, class Values, class Out, class ValuesOut, class Bounds>
struct select_call {
  using source_type = keyed_items<Keys>;
  using bounds_type = Bounds;
  using output_type = selected_items<Keys, Values, Out, ValuesOut>;
  source_type source;
  output_type output;
  Bounds bounds;
  index_t k;
  selection mode;
  index_t results() const { return mode == selection::nth ? 1 : k; }
};

}  // namespace onepass::detail
