// SPDX-License-Identifier: Apache-2.0
// The library's segmented sorts of keys with values of 4 bytes.
#include "library_row_offsets.hpp"
#include "library_segmented_sort.hpp"

namespace onepass::library::detail {

void segmented_sort_by_key(const execution& where, items keys, std::size_t size, items values, const offsets& segments,
                           const radix_options& options) {
  constexpr auto call = "segmented_sort_by_key";
  check_pointer(call, "values", values.data, size);
  auto* const with = static_cast<raw<std::uint32_t>*>(values.data);
  sort_segments(call, where, keys, size, segments, [&](const auto& policy, auto* first, auto* last, const auto& by) {
    onepass::segmented_sort_by_key(policy, first, last, with, by, options_of(options));
  });
}

void segmented_sort_by_key(const execution& where, items keys, std::size_t n, items values, const rows& by,
                           const radix_options& options) {
  constexpr auto call = "segmented_sort_by_key";
  check_pointer(call, "keys", keys.data, n);
  check_pointer(call, "values", values.data, n);
  with_row_offsets(call, where, n, by,
                   [&](const offsets& segments) { segmented_sort_by_key(where, keys, n, values, segments, options); });
}

}  // namespace onepass::library::detail
