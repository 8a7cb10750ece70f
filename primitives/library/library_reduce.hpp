// SPDX-License-Identifier: Apache-2.0
// Reductions by keys of one size, or of 1 or 2 bytes. Each of the three has a source file of its own, because there are
// many kernels.
#pragma once

#include <onepass/segmented_reduce.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

// The arguments have been checked.
template <class Keys, class KeysOut>
std::size_t reduce_runs(const char* call, const execution& where, Keys first, index_t n, const_items values,
                        KeysOut to_keys, items out_values, op by, std::int64_t* count) {
  const auto last = first + n;
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

// Key stands for the signed integer of its size, too.
template <class Key>
std::size_t reduce_keys(const char* call, const execution& where, const_items keys, index_t n, const_items values,
                        items out_keys, items out_values, op by, std::int64_t* count) {
  return reduce_runs(call, where, static_cast<const Key*>(keys.data), n, values, static_cast<Key*>(out_keys.data),
                     out_values, by, count);
}

std::size_t reduce_narrow_keys(const char* call, const execution& where, const_items keys, index_t n,
                               const_items values, items out_keys, items out_values, op by, std::int64_t* count);
std::size_t reduce_wide_keys(const char* call, const execution& where, const_items keys, index_t n, const_items values,
                             items out_keys, items out_values, op by, std::int64_t* count);

}  // namespace onepass::library::detail
