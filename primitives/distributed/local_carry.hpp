// SPDX-License-Identifier: Apache-2.0
// What local scans across ranks share on all backends: the checks of their ranges, and how a carry is stored.
#pragma once

#include <cuda/std/optional>

#include <onepass/rank_carry.hpp>

#include "../../core/support/argument_checks.hpp"
#include "../../core/support/construct.hpp"

namespace onepass::detail {

template <class In, class Out, class T>
void check_local_scan(const char* call, In first, index_t n, Out out, distributed::rank_carry<T>* carry) {
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, n);
  check_not_null(call, "carry", carry, 1);
  check_overlap(call, "[first, last)", first, n, "out", out, n, true);
  check_overlap(call, "[first, last)", first, n, "carry", carry, 1, false);
  check_overlap(call, "out", out, n, "carry", carry, 1, false);
}

template <class T>
ONEPASS_HOST_DEVICE void store_carry(const ::cuda::std::optional<T>& value, distributed::rank_carry<T>* carry) {
  carry->exists = value.has_value();
  if (value) detail::construct(object_address(carry->value), *value);
}

}  // namespace onepass::detail
