// SPDX-License-Identifier: Apache-2.0
// What all scans of the library have in common: the checks, and the step to the types and operators of the headers.
#pragma once

#include "dispatch.hpp"

namespace onepass::library::detail {

// Calls run(policy, first, out, operator, init...), with `init` where there is one. Sums have kernels of their own, as
// they are what scans are mostly for; all other operators share one.
template <class Run>
void with_numbers(const char* call, const execution& where, const_items first, std::size_t n, items out,
                  const void* init, op by, Run run) {
  check_pointer(call, "first", first.data, n);
  check_pointer(call, "out", out.data, n);
  with_policy(call, where, [&](const auto& policy) {
    with_number(first.kind, [&](auto* tag) {
      const auto any = checked_operator<std::remove_pointer_t<decltype(tag)>>(call, by, first.kind);
      const auto* in = as(tag, first.data);
      auto* to = as(tag, out.data);
      const auto with_operator = [&](auto chosen) {
        if (init == nullptr) run(policy, in, to, chosen);
        else run(policy, in, to, chosen, value_at(tag, init));
      };
      if (by == op::sum) with_operator(sum{});
      else with_operator(any);
    });
  });
}

}  // namespace onepass::library::detail
