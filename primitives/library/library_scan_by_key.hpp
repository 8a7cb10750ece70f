// SPDX-License-Identifier: Apache-2.0
// Scans by keys of one size. Each size has a source file of its own, because there are many kernels.
#pragma once

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

template <class Key>
void scan_with_keys(const char* call, const execution& where, const_items keys, std::size_t size, const_items values,
                    items out, const void* init, op by) {
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "keys", keys.data, size);
  const auto* first = static_cast<const Key*>(keys.data);
  const onepass::detail::equal_to equal{};
  with_values(call, where, values, size, out, init, by,
              [&](const auto& policy, auto in, auto to, auto chosen, auto... initial) {
                if constexpr (sizeof...(initial) == 0) {
                  onepass::inclusive_scan_by_key(policy, first, first + n, in, to, equal, chosen);
                } else {
                  onepass::exclusive_scan_by_key(policy, first, first + n, in, to, initial..., equal, chosen);
                }
              });
}

void scan_with_narrow_keys(const char* call, const execution& where, const_items keys, std::size_t size,
                           const_items values, items out, const void* init, op by);
void scan_with_wide_keys(const char* call, const execution& where, const_items keys, std::size_t size,
                         const_items values, items out, const void* init, op by);

}  // namespace onepass::library::detail
