// SPDX-License-Identifier: Apache-2.0
// The library's scans for minimum and maximum.
#include "library_scan.hpp"

namespace onepass::library::detail {

void scan_for_extreme(const execution& where, const scan_range& range, type kind, op by) {
  with_type(kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    if (by == op::minimum) scan<T>(where, range, onepass::minimum{});
    else scan<T>(where, range, onepass::maximum{});
  });
}

}  // namespace onepass::library::detail
