// SPDX-License-Identifier: Apache-2.0
// The library's selections from floats of 16 bits.
#include "library_select.hpp"

namespace onepass::library::detail {

void select_half(const execution& where, const selection_call& of) { select_keys<stored_half>(where, of); }

}  // namespace onepass::library::detail
