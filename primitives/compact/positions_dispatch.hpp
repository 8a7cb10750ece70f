// SPDX-License-Identifier: Apache-2.0
// The indices of flags that are true: a compaction of the numbers 0, 1, 2 and so on, which stand in no array. Bytes
// moved: n flags are read, and one index for each that is true is written.
#pragma once

#include <limits>

#include "../../core/support/accumulator.hpp"
#include "compact_dispatch.hpp"
#include "positions_rule.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/pipeline_positions.cuh"
#endif

namespace onepass::detail {

// The type of the indices: that of the output's items, if these are integers.
template <class Out>
struct index_of_output {
  using type = index_t;
};
template <class T>
struct index_of_output<T*> {
  using type = std::conditional_t<is_number<T>, T, index_t>;
};

// Returns how many flags are true, or stores it in `count`.
template <class Policy, class Flags, class Out, class Pred>
index_t find_positions(const char* call, const Policy& any_policy, Flags first, Flags last, Out out, Pred pred,
                       index_t* count) {
  using index = typename index_of_output<unwrapped<Out>>::type;
  const auto policy = as_policy(any_policy);
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  detail::check_begin(call, "[first, last)", first, n, "out", out, false);
  if (n > 0 && static_cast<std::uint64_t>(n - 1) > static_cast<std::uint64_t>(std::numeric_limits<index>::max()))
    throw invalid_argument(call, "the items of out are too small for the largest index");
  const positions_rule<index, unwrapped<Flags>, Pred> rule{{}, unwrap(first), pred};
  const bool ordered = may_overlap(first, n, out, n);
  return run_compact(call, policy, rule, n, count, layout(), [&](void*) {
    return compact_outputs<unwrapped<Out>>{unwrap(out), {}, false, ordered};
  });
}

}  // namespace onepass::detail
