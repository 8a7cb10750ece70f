// SPDX-License-Identifier: Apache-2.0
// The library's scans for minimum and maximum, but for those of floats of 16 bits.
#include "library_scan.hpp"

namespace onepass::library::detail {

void scan_for_extreme(const execution& where, const scan_range& range, type kind, op by) {
  with_type(kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    if constexpr (!onepass::detail::is_half<T>) {
      using smaller = std::conditional_t<std::is_integral_v<T>, onepass::minimum, float_minimum>;
      using larger = std::conditional_t<std::is_integral_v<T>, onepass::maximum, float_maximum>;
      if (by == op::minimum) scan<T>(where, range, smaller{});
      else scan<T>(where, range, larger{});
    }
  });
}

}  // namespace onepass::library::detail
