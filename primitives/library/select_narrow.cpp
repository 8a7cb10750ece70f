// SPDX-License-Identifier: Apache-2.0
// The library's selections from integers of 8 and 16 bits.
#include "library_select.hpp"

namespace onepass::library::detail {

void select_narrow(const execution& where, const selection_call& of) {
  with_short(of.keys.kind, [&](auto* tag) { select_keys<std::remove_pointer_t<decltype(tag)>>(where, of); });
}

}  // namespace onepass::library::detail
