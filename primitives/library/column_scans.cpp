// SPDX-License-Identifier: Apache-2.0
// The library's scans of columns by other operators than sums, and exclusive ones. These share a kernel for all operators.
#include "library_columns.hpp"

namespace onepass::library::detail {

void segmented_scan(const char* call, const execution& where, const_items first, std::size_t size, const columns& by,
                    items out, const void* init, op chosen) {
  const index_t n = checked_size(call, size);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  const onepass::column_segments shape = onepass::columns(by.width, by.height);
  if (init == nullptr && chosen == op::sum) return sum_columns(where, first, n, shape, out);
  with_policy(call, where, [&](const auto& policy) {
    with_number(first.kind, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      check_operator<T>(call, chosen);
      const auto any = any_operator_on<T>(first.kind, chosen);
      const auto *in = as(tag, first.data), *end = in + n;
      if (init == nullptr) onepass::inclusive_segmented_scan(policy, in, end, shape, as(tag, out.data), any);
      else onepass::exclusive_segmented_scan(policy, in, end, shape, as(tag, out.data), value_at(tag, init), any);
    });
  });
}

}  // namespace onepass::library::detail
