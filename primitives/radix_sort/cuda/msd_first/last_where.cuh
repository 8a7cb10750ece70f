// SPDX-License-Identifier: Apache-2.0
// A binary search from inside a run to one of its ends.
#pragma once

namespace onepass::detail {

// Searches from `from`, where `is` holds, towards `to`, where it does not, and returns the last index where it holds. In
// between it changes only once.
template <class Index, class Is>
__device__ Index last_where(Is is, Index from, Index to) {
  while (from + 1 != to && from - 1 != to) {
    const Index middle = from + (to - from) / 2;
    (is(middle) ? from : to) = middle;
  }
  return from;
}

}  // namespace onepass::detail
