// SPDX-License-Identifier: Apache-2.0
// The library's reductions by key, and those whose keys have 4 bytes.
#include "library_reduce.hpp"

namespace onepass::library::detail {

std::size_t reduce_by_key(const char* call, const execution& where, const_items keys, std::size_t size,
                          const_items values, items out_keys, items out_values, op by, std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "values", values.data, size);
  check_pointer(call, "out_keys", out_keys.data, size);
  check_pointer(call, "out_values", out_values.data, size);
  const auto reduce = is_narrow(keys.kind) ? reduce_narrow_keys
                      : is_wide(keys.kind) ? reduce_wide_keys
                                           : reduce_keys<std::uint32_t>;
  return reduce(call, where, keys, n, values, out_keys, out_values, by, count);
}

}  // namespace onepass::library::detail
