// SPDX-License-Identifier: Apache-2.0
// The library's reductions by keys of 8 bytes.
#include "library_reduce.hpp"

namespace onepass::library::detail {

std::size_t reduce_wide_keys(const char* call, const execution& where, const_items keys, index_t n, const_items values,
                             items out_keys, items out_values, op by, std::int64_t* count) {
  return reduce_keys<std::uint64_t>(call, where, keys, n, values, out_keys, out_values, by, count);
}

}  // namespace onepass::library::detail
