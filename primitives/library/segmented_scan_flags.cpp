// SPDX-License-Identifier: Apache-2.0
// The library's segmented scans by head flags.
#include "library_segmented_scan.hpp"

namespace onepass::library::detail {

void segmented_scan(const char* call, const execution& where, const_items first, std::size_t size,
                    const std::uint8_t* head_flags, items out, const void* init, op by) {
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "head_flags", head_flags, size);
  scan_with_heads(call, where, first, n, head_flags, out, init, by);
}

}  // namespace onepass::library::detail
