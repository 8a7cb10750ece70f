// SPDX-License-Identifier: Apache-2.0
// The library's scans.
#include "../include/onepass/scan.hpp"

#include "numbers.hpp"

namespace onepass::library::detail {

void inclusive_scan(const execution& where, const_items first, std::size_t size, items out, const void* init, op by) {
  const index_t n = checked_size("inclusive_scan", size);
  with_numbers("inclusive_scan", where, first, size, out, init, by,
               [n](const auto& policy, auto in, auto to, auto chosen, auto... initial) {
                 onepass::inclusive_scan(policy, in, in + n, to, initial..., chosen);
               });
}

void exclusive_scan(const execution& where, const_items first, std::size_t size, items out, const void* init, op by) {
  const index_t n = checked_size("exclusive_scan", size);
  with_numbers("exclusive_scan", where, first, size, out, init, by,
               [n](const auto& policy, auto in, auto to, auto chosen, auto... initial) {
                 if constexpr (sizeof...(initial) == 1)
                   onepass::exclusive_scan(policy, in, in + n, to, initial..., chosen);
               });
}

}  // namespace onepass::library::detail
