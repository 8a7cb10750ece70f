// SPDX-License-Identifier: Apache-2.0
// Partition to two ranges: a compaction with an output for the kept items and one for the rejected items.
#pragma once

#include "compact_dispatch.hpp"
#include "equal_outputs.hpp"

namespace onepass::detail {

struct partition_sizes {
  index_t kept, rejected;
};

// Which output an item goes to.
template <class Rule>
struct kept_or_not {
  Rule rule;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE int operator()(index_t i) const {
    Rule r = rule;
    return r.keeps(i, static_cast<typename Rule::item>(rule.it[i])) ? 0 : 1;
  }
};

// Copies the kept items to one range and the rejected ones to another. Returns the numbers of both, or stores the
// number of kept items in `count` if that is not null.
template <class Policy, class In, class Rule, class Kept, class Rejected>
partition_sizes copy_both(const char* call, const Policy& any_policy, In first, In last, const Rule& rule, Kept kept,
                          Rejected rejected, index_t* count) {
  const auto policy = as_policy(any_policy);
  constexpr bool is_cuda = on_cuda<std::decay_t<decltype(policy)>>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_rule(call, rule, n);
  detail::check_begin(call, "[first, last)", first, n, "out_true", kept, true);
  detail::check_begin(call, "[first, last)", first, n, "out_false", rejected, true);
  check_apart(call, rule, n, "out_true", kept);
  check_apart(call, rule, n, "out_false", rejected);
  check_equal_outputs(call, policy, n, kept_or_not<Rule>{rule}, count == nullptr || !is_cuda, {"out_true", "out_false"},
                      kept, rejected);
  const bool ordered = may_overlap(first, n, kept, n) || may_overlap(first, n, rejected, n) ||
                       may_be_written(rule, n, kept) || may_be_written(rule, n, rejected);
  const index_t size = run_compact(call, policy, rule, n, count, layout(), [&](void*) {
    return compact_outputs<unwrapped<Kept>, unwrapped<Rejected>>{unwrap(kept), unwrap(rejected),
                                                                 is_in_place<!is_cuda>(first, kept), ordered};
  });
  if (is_measuring(policy)) return {0, 0};  // no item was looked at, and outputs may not have room for n items
  return {size, count == nullptr ? items_after(call, policy, n) - size : 0};
}

}  // namespace onepass::detail
