// SPDX-License-Identifier: Apache-2.0
// The library's segmented sorts of keys alone.
#include "library_segmented_sort.hpp"

namespace onepass::library::detail {

void segmented_sort(const execution& where, items keys, std::size_t size, const offsets& segments,
                    const radix_options& options) {
  sort_segments("segmented_sort", where, keys, size, segments,
                [&](const auto& policy, auto* first, auto* last, const auto& by) {
                  onepass::segmented_sort(policy, first, last, by, options_of(options));
                });
}

}  // namespace onepass::library::detail
