// SPDX-License-Identifier: Apache-2.0
// The library's reductions of rows.
#include <onepass/segmented_reduce.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

void segmented_reduce(const execution& where, const_items first, std::size_t size, const rows& by, items out,
                      const void* init, op chosen) {
  constexpr auto call = "segmented_reduce";
  const index_t n = checked_size(call, size);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_number_and_operator(call, first.kind, chosen, [&](auto* tag, auto apply) {
      const auto* in = as(tag, first.data);
      onepass::segmented_reduce(policy, in, in + n, onepass::rows(by.length), as(tag, out.data), value_at(tag, init),
                                apply);
    });
  });
}

}  // namespace onepass::library::detail
