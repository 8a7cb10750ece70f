// SPDX-License-Identifier: Apache-2.0
// What tiles of compactions and of partitions to three ranges share on the CPU: blocks of items that go through vectors, and
// moves from a tile's buffer to an output.
#pragma once

#include "../../../core/cpu/driver/cpu_tile_driver.hpp"
#include "../../../core/cpu/simd/compress.hpp"
#include "../../../core/cpu/simd/simd_segments.hpp"
#include "../compact_job.hpp"

namespace onepass::detail {

// Whether items are nothing but their bytes.
template <class Item>
constexpr bool moves_as_bytes = std::is_trivially_copyable_v<Item>&& std::is_trivially_destructible_v<Item>;

// The items before `end`, from the last one backwards. Where one tile has all items it stores them at once, in their
// order.
template <class Item>
struct from_end {
  Item* end;
  bool in_order;
  Item& operator[](index_t i) const { return end[-1 - i]; }
};

// A block of items: in the array itself, or copied.
template <class It, class Item>
const Item* block_at(const It& it, index_t i, Item (&copies)[compress_block]) {
  if constexpr (std::is_pointer_v<It>) {
    const Item* const block = it + i;
    for (int k = 0; k < compress_block; k += static_cast<int>(cache_line / sizeof(Item)))
      detail::prefetch_ahead(block + k);
    return block;
  } else {
    for (int k = 0; k < compress_block; ++k) copies[k] = it[i + k];
    return copies;
  }
}

// Moves n items to out[at] and behind. `streams`: past the caches.
template <class Item, class Out>
void move_out(Item* from, index_t n, Out out, index_t at, bool streams) {
  if (n == 0) return;  // out may be null
  if constexpr (moves_as_bytes<Item> && std::is_same_v<Out, Item*>) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(Item);
    if (streams) detail::stream_copy(out + at, from, bytes);
    else std::memcpy(static_cast<void*>(out + at), from, bytes);
  } else {
    if constexpr (std::is_same_v<Out, from_end<Item>>) {
      if (out.in_order) return detail::move_out(from, n, out.end - n, at, streams);
    }
    for (index_t k = 0; k < n; ++k) out[at + k] = as_item_of<Out>(std::move(from[k]));
  }
}

template <class Item>
void destroy_items([[maybe_unused]] Item* items, [[maybe_unused]] index_t n) {
  if constexpr (!moves_as_bytes<Item>) {
    for (index_t k = 0; k < n; ++k) items[k].~Item();
  }
}

}  // namespace onepass::detail
