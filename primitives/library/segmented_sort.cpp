// SPDX-License-Identifier: Apache-2.0
// The library's segmented sorts of keys alone.
#include "library_row_offsets.hpp"
#include "library_segmented_sort.hpp"

namespace onepass::library::detail {

void segmented_sort(const execution& where, items keys, std::size_t size, const offsets& segments,
                    const radix_options& options) {
  sort_segments("segmented_sort", where, keys, size, segments,
                [&](const auto& policy, auto* first, auto* last, const auto& by) {
                  onepass::segmented_sort(policy, first, last, by, options_of(options));
                });
}

void segmented_sort(const execution& where, items keys, std::size_t n, const rows& by, const radix_options& options) {
  check_pointer("segmented_sort", "keys", keys.data, n);
  check_options("segmented_sort", keys.kind, options);
  with_row_offsets("segmented_sort", where, n, by,
                   [&](const offsets& segments) { segmented_sort(where, keys, n, segments, options); });
}

}  // namespace onepass::library::detail
