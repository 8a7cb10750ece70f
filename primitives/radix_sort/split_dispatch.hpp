// SPDX-License-Identifier: Apache-2.0
// The split by a predicate or by a digit of the caller's, on the policy's backend.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include "../../core/support/argument_checks.hpp"
#include "keys/split_digits.hpp"
#include "sort_dispatch.hpp"

namespace onepass::detail {

// Returns where digit 1 starts in the output, and stores it in `border` unless that is null.
template <class Policy, class In, class Digits, class Out>
index_t split_on_cpu(const char* call, const Policy& policy, In first, index_t most, Digits digits, Out out,
                     index_t* border) {
  using split = cpu_split<digit_values, decltype(digits.at(0)), unwrapped<In>, unwrapped<Out>>;
  const index_t n = items_now(policy, most);
  // Each thread has at least 64 KB: two threads are faster than one from 128 KB on.
  const index_t threads = policy.threads() > 0 ? policy.threads() : available_threads();
  const index_t bytes = n * index_t{sizeof(value_of<In>)};
  const auto members = static_cast<int>(std::max<index_t>(1, std::min<index_t>(threads, bytes >> 16)));
  const bool streams = pays_to_stream(static_cast<std::size_t>(bytes));
  layout scratch;
  const std::size_t counts = scratch.add<typename split::counts>(parts_of(members));
  const std::size_t gathered = scratch.add<char>(streams ? members * index_t{split::member_bytes} : 0);
  const cpu_call_memory call_memory(call, policy, scratch.bytes());
  if (call_memory.measuring()) return 0;
  const index_t ones = split{digits.at(0), unwrap(first), unwrap(out), {}, {}, n, streams}.run(
      members, section<typename split::counts>(call_memory.scratch(), counts), parts_of(members),
      section<char>(call_memory.scratch(), gathered), split::member_bytes)[1];
  if (border != nullptr) *border = ones;
  return ones;
}

#if ONEPASS_HAS_CUDA
// Items of so many bytes that not every device has room for a tile of them: the pass moves their indices. The digit is that of
// the item, and what stores an index copies the item.
template <class T>
constexpr bool splits_by_index = split_tuning<sizeof(T), 0>::shared_of_small > room_everywhere;

template <class In, class Digits>
struct digits_by_index {
  In in;
  Digits of;
  ONEPASS_HOST_DEVICE int positions() const { return of.positions(); }
  ONEPASS_HOST_DEVICE auto at(int position) const {
    return digits_by_index<In, decltype(of.at(position))>{in, of.at(position)};
  }
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE unsigned operator()(index_t i) {
    const value_of<In> item = in[i];
    return of(item);
  }
};
template <class In, class Out>
struct copy_item {
  In in;
  Out out;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE void operator()(index_t to, index_t from) const { out[to] = in[from]; }
};

template <class Policy, class In, class Digits, class Out>
index_t split_on_cuda(const char* call, const Policy& policy, In first, index_t n, Digits digits, Out out,
                      bool wants_border, index_t* border) {
  const bool waits = wants_border && border == nullptr;
  layout scratch;
  const cuda_split<value_of<In>, none> split(call, count_of(policy, n), 1, scratch);
  if (waits && !is_measuring(policy)) check_may_wait(call, policy);
  const cuda_call_memory call_memory(call, policy, {1, scratch.bytes()});
  if (call_memory.measuring()) return 0;
  if (n == 0) {
    if (border != nullptr) check_cuda(call, cudaMemsetAsync(border, 0, sizeof *border, policy.stream()));
    return 0;
  }
  const item_digits<value_of<In>, Digits> key_bits{digits};
  split.histogram(unwrap(first), key_bits, plan_rules{}, {call_memory.scratch(), call_memory.tiles().head},
                  policy.stream());
  split.template pass<none>(0, key_bits, fixed_route<unwrapped<In>, unwrapped<Out>>{unwrap(first), unwrap(out)},
                            no_route{}, plan_rules{}, call_memory.scratch(), policy.stream());
  const auto* ones = reinterpret_cast<const index_t*>(&split.plan(call_memory.scratch())->count[0][1]);
  if (border != nullptr) {
    check_cuda(call, cudaMemcpyAsync(border, ones, sizeof *border, cudaMemcpyDefault, policy.stream()));
  }
  index_t result = 0;
  if (waits) read_counts(call, policy, ones, &result, 1);
  return result;
}

template <class Policy, class In, class Digits, class Out>
index_t split_by_index(const char* call, const Policy& policy, In first, index_t n, Digits digits, Out out,
                       bool wants_border, index_t* border) {
  return detail::split_on_cuda(
      call, policy, thrust::counting_iterator<index_t>(0), n, digits_by_index<In, Digits>{first, digits},
      thrust::make_tabulate_output_iterator(copy_item<In, Out>{first, out}), wants_border, border);
}
#endif

// If `wants_border`, stores in `border` where digit 1 starts in the output, or, if `border` is null, waits and returns
// it.
template <class Policy, class In, class Digits, class Out>
index_t split_by(const char* call, const Policy& any_policy, In first, In last, Digits digits, Out out,
                 [[maybe_unused]] bool wants_border, index_t* border) {
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  check_backend<policy_type>();
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, n);
  check_overlap(call, "[first, last)", first, n, "out", out, n, false);
  check_not_size(call, policy, border);
  if constexpr (!on_cuda<policy_type>) {
    return split_on_cpu(call, policy, first, n, digits, out, border);
  } else {
#if ONEPASS_HAS_CUDA
    index_t result;
    if constexpr (splits_by_index<value_of<In>>)
      result = split_by_index(call, policy, unwrap(first), n, digits, unwrap(out), wants_border, border);
    else result = split_on_cuda(call, policy, first, n, digits, out, wants_border, border);
    if (!wants_border) wait_for_host<In, Out>(call, policy);
    return result;
#else
    return 0;
#endif
  }
}

inline integer_digit checked_digit(const char* call, const digit& d, int key_bits) {
  if (d.bits < 1 || d.bits > digit_bits || d.shift < 0 || d.shift > key_bits - d.bits) {
    throw invalid_argument(call, "a digit of " + std::to_string(d.bits) + " bits at bit " + std::to_string(d.shift) +
                                     " is not 1 to 8 bits within the key's " + std::to_string(key_bits));
  }
  return {d.shift, (1u << d.bits) - 1};
}

}  // namespace onepass::detail
