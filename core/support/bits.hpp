// SPDX-License-Identifier: Apache-2.0
// Reads flags that are packed in words (onepass/flags.hpp).
#pragma once

#include <onepass/flags.hpp>

namespace onepass::detail {

// Returns `count` bits from bit i on, the first as the lowest. The bits above them are arbitrary. `count` is 32 at
// most. Reads no word that contains none of these bits.
ONEPASS_HOST_DEVICE inline std::uint32_t bits_from(const std::uint32_t* words, index_t i, int count) {
  const auto shift = static_cast<unsigned>(i % 32);
  std::uint64_t both = words[i / 32];
  if (shift + static_cast<unsigned>(count) > 32) both |= std::uint64_t{words[i / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(both >> shift);
}

}  // namespace onepass::detail
