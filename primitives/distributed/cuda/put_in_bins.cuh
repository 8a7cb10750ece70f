// SPDX-License-Identifier: Apache-2.0
// Bins of keys on a GPU: a bin has the keys with one value of the top digit. A sample says whether they spread the keys
// well; then one pass of the sort puts a rank's items in their order.
#pragma once

#include <optional>

#include <onepass/radix_sort.hpp>

#include "../../../core/exchange/cuda_rank.cuh"
#include "../bin_groups.hpp"
#include "../key_prefixes.hpp"
#include "carried_gather.cuh"

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

// Puts a rank's n items in the order of their bins, in two steps: it counts the keys, and moves the items. While these
// move, ranks tell each other their counts. V: what moves with the keys, or none.
template <class T, class V>
class bins_pass {
  using K = sort_key<T>;

 public:
  // Takes all memory.
  bins_pass(const char* call, const cuda_policy& policy, index_t n, const radix_options& options)
      : call_(call),
        stream_(policy.stream()),
        n_(n),
        digits_(digits_of_bits<T>(options, options.end_bit - digit_bits, options.end_bit, stored_size<V> != 0)),
        is_counted_(call),
        is_in_order_(call) {
    layout all;
    head_ = all.add<control>(1);
    split_.emplace(call, count_of(policy, n), 1, all);
    memory_.emplace(call, all.bytes(), stream_);
  }

  // Enqueues the counts. The host's memory gets where each bin begins.
  void count(const T* keys, std::uint64_t* begins) const {
    if (n_ > 0) {
      check_cuda(call_, cudaMemsetAsync(memory_->get(), 0, sizeof(control), stream_));
      split_->histogram(bits_of(keys), digits_, rules(), memory(), stream_);
      check_cuda(call_, cudaMemcpyAsync(begins, split_->plan(memory_->get())->count[0], bins_of_keys * sizeof *begins,
                                        cudaMemcpyDefault, stream_));
    }
    is_counted_.record(call_, stream_);
  }
  // Enqueues the pass, behind that.
  void move(const T* keys, const V* values, T* keys_to, V* values_to) const {
    const buffer_route<K> route{bits_of(keys), bits_of(keys_to), nullptr};
    const auto run = [&](const auto& with) {
      if (n_ > 0) split_->template pass<atomic_ranking>(0, digits_, route, with, rules(), memory_->get(), stream_);
    };
    if constexpr (stored_size<V> == 0) run(no_route());
    else run(detail::ending_in(buffer_route<V>{values, values_to, nullptr}, {}));
    is_in_order_.record(call_, stream_);
  }
  // Turns what count() has stored to numbers of keys.
  void to_counts(std::uint64_t* begins) const {
    for (std::size_t b = 0; b < bins_of_keys; ++b) {
      const std::uint64_t end = b + 1 < bins_of_keys ? begins[b + 1] : static_cast<std::uint64_t>(n_);
      begins[b] = n_ == 0 ? 0 : end - begins[b];
    }
  }

  const cuda_event& is_counted() const { return is_counted_; }
  const cuda_event& is_in_order() const { return is_in_order_; }

 private:
  static const K* bits_of(const T* keys) { return reinterpret_cast<const K*>(keys); }
  static K* bits_of(T* keys) { return reinterpret_cast<K*>(keys); }
  plan_rules rules() const {
    return {true, false, rule_of_atomics<V>(digits_), left_open::nothing, false, split_->buckets()};
  }
  split_memory memory() const { return {memory_->get(), section<control>(memory_->get(), head_)}; }

  const char* call_;
  stream_t stream_;
  index_t n_;
  bits_digits<K, true> digits_;
  std::optional<cuda_split<K, V>> split_;
  std::size_t head_ = 0;
  std::optional<device_block> memory_;
  cuda_event is_counted_, is_in_order_;
};

}  // namespace onepass::detail
