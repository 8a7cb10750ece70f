// SPDX-License-Identifier: Apache-2.0
// The library's scans by keys of 8 bytes.
#include "library_scan_by_key.hpp"

namespace onepass::library::detail {

void scan_with_wide_keys(const char* call, const execution& where, const_items keys, std::size_t size,
                         const_items values, items out, const void* init, op by) {
  scan_with_keys<std::uint64_t>(call, where, keys, size, values, out, init, by);
}

}  // namespace onepass::library::detail
