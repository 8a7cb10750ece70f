// SPDX-License-Identifier: Apache-2.0
// The library's sums from the last item to the first, of all items or of rows: the gradients of sums.
#include <thrust/iterator/reverse_iterator.h>

#include <onepass/scan.hpp>

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

void reverse_sum(const execution& where, const_items first, std::size_t size, const rows& by, items out) {
  constexpr auto call = "reverse_sum";
  const index_t n = checked_size(call, size);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  onepass::detail::check_rows(call, onepass::rows(by.length));
  if (n > 0 && by.length < n && n % by.length != 0) throw invalid_argument(call, "the last row is not whole");
  check_out(call, "first", first, out, n, true);
  with_policy(call, where, [&](const auto& policy) {
    with_number(first.kind, [&](auto* tag) {
      const auto from = thrust::make_reverse_iterator(as(tag, first.data) + n);
      const auto to = thrust::make_reverse_iterator(as(tag, out.data) + n);
      if (by.length >= n) onepass::inclusive_scan(policy, from, from + n, to, sum{});
      else onepass::inclusive_segmented_scan(policy, from, from + n, onepass::rows(by.length), to, sum{});
    });
  });
}

}  // namespace onepass::library::detail
