// SPDX-License-Identifier: Apache-2.0
// The library's segmented scans by offsets.
#include "library_segmented_scan.hpp"

namespace onepass::library::detail {

void segmented_scan(const char* call, const execution& where, const_items first, std::size_t size,
                    const offsets& starts, items out, const void* init, op by) {
  const index_t n = checked_items(call, where, size), count = checked_size(call, starts.count);
  check_pointer(call, "offsets", starts.first, starts.count);
  scan_with_heads(call, where, first, n, onepass::offsets(starts.first, starts.first + count), out, init, by);
}

}  // namespace onepass::library::detail
