// SPDX-License-Identifier: Apache-2.0
// A key of which the compiler forgets what it knows.
#pragma once

#include "../../support/radix_keys.hpp"

namespace onepass::detail {

// From here on the compiler assumes nothing about the value. It can no longer fold a constant; and it no longer keeps
// what it computed from a key in one step for the next step, which would take a register more for each key, and spill.
template <class KeyBits>
__device__ void hide_from_compiler(KeyBits& key_bits) {
  if constexpr (is_wide_integer<KeyBits>) {
    auto low = static_cast<std::uint64_t>(key_bits), high = static_cast<std::uint64_t>(key_bits >> 64);
    asm volatile("" : "+l"(low), "+l"(high));
    key_bits = static_cast<KeyBits>(high) << 64 | low;
  } else if constexpr (std::is_unsigned_v<KeyBits> && sizeof(KeyBits) == 8) {
    asm volatile("" : "+l"(key_bits));
  } else if constexpr (std::is_unsigned_v<KeyBits>) {
    unsigned word = key_bits;
    asm volatile("" : "+r"(word));
    key_bits = static_cast<KeyBits>(word);
  }
}

}  // namespace onepass::detail
