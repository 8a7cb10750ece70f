// SPDX-License-Identifier: Apache-2.0
// The library's scans of items of 32 and 64 bits for minimum and maximum.
#include "library_scan.hpp"

namespace onepass::library::detail {

void scan_for_extreme(const execution& where, const scan_range& range, type kind, op by) {
  with_type(kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    if constexpr (sizeof(T) >= 4) {
      using smaller = std::conditional_t<std::is_integral_v<T>, onepass::minimum, float_minimum>;
      using larger = std::conditional_t<std::is_integral_v<T>, onepass::maximum, float_maximum>;
      if (by == op::minimum) scan<T>(where, range, smaller{});
      else scan<T>(where, range, larger{});
    }
  });
}

}  // namespace onepass::library::detail
