// SPDX-License-Identifier: Apache-2.0
// The sorted order of keys: a sort of the keys to nowhere, with values that count.
#pragma once

#include <limits>

#include "sort_dispatch.hpp"

namespace onepass::detail {

template <class Policy, class In, class Indices, class Order>
Indices sort_indices(const char* call, const Policy& policy, In first, In last, Indices indices, const Order& order,
                     const radix_options& options) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "indices", indices, n);
  check_overlap(call, "[first, last)", first, n, "indices", indices, n, false);
  using written = value_of<Indices>;
  using index = std::conditional_t<std::is_integral_v<written>, written, index_t>;
  if (n > 0 && static_cast<std::uint64_t>(n - 1) > static_cast<std::uint64_t>(std::numeric_limits<index>::max()))
    throw invalid_argument(call, "indices have too few bits to count the keys");
  const sorted_range<In, thrust::discard_iterator<>> keys{first, thrust::discard_iterator<>(), false};
  const sorted_range<thrust::counting_iterator<index>, Indices> numbers{thrust::counting_iterator<index>(0), indices,
                                                                        false};
  detail::sort_ranges(call, policy, keys, numbers, n, order, options);
  return indices + n;
}

}  // namespace onepass::detail
