// SPDX-License-Identifier: Apache-2.0
// Segmented sorts: what sort_dispatch.hpp does for a whole array, done for each segment of it.
#pragma once

#include "../../core/support/argument_checks.hpp"
#include "cpu/cpu_segmented_sort.hpp"
#include "sort_dispatch.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/segmented/cuda_segmented_sort.cuh"
#endif

namespace onepass::detail {

// The part of an array that a sort takes as one (sort_dispatch.hpp): here each segment.
template <class Bounds>
struct by_segments {
  Bounds bounds;

  // On CUDA segments are also sorted by comparisons, not only by digits, so their order has to be the whole key's.
  template <class Policy, class Order>
  static constexpr bool sorts_by = !detail::on_cuda<Policy> || std::is_same_v<Order, whole_key>;

  // Items outside of all segments, and segments of one item, stay where they are.
  static constexpr bool moves_all = false;

  template <class Digits, class V>
  cpu_segmented_sorter<typename Digits::key, V, typename Digits::order_type, Bounds> on_cpu(index_t n, int threads,
                                                                                            layout& scratch) const {
    return {n, threads, bounds, scratch};
  }
#if ONEPASS_HAS_CUDA
  template <class Digits, class V>
  cuda_segmented_sorter<typename Digits::key, V, Bounds> on_cuda(const char* call, item_count size,
                                                                 const Digits& digits, layout& scratch) const {
    return {call, size, digits, bounds, scratch};
  }
#endif
};

template <class Segments>
auto by_segments_of(const char* call, const Segments& segments, index_t n) {
  const auto bounds = bounds_of(call, segments, n);
  return by_segments<std::decay_t<decltype(bounds)>>{bounds};
}
// The sort of all items waits for the other ranges.
template <class Segments, class Policy>
void wait_for_segments(const char* call, const Policy& policy) {
  wait_for_host<Segments>(call, as_policy(policy));
}

// Throws if segments overlap an array that the call writes. `alternate`: the second one of a double buffer, or null.
template <class Segments, class It>
void check_segments_apart(const char* call, const Segments& segments, const char* name, It first,
                          value_of<It>* alternate, index_t n) {
  check_apart(call, segments, name, first, n);
  if (alternate != nullptr) check_apart(call, segments, "the second array of a double buffer", alternate, n);
}

template <class Policy, class Keys, class Segments, class Order>
void sort_segments(const char* call, const Policy& policy, Keys first, index_t n, value_of<Keys>* alternate,
                   const Segments& segments, const Order& order, const radix_options& options) {
  const auto parts = by_segments_of(call, segments, n);
  check_segments_apart(call, segments, "the keys", first, alternate, n);
  sort_keys(call, policy, first, n, alternate, order, options, parts);
  wait_for_segments<Segments>(call, policy);
}

template <class Policy, class Keys, class Values, class Segments, class Order>
void sort_segments_of_pairs(const char* call, const Policy& policy, Keys first, index_t n,
                            value_of<Keys>* alternate_keys, Values values, value_of<Values>* alternate_values,
                            const Segments& segments, const Order& order, const radix_options& options) {
  const auto parts = by_segments_of(call, segments, n);
  check_segments_apart(call, segments, "the keys", first, alternate_keys, n);
  check_segments_apart(call, segments, "values", values, alternate_values, n);
  detail::sort_pairs(call, policy, first, n, alternate_keys, values, alternate_values, order, options, parts);
  wait_for_segments<Segments>(call, policy);
}

// The same, to other ranges.
template <class Policy, class In, class Out, class Segments, class Order>
Out sort_segments_to(const char* call, const Policy& policy, In first, In last, Out out, const Segments& segments,
                     const Order& order, const radix_options& options) {
  const index_t n = checked_distance(call, first, last);
  const auto parts = by_segments_of(call, segments, n);
  check_apart(call, segments, "out", out, n);
  const Out end = sort_keys_to(call, policy, first, last, out, order, options, parts);
  wait_for_segments<Segments>(call, policy);
  return end;
}

template <class Policy, class In, class Values, class Out, class ValuesOut, class Segments, class Order>
std::pair<Out, ValuesOut> sort_segments_of_pairs_to(const char* call, const Policy& policy, In first, In last,
                                                    Values values, Out out, ValuesOut values_out,
                                                    const Segments& segments, const Order& order,
                                                    const radix_options& options) {
  const index_t n = checked_distance(call, first, last);
  const auto parts = by_segments_of(call, segments, n);
  check_apart(call, segments, "out", out, n);
  check_apart(call, segments, "values_out", values_out, n);
  const auto ends = sort_pairs_to(call, policy, first, last, values, out, values_out, order, options, parts);
  wait_for_segments<Segments>(call, policy);
  return ends;
}

}  // namespace onepass::detail
