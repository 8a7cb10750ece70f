// SPDX-License-Identifier: Apache-2.0
// What a sort by one block sorts, and how many items that may be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <onepass/config.hpp>

namespace onepass::detail {

// The items of a sort by one block. The input and the output are the same arrays, or do not overlap. Without values,
// those pointers are not used. values_in may be null where an input may be (plan.cuh). If `widened` is not null, values
// of 4 bytes are stored there, and not in `values`.
template <class K, class V>
struct block_sort_items {
  const K* keys_in;
  K* keys;
  const V* values_in;
  V* values;
  std::uint64_t* widened = nullptr;

  __device__ void store_value(index_t i, const V& value) const {
    if constexpr (std::is_same_v<V, std::uint32_t>) {
      if (widened != nullptr) return void(widened[i] = value);
    }
    values[i] = value;
  }
};

// What one block sorts by itself: as many items as its shared memory holds. A block may have 163 KB on sm_80, and 32 KB
// are for counters, 80 KB where keys of 2 bytes have no values. An item takes its key twice, and its rank; with a value,
// also that value, and its index in the input twice.
template <std::size_t key_bytes, std::size_t value_bytes>
struct block_sort_shape {
  static constexpr std::size_t item_bytes = 2 * key_bytes + 2 + (value_bytes > 0 ? value_bytes + 4 : 0);
  static constexpr int threads = 1024;
  // More than 12 items a thread are sorted faster by many blocks.
  static constexpr int items = static_cast<int>(std::min<std::size_t>(128 * 1024 / item_bytes / threads, 12)) * threads;
  static constexpr int rows = 8;  // items a thread, where there are few items
};

}  // namespace onepass::detail
