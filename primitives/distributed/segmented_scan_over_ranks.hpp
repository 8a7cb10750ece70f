// SPDX-License-Identifier: Apache-2.0
// A segmented scan across ranks. What travels is the combination of a rank's last segment. A rank whose first segment
// began on an earlier one scans this segment by itself, from the carry on, and the others like any segments. Bytes
// moved: those of the rank's own segmented scan. The items of its last segment are read once more, and so are the heads
// of the first and the last segment.
#pragma once

#include "rank_segments.hpp"
#include "scan_over_ranks.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/segmented_scan_on_cuda_ranks.cuh"
#endif

namespace onepass::detail {

// [first, last) says how many items there are: the values or the keys. The segments' own scan checks most arguments.
template <class Comm, class Policy, class Range, class It, class Segments, class Out, class Init, class Op>
Out segmented_scan_on_cpu_ranks(const char* call, Comm& comm, const Policy& any_policy, Range first, Range last,
                                It values, Segments segments, Out out, Init init, Op op) {
  constexpr bool inclusive = std::is_same_v<Init, none>;
  using value = scanned_type<inclusive, Op, Init, value_of<It>, unwrapped<Out>>;
  rank_call<Comm> ranks(comm, call);
  rank_scan<inclusive, value, It, Out, Op> first_segment{call, values, 0, out, op, {}};
  std::unique_ptr<workspace> memory;
  const auto ends = ranks.gather([&] {
    segments.policy = rank_policy<Comm>(call, any_policy);
    segments.n = first_segment.n = rank_size(call, any_policy, first, last);
    segments.check(call, out);
    memory = memory_for(segments.policy, [&](const cpu_policy& p) {
      segments.scan(p, 0, values, out, init, op);
      first_segment(p);
    });
    return end_of_segments<value>(segments, values, op);
  });
  ranks.template finish<may_throw<Op, value> || Segments::may_fail>([&] {
    const auto continues = [&](const auto& a, const auto& b) { return segments.continues(a, b); };
    const auto carry = carry_of_segments<value, typename Segments::key>(ends, ranks.rank(), continues, op);
    const cpu_policy policy = segments.policy.with(*memory);
    index_t begin = 0;  // of the first segment that begins on this rank
    if (carry) {
      begin = first_segment.n = segments.first_head();
      if constexpr (inclusive) first_segment.carry.emplace(*carry);
      else first_segment.carry.emplace(static_cast<value>(op(static_cast<value>(init), *carry)));
      first_segment(policy);
    }
    if (begin < segments.n) segments.scan(policy, begin, values, out, init, op);
  });
  return out + (last - first);
}

template <class Comm, class Policy, class Range, class It, class Segments, class Out, class Init, class Op>
Out segmented_scan_over_ranks(const char* call, Comm& comm, const Policy& policy, Range first, Range last, It values,
                              const Segments& segments, Out out, Init init, Op op) {
  check_memory<Comm, Policy>();
  if constexpr (!is_on_cuda<Comm>) {
    return segmented_scan_on_cpu_ranks(call, comm, policy, first, last, values, segments, out, init, op);
  } else {
#if ONEPASS_HAS_CUDA
    return segmented_scan_on_cuda_ranks(call, comm, policy, first, last, values, segments, out, init, op);
#endif
  }
}

}  // namespace onepass::detail
