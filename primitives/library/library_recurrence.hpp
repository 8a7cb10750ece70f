// SPDX-License-Identifier: Apache-2.0
// Linear recurrences. Rows and columns have a source file each.
#pragma once

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

// The recurrence along rows; the arguments have been checked.
void recur_in_rows(const execution& where, const_items a, const_items b, index_t n, index_t length, items out,
                   const recurrence_options& options);

}  // namespace onepass::library::detail
