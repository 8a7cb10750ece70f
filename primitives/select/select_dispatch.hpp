// SPDX-License-Identifier: Apache-2.0
// Selections, from a call's arguments to a backend. Bytes moved: keys are read once, or not much more than once; keys and
// values of results are read again, item by item.
#pragma once

#include <onepass/top_k_options.hpp>

#include "../../core/execution/host_results.hpp"
#include "cpu/cpu_select.hpp"
#include "select_call.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/cuda_select.cuh"
#endif

namespace onepass::detail {

template <class It>
void check_selected_keys() {
  static_assert(is_radix_key<value_of<It>> && sizeof(value_of<It>) <= 8,
                "onepass: keys of a selection are integers, bool or floats of up to 64 bits");
}
inline auto unwrap_if_any(none) { return none(); }
template <class It>
auto unwrap_if_any(It it) {
  return unwrap(it);
}

// Rows, where none stands for one row with all items, also if there are none.
inline row_bounds bounds_of_rows(const char*, none, index_t n) { return {std::max<index_t>(n, 1), 1}; }
template <class Segments>
auto bounds_of_rows(const char* call, const Segments& segments, index_t n) {
  return bounds_of(call, segments, n);
}
inline void check_k(const char* call, const row_bounds& bounds, index_t k) {
  if (k > bounds.length) throw invalid_argument(call, "more is asked for than a row has items");
}
template <class Begins, class Ends>
void check_k(const char*, const segment_bounds<Begins, Ends>&, index_t) {}
template <class Out>
void check_rows_apart(const char*, none, const char*, Out, index_t) {}
template <class Segments, class Out>
void check_rows_apart(const char* call, const Segments& segments, const char* name, Out out, index_t n) {
  check_apart(call, segments, name, out, n);
}

template <class Keys, class Segments, class Out>
void check_output(const char* call, Keys first, index_t n, const Segments& segments, const char* name, Out out,
                  index_t size) {
  check_not_null(call, name, out, size);
  check_overlap(call, "[first, last)", first, n, name, out, size, false);
  check_rows_apart(call, segments, name, out, size);
}

// Throws if arguments are wrong. `size`: how many results there is room for.
template <class Keys, class Values, class Segments, class Out, class ValuesOut>
void check_selected(const char* call, Keys first, index_t n, Values values, const Segments& segments, Out out,
                    ValuesOut values_out, index_t size) {
  check_output(call, first, n, segments, "out", out, size);
  if constexpr (!std::is_same_v<Values, none>) {
    check_not_null(call, "values", values, n);
    check_output(call, first, n, segments, "values_out", values_out, size);
    check_overlap(call, "values", values, n, "out", out, size, false);
    check_overlap(call, "values", values, n, "values_out", values_out, size, false);
    check_overlap(call, "out", out, size, "values_out", values_out, size, false);
  }
}
template <class Segments, class Bounds>
index_t checked_results(const char* call, const Segments&, const Bounds& bounds, index_t n, index_t k, index_t of_row) {
  if (k < 0) throw invalid_argument(call, "k is negative");
  if (std::is_same_v<Segments, none> && k > n) throw invalid_argument(call, "k is more than there are items");
  check_k(call, bounds, k);
  // A result may need 16 bytes of scratch.
  if (of_row > 0 && bounds.count > std::numeric_limits<index_t>::max() / 16 / of_row)
    throw invalid_argument(call, "more results than one call can have");
  return bounds.count * of_row;
}

// Values and values_out: iterators, or none. Returns how many results there is room for.
template <class Policy, class Keys, class Values, class Segments, class Out, class ValuesOut>
index_t select_items(const char* call, const Policy& any_policy, Keys first, Keys last, Values values,
                     const Segments& segments, index_t k, Out out, ValuesOut values_out, selection mode,
                     bool smallest) {
  check_selected_keys<Keys>();
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  check_backend<policy_type>();
  const index_t n = checked_distance(call, first, last);
  const auto bounds = bounds_of_rows(call, segments, n);
  using call_type = select_call<unwrapped<Keys>, decltype(detail::unwrap_if_any(values)), unwrapped<Out>,
                                decltype(detail::unwrap_if_any(values_out)), std::decay_t<decltype(bounds)>>;
  if (bounds.longest(n) >= end_of_indices<typename call_type::source_type::ranked>)
    throw invalid_argument(call, "more items than one call can take");
  const index_t size = checked_results(call, segments, bounds, n, k, mode == selection::nth ? 1 : k);
  check_not_null(call, "first", first, n);
  check_selected(call, first, n, values, segments, out, values_out, size);
  if (n == 0 || size == 0) return size;
  const auto keys = unwrap(first);
  const call_type of{{keys, flip_of<value_of<Keys>>(smallest)},
                     {keys, detail::unwrap_if_any(values), unwrap(out), detail::unwrap_if_any(values_out)},
                     bounds,
                     k,
                     mode};
  if constexpr (!on_cuda<policy_type>) {
    select_on_cpu(call, policy, of, n);
  } else {
#if ONEPASS_HAS_CUDA
    select_on_cuda(call, policy, of, n);
    using parts = std::conditional_t<std::is_same_v<Segments, none>, Keys, Segments>;
    if constexpr (std::is_same_v<Values, none>) wait_for_host<Keys, parts, Out>(call, policy);
    else wait_for_host<Keys, Values, parts, Out, ValuesOut>(call, policy);
#endif
  }
  return size;
}

template <class Policy, class In, class Segments, class Out>
index_t select_nth(const char* call, const Policy& policy, In first, In last, const Segments& segments, index_t n,
                   Out out) {
  if (n < 0) throw invalid_argument(call, "n is negative");
  if (std::is_same_v<Segments, none> && n >= checked_distance(call, first, last))
    throw invalid_argument(call, "n is not below the number of items");
  const index_t rank = std::min(n, std::numeric_limits<index_t>::max() - 1) + 1;
  return select_items(call, policy, first, last, none(), segments, rank, out, none(), selection::nth, true);
}

inline selection mode_of(const top_k_options& options) {
  return options.input_order ? selection::input_order : selection::sorted;
}

}  // namespace onepass::detail
