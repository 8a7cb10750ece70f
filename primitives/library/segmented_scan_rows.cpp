// SPDX-License-Identifier: Apache-2.0
// The library's scans of rows.
#include "library_segmented_scan.hpp"

namespace onepass::library::detail {

void segmented_scan(const char* call, const execution& where, const_items first, std::size_t size, const rows& by,
                    items out, const void* init, op chosen) {
  scan_with_heads(call, where, first, checked_items(call, where, size), onepass::rows(by.length), out, init, chosen);
}

}  // namespace onepass::library::detail
