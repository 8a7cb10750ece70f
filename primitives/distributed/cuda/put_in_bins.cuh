// SPDX-License-Identifier: Apache-2.0
// Bins of keys on a GPU: a bin has the keys with one value of the top digit. A sample says whether they spread the keys
// well; then one pass of the sort puts a rank's items in their order.
#pragma once

#include <onepass/radix_sort.hpp>

#include "../bin_groups.hpp"
#include "../key_prefixes.hpp"

namespace onepass::detail {

constexpr int bins_of_keys = digit_values;
constexpr int sampled_for_bins = 8192, sample_bins_threads = 1024;  // not measured

// counts[b]: how many of some keys, evenly spaced, are in bin b. By one block.
template <class In, class Order>
__global__ void __launch_bounds__(sample_bins_threads)
    sample_bins_kernel(const In first, index_t n, const Order order, int shift, std::uint32_t* counts) {
  __shared__ std::uint32_t found[bins_of_keys];
  wait_for_previous_kernel();
  const int t = static_cast<int>(threadIdx.x);
  if (t < bins_of_keys) found[t] = 0;
  __syncthreads();  // the counters are zero
  const int sampled = static_cast<int>(min(n, index_t{sampled_for_bins}));
  for (int i = t; i < sampled; i += sample_bins_threads) {
    const value_of<In> key = first[n / sampled * i];
    atomicAdd(found + static_cast<unsigned>(order.of(key) >> shift), 1u);
  }
  __syncthreads();  // all keys are counted
  if (t < bins_of_keys) counts[t] = found[t];
}
// What a bin of such a sample counts for: its keys stand for all n.
inline index_t keys_of_sample(std::uint32_t count, index_t n) {
  return n == 0 ? 0 : count * (n / std::min(n, index_t{sampled_for_bins}));
}

// A sort by the bits [begin_bit, end_bit) of the keys, which are some of those that `options` names. Without values the
// order of keys that are equal in these bits is free, if no bit outside of them is kept in order for the caller.
template <class K>
bits_digits<sort_key<K>, true> digits_of_bits(const radix_options& options, int begin_bit, int end_bit,
                                              bool has_values) {
  const bool is_whole = options.begin_bit == 0 && options.end_bit == static_cast<int>(8 * sizeof(K));
  return {{begin_bit, end_bit, options.descending, is_signed_integer<K>, is_whole && !has_values, true}};
}

// Puts n items in the order of their bins. `values`: a sorted_range, or no_range.
template <class In, class K, class Values>
void put_in_bins(const char* call, const cuda_policy& policy, In first, K* keys, const Values& values, index_t n,
                 const radix_options& options) {
  const auto digits =
      digits_of_bits<K>(options, options.end_bit - digit_bits, options.end_bit, !std::is_same_v<Values, no_range>);
  sort_moved_keys(call, policy, sorted_range<In, K*>{first, keys, false}, values, n, digits, as_a_whole{});
}

}  // namespace onepass::detail
