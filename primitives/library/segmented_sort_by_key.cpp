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

void segmented_sort_by_key(const execution& where, items keys, std::size_t size, items values, const rows& by,
                           const radix_options& options) {
  constexpr auto call = "segmented_sort_by_key";
  const index_t n = checked_size(call, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "values", values.data, size);
  check_options(call, keys.kind, options);
  onepass::detail::check_overlap(call, "the keys", static_cast<const char*>(keys.data), n * bytes_of(keys.kind),
                                 "values", static_cast<const char*>(values.data), n * bytes_of(values.kind), false);
  with_row_offsets(call, where, size, by, [&](const offsets& segments) {
    segmented_sort_by_key(where, keys, size, values, segments, options);
  });
}

}  // namespace onepass::library::detail
