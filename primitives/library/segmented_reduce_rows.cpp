// SPDX-License-Identifier: Apache-2.0
// The library's reductions of rows.
#include <onepass/segmented_reduce.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

void segmented_reduce(const execution& where, const_items first, std::size_t size, const rows& by, items out,
                      const void* init, op chosen) {
  constexpr auto call = "segmented_reduce";
  const index_t room = checked_size(call, size), n = items_of(where, room);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_number_and_operator(call, first.kind, chosen, [&](auto* tag, auto apply) {
      const auto* in = as(tag, first.data);
      auto* const to = as(tag, out.data);
      onepass::segmented_reduce(policy, in, in + n, onepass::rows(by.length), to, value_at(tag, init), apply);
      // On CUDA that has written these, too, as there n is the room.
      for (index_t row = onepass::detail::row_count(onepass::rows(by.length), n),
                   rows = onepass::detail::row_count(onepass::rows(by.length), room);
           row < rows; ++row)
        to[row] = value_at(tag, init);
    });
  });
}

}  // namespace onepass::library::detail
