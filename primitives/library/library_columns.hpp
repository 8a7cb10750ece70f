// SPDX-License-Identifier: Apache-2.0
// Scans of columns. Sums, which most calls are, have a source file of their own, as have all other scans, because there
// are many kernels.
#pragma once

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

// Sums without an initial value; the arguments have been checked.
void sum_columns(const execution& where, const_items first, index_t n, const onepass::column_segments& by, items out);

}  // namespace onepass::library::detail
