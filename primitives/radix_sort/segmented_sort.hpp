// SPDX-License-Identifier: Apache-2.0
// A segmented sort as the calls see it: a sort (run.hpp) of each segment in the place of one of the whole range.
#pragma once

#include "cpu_segmented_sort.hpp"
#include "run.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda_segmented_sort.cuh"
#endif

namespace onepass::detail {

template <class K>
constexpr bool is_segmented_key = is_radix_key<K> && sizeof(K) <= 8;

// What of an array is sorted: each segment by itself.
template <class Bounds>
struct by_segments {
  Bounds bounds;

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

template <class Policy, class Keys, class Segments>
void sort_segments(const char* call, const Policy& policy, Keys first, index_t n, value_of<Keys>* alternate,
                   const Segments& segments, const radix_options& options) {
  const auto bounds = bounds_of(call, segments);
  check_apart(call, segments, "the keys", first, n);
  sort_keys(call, policy, first, n, alternate, whole_key{}, options,
            by_segments<std::decay_t<decltype(bounds)>>{bounds});
}

template <class Policy, class Keys, class Values, class Segments>
void sort_segments_of_pairs(const char* call, const Policy& policy, Keys first, index_t n,
                            value_of<Keys>* alternate_keys, Values values, value_of<Values>* alternate_values,
                            const Segments& segments, const radix_options& options) {
  const auto bounds = bounds_of(call, segments);
  check_apart(call, segments, "the keys", first, n);
  check_apart(call, segments, "values", values, n);
  sort_pairs(call, policy, first, n, alternate_keys, values, alternate_values, whole_key{}, options,
             by_segments<std::decay_t<decltype(bounds)>>{bounds});
}

}  // namespace onepass::detail
