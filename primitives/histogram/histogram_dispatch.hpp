// SPDX-License-Identifier: Apache-2.0
// Histograms, from a call's arguments to a backend. Bytes moved: items, and weights where there are any, are read once; counts
// are written once.
#pragma once

#include "../../core/execution/host_results.hpp"
#include "../../core/segments/segment_bounds.hpp"
#include "cpu/cpu_histogram.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/cuda_histogram.cuh"
#endif

namespace onepass::detail {

// The unsigned integer that counts are added up as: on CUDA one of those that atomic additions take.
template <class Policy, class Count>
using counted_as = std::conditional_t<!on_cuda<Policy>, std::make_unsigned_t<Count>,
                                      std::conditional_t<sizeof(Count) == 4, unsigned, unsigned long long>>;

template <class Counts>
void check_counts() {
  using count = value_of<Counts>;
  static_assert(is_contiguous<Counts>, "onepass: the counts of a histogram are an array");
  static_assert(std::is_integral_v<count> && (sizeof(count) == 4 || sizeof(count) == 8),
                "onepass: the counts of a histogram are integers of 4 or 8 bytes, as sums of floats would depend on "
                "their order");
}
template <class Weights>
void check_weights(const char* call, Weights weights, index_t n) {
  if constexpr (!std::is_same_v<Weights, none>) {
    static_assert(std::is_integral_v<value_of<Weights>>,
                  "onepass: weights of a histogram are integers, as sums of floats would depend on their order");
    check_not_null(call, "weights", weights, n);
  }
}
// Throws if counting all items could overflow a count.
template <class Count>
void check_range_of_counts(const char* call, index_t n) {
  if (static_cast<std::uint64_t>(n) > static_cast<std::uint64_t>(std::numeric_limits<Count>::max()))
    throw invalid_argument(call, "the counts' type is too small for that many items");
}

template <class Bins, class Out>
void check_bins_apart(const char*, const Bins&, const char*, Out, index_t) {}
template <class It, class Out>
void check_bins_apart(const char* call, const bins_between_edges<It>& bins, const char* name, Out counts,
                      index_t size) {
  check_overlap(call, "the edges", bins.begin, static_cast<index_t>(bins.end - bins.begin), name, counts, size, false);
}

inline auto unwrap_weights(none) { return none(); }
template <class It>
auto unwrap_weights(It it) {
  return unwrap(it);
}

// The rows that are counted by themselves: none stands for one row with all items, also if there are none.
inline index_t counted_rows(const char*, none, index_t) { return 1; }
inline index_t counted_rows(const char* call, const row_segments& rows, index_t n) {
  check_rows(call, rows);
  return row_count(rows, n);
}
inline index_t counted_length(none, index_t n) { return n; }
inline index_t counted_length(const row_segments& rows, index_t n) { return std::min(rows.length, n); }

// Weights: an iterator, or none. Returns the end of the counts.
template <class Policy, class In, class Weights, class Rows, class Bins, class Counts>
Counts count_bins(const char* call, const Policy& any_policy, In first, In last, Weights weights, const Rows& segments,
                  const Bins& bins, Counts counts) {
  check_counts<Counts>();
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  using count = counted_as<policy_type, value_of<Counts>>;
  check_backend<policy_type>();
  const index_t n = checked_distance(call, first, last), bin_size = bin_count(call, bins);
  const index_t rows = counted_rows(call, segments, n), length = counted_length(segments, n);
  check_not_null(call, "first", first, n);
  check_weights(call, weights, n);
  if (rows > std::numeric_limits<index_t>::max() / bin_size)
    throw invalid_argument(call, "more counts than one call can make");
  const index_t size = rows * bin_size;
  constexpr bool weighs = !std::is_same_v<Weights, none>;
  const char* const name = weighs ? "sums" : "counts";
  check_not_null(call, name, counts, size);
  check_overlap(call, "[first, last)", first, n, name, counts, size, false);
  if constexpr (weighs) check_overlap(call, "the weights", weights, n, name, counts, size, false);
  else check_range_of_counts<value_of<Counts>>(call, length);
  check_bins_apart(call, bins, name, counts, size);
  with_finder<value_of<In>>(call, bins, [&](auto finder) {
    using call_type = histogram_call<unwrapped<In>, decltype(unwrap_weights(weights)), decltype(finder), count>;
    if (rows == 0) return;
    auto* const to = reinterpret_cast<count*>(thrust::raw_pointer_cast(unwrap(counts)));
    const call_type of{unwrap(first), unwrap_weights(weights), finder, to, static_cast<std::uint32_t>(bin_size), rows,
                       length};
    if constexpr (!on_cuda<policy_type>) {
      histogram_on_cpu(call, policy, of, n);
    } else {
#if ONEPASS_HAS_CUDA
      histogram_on_cuda(call, policy, of, n);
      wait_for_host<In, std::conditional_t<weighs, Weights, In>, Bins, Counts>(call, policy);
#endif
    }
  });
  return counts + size;
}

}  // namespace onepass::detail
