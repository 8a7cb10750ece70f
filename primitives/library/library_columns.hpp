// SPDX-License-Identifier: Apache-2.0
// Scans of columns. Sums, which most calls are, have a source file of their own, and so have other scans of items of up to
// 16 bits, because there are many kernels.
#pragma once

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

// Sums without an initial value; the arguments have been checked.
void sum_columns(const execution& where, const_items first, index_t n, const onepass::column_segments& by, items out);

// A scan by any operator; the pointers have been checked.
struct column_scan {
  const char* call;
  const_items first;
  index_t n;
  onepass::column_segments by;
  items out;
  const void* init;  // null: inclusive
  op chosen;
};

// T is the type of items.
template <class T>
void scan_columns(const execution& where, const column_scan& of) {
  with_policy(of.call, where, [&](const auto& policy) {
    check_operator<T>(of.call, of.chosen);
    const auto any = any_operator_on<T>(of.first.kind, of.chosen);
    const T *in = static_cast<const T*>(of.first.data), *end = in + of.n;
    T* const to = static_cast<T*>(of.out.data);
    if (of.init == nullptr) onepass::inclusive_segmented_scan(policy, in, end, of.by, to, any);
    else onepass::exclusive_segmented_scan(policy, in, end, of.by, to, value_at(to, of.init), any);
  });
}

void scan_narrow_columns(const execution& where, const column_scan& of);

}  // namespace onepass::library::detail
