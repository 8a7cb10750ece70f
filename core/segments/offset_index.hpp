// SPDX-License-Identifier: Apache-2.0
// Offsets of any integer type as signed numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include <onepass/config.hpp>

namespace onepass::detail {

// One of 2^63 or more lies behind all items, as it does where it is unsigned.
template <class Offset>
ONEPASS_HOST_DEVICE constexpr index_t offset_index(const Offset& offset) {
  constexpr auto most = static_cast<index_t>(~std::uint64_t{0} >> 1);
  if constexpr (std::is_unsigned_v<Offset> && sizeof(Offset) >= sizeof(index_t)) {
    return offset > static_cast<Offset>(most) ? most : static_cast<index_t>(offset);
  } else {
    return static_cast<index_t>(offset);
  }
}

}  // namespace onepass::detail
