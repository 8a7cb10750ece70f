// SPDX-License-Identifier: Apache-2.0
// The library's scans of columns of items of 8 and 16 bits by other operators than sums, and exclusive ones.
#include "library_columns.hpp"

namespace onepass::library::detail {

void scan_narrow_columns(const execution& where, const column_scan& of) {
  with_number(of.first.kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    if constexpr (sizeof(T) < 4) scan_columns<T>(where, of);
  });
}

}  // namespace onepass::library::detail
