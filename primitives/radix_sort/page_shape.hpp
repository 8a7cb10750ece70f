// SPDX-License-Identifier: Apache-2.0
// What the sorts in little memory share: the size of a page of items, how many pages a sort needs beside the array, and
// how much scratch it takes. How they work is in cuda/little_memory/pages.cuh.
#pragma once

#include <algorithm>

#include "../../core/execution/scratch_layout.hpp"
#include "keys/digits.hpp"

namespace onepass::detail {

constexpr int page_bits = 10, page_items = 1 << page_bits;

// A pass that has read some pages, and freed them, may have begun two pages more than that for each digit: the first
// and the last that its items go to. And the last page of the array may be shorter than others, so no other items go
// there.
constexpr index_t spare_pages_of_pass = 2 * digit_values + 1;

// How many items of scratch a sort of n may take in all. Up to most_with_second_array items are sorted as
// without this mode, with a second array.
constexpr index_t least_scratch_items = index_t{1} << 22, most_with_second_array = index_t{3} << 20;
constexpr index_t little_scratch_items(index_t n) { return std::max(n / 8, least_scratch_items); }

// Adds the spare pages to a sort's scratch: as many as make it `items` items in all, but at least as many as are needed.
// Returns their number. keys, values: where they lie.
template <class K, class V>
index_t add_spare_pages(layout& scratch, index_t items, index_t needed, std::size_t& keys, std::size_t& values) {
  constexpr index_t value_bytes = std::is_same_v<V, none> ? 0 : sizeof(V), bytes = sizeof(K) + value_bytes;
  constexpr index_t rounding = 2 * section_alignment;  // of two sections
  const auto taken = static_cast<index_t>(scratch.bytes()), all = items * bytes / rounding * rounding;
  const index_t pages = std::max((all - taken - rounding) / (bytes * page_items), needed);
  keys = scratch.add<K>(pages * page_items);
  values = scratch.add<char>(pages * page_items * value_bytes);
  // The size is the same whatever the tables take, so that a workspace for n items is enough for fewer.
  (void)scratch.add<char>(std::max(all - static_cast<index_t>(scratch.bytes()), index_t{0}));
  return pages;
}

}  // namespace onepass::detail
