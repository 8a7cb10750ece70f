// SPDX-License-Identifier: Apache-2.0
// Offsets of any integer type as signed numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include <onepass/config.hpp>

namespace onepass::detail {

// One that is too large lies behind all items, and one that is too small before them.
template <class Offset>
ONEPASS_HOST_DEVICE constexpr index_t offset_index(const Offset& offset) {
  if constexpr (!std::is_class_v<Offset>) {  // not a reference that converts to an integer
    constexpr bool is_unsigned = static_cast<Offset>(-1) > static_cast<Offset>(0);
    if constexpr (sizeof(Offset) > sizeof(index_t) || (sizeof(Offset) == sizeof(index_t) && is_unsigned)) {
      constexpr auto most = static_cast<index_t>(~std::uint64_t{0} >> 1);
      if (offset > static_cast<Offset>(most)) return most;
      if constexpr (!is_unsigned) {
        if (offset < static_cast<Offset>(-most)) return -most;
      }
    }
  }
  return static_cast<index_t>(offset);
}

}  // namespace onepass::detail
