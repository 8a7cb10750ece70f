// SPDX-License-Identifier: Apache-2.0
// The library's selections from keys of 8 bytes.
#include "library_select.hpp"

namespace onepass::library::detail {

void select_wide(const execution& where, const selection_call& of) {
  switch (of.keys.kind) {
    case type::int64: return select_keys<std::int64_t>(where, of);
    case type::uint64: return select_keys<std::uint64_t>(where, of);
    default: return select_keys<double>(where, of);
  }
}

}  // namespace onepass::library::detail
