// SPDX-License-Identifier: Apache-2.0
// What all segmented scans of the library share: checks, and the step to the headers' types and operators.
#pragma once

#include <onepass/segmented_scan.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

// Throws if the n items of `out` overlap the n of an input, where iterators do not show it. In place: both may begin at
// one address.
inline void check_out(const char* call, const char* name, const_items input, items out, index_t n, bool in_place) {
  onepass::detail::check_overlap(call, name, static_cast<const char*>(input.data), n * bytes_of(input.kind), "out",
                                 static_cast<const char*>(out.data), n * bytes_of(out.kind), in_place);
}

// Calls run(policy, values, out, operator), or run(policy, values, out, operator, init) if there is an initial value.
template <class Run>
void with_values(const char* call, const execution& where, const_items values, std::size_t n, items out,
                 const void* init, op by, Run run) {
  check_pointer(call, "first", values.data, n);
  check_pointer(call, "out", out.data, n);
  with_policy(call, where, [&](const auto& policy) {
    with_number_and_operator(call, values.kind, by, [&](auto* tag, auto chosen) {
      const auto* in = as(tag, values.data);
      auto* to = as(tag, out.data);
      if (init == nullptr) run(policy, in, to, chosen);
      else run(policy, in, to, chosen, value_at(tag, init));
    });
  });
}

}  // namespace onepass::library::detail
