// SPDX-License-Identifier: Apache-2.0
// What all segmented scans of the library share: the checks, and the step to the headers' types and operators.
#pragma once

#include <onepass/segmented_scan.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

// Any operator of the enumeration, chosen at run time, so that all operators share one kernel. On an H200 a maximum by
// key takes 1.3 to 1.4 times as long as with a kernel of its own; a plain scan would take twice as long.
template <class T>
struct any_operator {
  op by;
  bool is_signed;  // T is an unsigned integer that stands for a signed one
  ONEPASS_HOST_DEVICE T operator()(T a, T b) const {
    switch (by) {
      case op::sum: return a + b;
      case op::product: return a * b;
      case op::minimum: return less(b, a) ? b : a;
      case op::maximum: return less(a, b) ? b : a;
      default: return bitwise(a, b);
    }
  }

 private:
  ONEPASS_HOST_DEVICE bool less(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      const T sign = is_signed ? T(1) << (8 * sizeof(T) - 1) : T(0);
      return (a ^ sign) < (b ^ sign);
    } else {
      return a < b;
    }
  }
  ONEPASS_HOST_DEVICE T bitwise(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return by == op::bit_and ? a & b : by == op::bit_or ? a | b : a ^ b;
    } else {
      return a;  // never called: check_operator refuses it
    }
  }
};

// Calls run(policy, values, out, operator), or run(policy, values, out, operator, init) if there is an initial value.
// Sums have kernels of their own, because most of these scans are sums; all other operators share one.
template <class Run>
void with_values(const char* call, const execution& where, const_items values, std::size_t n, items out,
                 const void* init, op by, Run run) {
  check_pointer(call, "first", values.data, n);
  check_pointer(call, "out", out.data, n);
  with_policy(call, where, [&](const auto& policy) {
    with_number(values.kind, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      check_operator<T>(call, by);
      const auto* in = as(tag, values.data);
      auto* to = as(tag, out.data);
      const auto with_operator = [&](auto chosen) {
        if (init == nullptr) run(policy, in, to, chosen);
        else run(policy, in, to, chosen, value_at(tag, init));
      };
      if (by == op::sum) with_operator(sum{});
      else with_operator(any_operator<T>{by, values.kind == type::int32 || values.kind == type::int64});
    });
  });
}

}  // namespace onepass::library::detail
