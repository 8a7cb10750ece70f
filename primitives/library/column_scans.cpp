// SPDX-License-Identifier: Apache-2.0
// The library's scans of columns by other operators than sums, and exclusive ones, and their kernels for items of 32 and
// 64 bits. These share a kernel for all operators.
#include "library_columns.hpp"

namespace onepass::library::detail {

void segmented_scan(const char* call, const execution& where, const_items first, std::size_t size, const columns& by,
                    items out, const void* init, op chosen) {
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  const onepass::column_segments shape = onepass::columns(by.width, by.height);
  if (init == nullptr && chosen == op::sum) return sum_columns(where, first, n, shape, out);
  const column_scan scan{call, first, n, shape, out, init, chosen};
  with_number(first.kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    if constexpr (sizeof(T) < 4) scan_narrow_columns(where, scan);
    else scan_columns<T>(where, scan);
  });
}

}  // namespace onepass::library::detail
