// SPDX-License-Identifier: Apache-2.0
// A scan of one type by one operator.
#pragma once

#include <onepass/scan.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

struct scan_range {
  const void* first;
  index_t n;
  void* out;
  const void* init;  // may be null where the scan is inclusive
  bool inclusive;
};

template <class T, class Op>
void scan(const execution& where, const scan_range& range, Op by) {
  with_policy(range.inclusive ? "inclusive_scan" : "exclusive_scan", where, [&](const auto& policy) {
    const T *first = static_cast<const T*>(range.first), *last = first + range.n;
    T* out = static_cast<T*>(range.out);
    if (range.init == nullptr) onepass::inclusive_scan(policy, first, last, out, by);
    else if (range.inclusive) onepass::inclusive_scan(policy, first, last, out, value_at(out, range.init), by);
    else onepass::exclusive_scan(policy, first, last, out, value_at(out, range.init), by);
  });
}

// Minimum and maximum have a source file of their own, because they have many kernels: integers' signs count.
void scan_for_extreme(const execution& where, const scan_range& range, type kind, op by);

}  // namespace onepass::library::detail
