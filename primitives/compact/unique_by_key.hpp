// SPDX-License-Identifier: Apache-2.0
// The first key of each run, with its value. A key and its value are one item of a zipped range.
#pragma once

#include "../../core/support/equal_to.hpp"
#include "../../core/support/argument_checks.hpp"
#include "compact_dispatch.hpp"

namespace onepass::detail {

template <class A, class B>
auto zipped(A a, B b) {
  return thrust::make_zip_iterator(thrust::make_tuple(unwrap(a), unwrap(b)));
}

template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal>
index_t copy_first_pairs(const char* call, const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                         ValuesOut out_values, Equal equal, index_t* count, bool same_range = false) {
  const index_t n = checked_distance(call, first, last), one = n > 0 ? 1 : 0;
  const char* const out_values_name = same_range ? "values" : "out_values";
  check_not_null(call, "first", first, n);
  check_not_null(call, "values", values, n);
  check_not_null(call, "out_keys", out_keys, n);
  check_not_null(call, out_values_name, out_values, n);
  detail::check_begin(call, "[first, last)", first, n, "out_keys", out_keys, true);
  detail::check_begin(call, "[first, last)", first, n, out_values_name, out_values, false);
  detail::check_begin(call, "values", values, n, "out_keys", out_keys, false);
  detail::check_begin(call, "values", values, n, out_values_name, out_values, true);
  check_overlap(call, "out_keys", out_keys, one, out_values_name, out_values, one, false);
  check_runs_apart(call, first, n, "out_keys", out_keys, sizeof(value_of<Keys>) + sizeof(value_of<Values>));
  const auto in = detail::zipped(first, values);
  return detail::copy_kept(call, policy, in, in + n, detail::by_first_of_run(in, equal_keys<Equal>{equal}),
                           detail::zipped(out_keys, out_values), count, same_range);
}
template <class Policy, class Keys, class Values, class Equal>
index_t keep_first_pairs_in_place(const char* call, const Policy& policy, Keys first, Keys last, Values values,
                                  Equal equal, index_t* count) {
  return copy_first_pairs(call, policy, first, last, values, first, values, equal, count, true);
}

}  // namespace onepass::detail
