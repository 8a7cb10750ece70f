// SPDX-License-Identifier: Apache-2.0
// The library's split, and its sort of keys alone.
#include "library_sort.hpp"

namespace onepass::library::detail {

void split(const execution& where, const_items first, std::size_t size, items out, const digit& by) {
  const index_t n = checked_items("split", where, size);
  check_pointer("split", "first", first.data, size);
  check_pointer("split", "out", out.data, size);
  with_policy("split", where, [&](const auto& policy) {
    with_unsigned(first.kind, [&](auto* tag) {
      const auto* in = as(tag, first.data);
      (void)onepass::split(policy, in, in + n, as(tag, out.data), onepass::digit{by.shift, by.bits});
    });
  });
}

void sort(const execution& where, items keys, std::size_t size, const radix_options& options) {
  const index_t n = checked_items("radix_sort", where, size);
  check_pointer("radix_sort", "keys", keys.data, size);
  with_policy("radix_sort", where, [&](const auto& policy) {
    with_key(keys.kind, [&](auto* tag) {
      auto* first = as(tag, keys.data);
      onepass::radix_sort(policy, first, first + n, options_of(options));
    });
  });
}

}  // namespace onepass::library::detail
