// SPDX-License-Identifier: Apache-2.0
// What the library's sorts share. Keys have their own type; values share the kernels of their size.
#pragma once

#include <onepass/radix_sort.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

inline onepass::radix_options options_of(const radix_options& options) {
  return {options.descending, options.begin_bit, options.end_bit};
}

template <class Value>
void sort_with_raw_values(const execution& where, items keys, std::size_t size, items values,
                          const radix_options& options) {
  constexpr auto call = "radix_sort_by_key";
  const index_t n = checked_size(call, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "values", values.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_type(keys.kind, [&](auto* tag) {
      auto* first = as(tag, keys.data);
      onepass::radix_sort_by_key(policy, first, first + n, static_cast<Value*>(values.data), options_of(options));
    });
  });
}

void sort_with_wide_values(const execution& where, items keys, std::size_t size, items values,
                           const radix_options& options);

}  // namespace onepass::library::detail
