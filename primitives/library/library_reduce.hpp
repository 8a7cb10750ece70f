// SPDX-License-Identifier: Apache-2.0
// Reductions by keys of one size. Each size has a source file of its own, because there are many kernels.
#pragma once

#include <onepass/segmented_reduce.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

// Key stands for the signed integer of its size, too.
template <class Key>
std::size_t reduce_keys(const char* call, const execution& where, const_items keys, std::size_t size,
                        const_items values, items out_keys, items out_values, op by, std::int64_t* count) {
  const index_t n = checked_size(call, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "values", values.data, size);
  check_pointer(call, "out_keys", out_keys.data, size);
  check_pointer(call, "out_values", out_values.data, size);
  const auto *first = static_cast<const Key*>(keys.data), *last = first + n;
  auto* const to_keys = static_cast<Key*>(out_keys.data);
  const onepass::detail::equal_to equal{};
  return with_policy(call, where, [&](const auto& policy) {
    return with_number_and_operator(call, values.kind, by, [&](auto* tag, auto chosen) -> std::size_t {
      const auto* in = as(tag, values.data);
      auto* to = as(tag, out_values.data);
      if (count != nullptr) {
        onepass::reduce_by_key_async(policy, first, last, in, to_keys, to, equal, chosen, count);
        return 0;
      }
      const auto ends = onepass::reduce_by_key(policy, first, last, in, to_keys, to, equal, chosen);
      return static_cast<std::size_t>(ends.first - to_keys);
    });
  });
}

std::size_t reduce_wide_keys(const char* call, const execution& where, const_items keys, std::size_t size,
                             const_items values, items out_keys, items out_values, op by, std::int64_t* count);

}  // namespace onepass::library::detail
