// SPDX-License-Identifier: Apache-2.0
// The library's scans by key, and those whose keys have 4 bytes.
#include "library_scan_by_key.hpp"

namespace onepass::library::detail {

void scan_by_key(const char* call, const execution& where, const_items keys, std::size_t size, const_items values,
                 items out, const void* init, op by) {
  if (is_narrow(keys.kind)) scan_with_narrow_keys(call, where, keys, size, values, out, init, by);
  else if (is_wide(keys.kind)) scan_with_wide_keys(call, where, keys, size, values, out, init, by);
  else scan_with_keys<std::uint32_t>(call, where, keys, size, values, out, init, by);
}

}  // namespace onepass::library::detail
