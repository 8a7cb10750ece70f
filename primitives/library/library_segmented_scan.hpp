// SPDX-License-Identifier: Apache-2.0
// Segmented scans by head flags or offsets. Each of the two has a source file of its own, because there are many
// kernels.
#pragma once

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

template <class Heads>
void scan_with_heads(const char* call, const execution& where, const_items first, index_t n, Heads heads, items out,
                     const void* init, op by) {
  with_values(call, where, first, static_cast<std::size_t>(n), out, init, by,
              [&](const auto& policy, auto in, auto to, auto chosen, auto... initial) {
                if constexpr (sizeof...(initial) == 0) {
                  onepass::inclusive_segmented_scan(policy, in, in + n, heads, to, chosen);
                } else {
                  onepass::exclusive_segmented_scan(policy, in, in + n, heads, to, initial..., chosen);
                }
              });
}

}  // namespace onepass::library::detail
