// SPDX-License-Identifier: Apache-2.0
// The library's sorts by key, and the kernels of those and of argsorts whose values have 4 bytes.
#include "library_sort.hpp"

namespace onepass::library::detail {

void sort_by_key(const execution& where, items keys, std::size_t size, items values, const radix_options& options) {
  if (is_wide(values.kind)) sort_with_wide_values(where, keys, size, values, options);
  else sort_with_values<std::uint32_t>(where, keys, size, values, options);
}

void argsort_narrow(const execution& where, const_items keys, index_t n, std::uint32_t* out,
                    const radix_options& options) {
  argsort_to<std::uint32_t>(where, keys, n, out, options);
}
void argsort_widened(const execution& where, const_items keys, index_t n, std::uint64_t* out,
                     const radix_options& options) {
  argsort_to<std::uint32_t>(where, keys, n, out, options);
}

}  // namespace onepass::library::detail
