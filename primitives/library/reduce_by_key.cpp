// SPDX-License-Identifier: Apache-2.0
// The library's reductions by key, and those whose keys have 4 bytes.
#include "library_reduce.hpp"

namespace onepass::library::detail {

std::size_t reduce_by_key(const char* call, const execution& where, const_items keys, std::size_t size,
                          const_items values, items out_keys, items out_values, op by, std::int64_t* count) {
  const auto reduce = is_wide(keys.kind) ? reduce_wide_keys : reduce_keys<std::uint32_t>;
  return reduce(call, where, keys, size, values, out_keys, out_values, by, count);
}

}  // namespace onepass::library::detail
