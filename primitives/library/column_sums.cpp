// SPDX-License-Identifier: Apache-2.0
// The library's sums of columns.
#include "library_columns.hpp"

namespace onepass::library::detail {

void sum_columns(const execution& where, const_items first, index_t n, const onepass::column_segments& by, items out) {
  with_policy("inclusive_segmented_scan", where, [&](const auto& policy) {
    with_number(first.kind, [&](auto* tag) {
      const auto* in = as(tag, first.data);
      onepass::inclusive_segmented_scan(policy, in, in + n, by, as(tag, out.data), sum{});
    });
  });
}

}  // namespace onepass::library::detail
