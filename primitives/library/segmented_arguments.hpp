// SPDX-License-Identifier: Apache-2.0
// What all segmented scans of the library share: the checks, and the step to the headers' types and operators.
#pragma once

#include <onepass/segmented_scan.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

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
