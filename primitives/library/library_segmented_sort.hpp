// SPDX-License-Identifier: Apache-2.0
// What the library's segmented sorts share. Keys alone and keys with values have a source file each, because there are
// many kernels.
#pragma once

#include <onepass/segmented_sort.hpp>

#include "library_sort.hpp"

namespace onepass::library::detail {

// Calls run(policy, first, last, segments).
template <class Run>
void sort_segments(const char* call, const execution& where, items keys, std::size_t size, const offsets& segments,
                   Run run) {
  const index_t n = checked_items(call, where, size), count = checked_size(call, segments.count);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "offsets", segments.first, segments.count);
  with_policy(call, where, [&](const auto& policy) {
    with_key(keys.kind, [&](auto* tag) {
      auto* first = as(tag, keys.data);
      run(policy, first, first + n, onepass::offsets(segments.first, segments.first + count));
    });
  });
}

}  // namespace onepass::library::detail
