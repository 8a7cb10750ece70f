// SPDX-License-Identifier: Apache-2.0
// The library's sorts and argsorts of values of 8 bytes by key.
#include "library_sort.hpp"

namespace onepass::library::detail {

void sort_with_wide_values(const execution& where, items keys, std::size_t size, items values,
                           const radix_options& options) {
  sort_with_values<std::uint64_t>(where, keys, size, values, options);
}

void argsort_wide(const execution& where, const_items keys, index_t n, std::uint64_t* out,
                  const radix_options& options) {
  argsort_to<std::uint64_t>(where, keys, n, out, options);
}

}  // namespace onepass::library::detail
