// SPDX-License-Identifier: Apache-2.0
// The library's scans, except those for minimum and maximum. Each operator has kernels of its own: with an operator
// that is chosen at run time a scan takes twice as long. Integers of 8 and 16 bits have them for sums and extremes alone,
// floats of 16 bits for sums.
#include "library_scan.hpp"

namespace onepass::library::detail {

namespace {

void scan_with_any(const char* call, const execution& where, const_items first, std::size_t size, items out,
                   const void* init, bool inclusive, op by) {
  const scan_range range{first.data, checked_items(call, where, size), out.data, init, inclusive};
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  with_number(first.kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    check_operator<T>(call, by);
    if (by == op::sum) return scan<T>(where, range, sum_of<T>{});
    if constexpr (!onepass::detail::is_half<T>) {
      if (by == op::minimum || by == op::maximum) return scan_for_extreme(where, range, first.kind, by);
    }
    if constexpr (sizeof(T) < 4) {
      scan<T>(where, range, any_operator_on<T>(first.kind, by));
    } else {
      if (by == op::product) return scan<T>(where, range, onepass::product{});
      if constexpr (std::is_integral_v<T>) {
        if (by == op::bit_and) scan<T>(where, range, onepass::bit_and{});
        else if (by == op::bit_or) scan<T>(where, range, onepass::bit_or{});
        else scan<T>(where, range, onepass::bit_xor{});
      }
    }
  });
}

}  // namespace

void inclusive_scan(const execution& where, const_items first, std::size_t n, items out, const void* init, op by) {
  scan_with_any("inclusive_scan", where, first, n, out, init, true, by);
}

void exclusive_scan(const execution& where, const_items first, std::size_t n, items out, const void* init, op by) {
  scan_with_any("exclusive_scan", where, first, n, out, init, false, by);
}

}  // namespace onepass::library::detail
