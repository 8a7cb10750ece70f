// SPDX-License-Identifier: Apache-2.0
// Sorts in place in little memory, from a call's arguments to a backend. Many items are sorted in pages, or by the CPU in
// vectors if they are keys for which it can; few, for which a second array is little memory, by the sorter of all other
// sorts.
#pragma once

#include <optional>

#include "cpu/cpu_paged_sort.hpp"
#include "sort_dispatch.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/little_memory/paged_sort.cuh"
#endif

namespace onepass::detail {

template <class K, class V, class Order>
class cpu_little_memory_sorter {
 public:
  cpu_little_memory_sorter(index_t n, int threads, layout& scratch)
      : n_(n), members_(cpu_sort_steps<K, V, Order>::members_for(n, threads > 0 ? threads : available_threads())) {
    if (n > most_with_second_array) {
      paged_.emplace(n, little_scratch_items(n), scratch);
      return;
    }
    add(n, most_threads(threads), scratch);
  }
  bool needs_none() const { return whole_ && whole_->needs_none(); }
  bool can_read_input() const { return false; }

  void run(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values, void* scratch) const {
    if (paged_) {
      if (!sort_in_vectors(digits, keys.primary, scratch)) paged_->run(digits, {keys.primary, values.primary}, scratch);
      return;
    }
    buffers<V> both_values{};
    if constexpr (!std::is_same_v<V, none>) both_values = {values.primary, section<V>(scratch, other_values_)};
    whole_->run(digits, {keys.primary, section<K>(scratch, other_keys_)}, both_values, scratch);
  }

 private:
  // Returns false, with nothing done, if that cannot be.
  bool sort_in_vectors(const cpu_digits<Order>& digits, K* keys, void* scratch) const {
    if constexpr (cpu_bucket_sort<K, V, Order>::takes_vectors) {
      const cpu_key_order<Order> order{digits.order, digits.flip, digits.is_whole()};
      const auto all = static_cast<typename Order::bits>(~typename Order::bits{0});
      return order.is_whole &&
             (cpu_key_reads<Order>{order}.is_sorted(keys, n_, all, members_) ||
              sort_in_place(order, keys, n_, members_, paged_->spare_keys(scratch), paged_->spare_items()));
    }
    return (void)digits, (void)keys, (void)scratch, false;
  }
  // Each thread has memory of its own. So many that the largest of these sorts takes no more than the smallest in pages, as
  // a workspace for n items serves fewer.
  int most_threads(int threads) {
    const auto most = static_cast<std::size_t>(least_scratch_items * cpu_items<K, V>::bytes);
    for (threads = threads > 0 ? threads : available_threads(); threads > 1; --threads) {
      layout trial;
      add(most_with_second_array, threads, trial);
      if (trial.bytes() <= most) break;
    }
    return threads;
  }
  void add(index_t n, int threads, layout& scratch) {
    other_keys_ = scratch.add<K>(n);
    if constexpr (!std::is_same_v<V, none>) other_values_ = scratch.add<V>(n);
    whole_.emplace(n, threads, scratch);
  }

  index_t n_;
  int members_;
  std::optional<cpu_paged_sorter<K, V, Order>> paged_;
  std::optional<cpu_sorter<K, V, Order>> whole_;
  std::size_t other_keys_ = 0, other_values_ = 0;
};

#if ONEPASS_HAS_CUDA
template <class Digits, class V>
class cuda_little_memory_sorter {
  using K = typename Digits::key;

 public:
  cuda_little_memory_sorter(const char* call, item_count size, const Digits& digits, layout& scratch) {
    const index_t n = size.most;
    if (n > most_with_second_array) {
      paged_.emplace(call, size, digits, little_scratch_items(n), scratch);
      return;
    }
    other_keys_ = scratch.add<K>(n);
    if constexpr (!std::is_same_v<V, none>) other_values_ = scratch.add<V>(n);
    whole_.emplace(call, size, digits, scratch);
  }
  std::size_t tiles() const { return 1; }  // so that a workspace for more items is enough for fewer

  template <class Values>
  void run(const buffer_route<K>& keys, const Values& values, const split_memory& memory, cudaStream_t stream) const {
    if (paged_) return paged_->run(keys.primary, values.primary, memory, stream);
    const auto both_keys = buffer_route<K>::in_place(keys.primary, section<K>(memory.scratch, other_keys_));
    if constexpr (std::is_same_v<V, none>) {
      whole_->run(both_keys, values, memory, stream);
    } else {
      const auto other = section<V>(memory.scratch, other_values_);
      whole_->run(both_keys, buffer_route<V>::in_place(values.primary, other), memory, stream);
    }
  }

 private:
  std::optional<paged_sorter<Digits, V>> paged_;
  std::optional<cuda_sorter<Digits, V>> whole_;
  std::size_t other_keys_ = 0, other_values_ = 0;
};
#endif

// As as_a_whole. The caller's array stands for the second array, too, as the sorters bring what they need.
struct in_pages {
  template <class Policy, class Order>
  static constexpr bool sorts_by = true;
  static constexpr bool moves_all = false;
  template <class Digits, class V>
  auto on_cpu(index_t n, int threads, layout& scratch) const {
    return cpu_little_memory_sorter<typename Digits::key, V, typename Digits::order_type>(n, threads, scratch);
  }
#if ONEPASS_HAS_CUDA
  template <class Digits, class V>
  auto on_cuda(const char* call, item_count size, const Digits& digits, layout& scratch) const {
    return cuda_little_memory_sorter<Digits, V>(call, size, digits, scratch);
  }
#endif
};

// Only arrays whose items a pass moves where they are can be sorted without a copy of them.
template <class Policy, class Keys>
void check_moved_in_place(const char* call, const Policy&, Keys first) {
  using T = value_of<Keys>;
  static_assert(is_contiguous<Keys>, "onepass: in little memory keys have to lie in an array");
  static_assert(sizeof(T) <= 16 && power_of_two_from(sizeof(T)) == sizeof(T),
                "onepass: in little memory keys have 1, 2, 4, 8 or 16 bytes");
  if (on_cuda<Policy> && reinterpret_cast<std::uintptr_t>(unwrap(first)) % sizeof(T) != 0)
    throw invalid_argument(call, "keys are not at an address that is a multiple of their size");
}

template <class Policy, class Keys>
void sort_keys_in_little_memory(const char* call, const Policy& policy, Keys first, index_t n,
                                const radix_options& options) {
  check_moved_in_place(call, as_policy(policy), first);
  sort_keys(call, policy, first, n, unwrap(first), natural_order_of<Keys>(), options, in_pages());
}
template <class Policy, class Keys, class Values>
void sort_pairs_in_little_memory(const char* call, const Policy& policy, Keys first, index_t n, Values values,
                                 const radix_options& options) {
  using V = value_of<Values>;
  static_assert(is_contiguous<Values>, "onepass: in little memory values have to lie in an array");
  static_assert(
      sizeof(V) <= most_moved_bytes<std::decay_t<decltype(as_policy(policy))>> && std::is_trivially_copyable_v<V>,
      "onepass: in little memory values have at most 12 bytes (32 on the CPU) that can be copied");
  check_moved_in_place(call, as_policy(policy), first);
  detail::sort_pairs(call, policy, first, n, unwrap(first), values, unwrap(values), natural_order_of<Keys>(), options,
                     in_pages());
}

}  // namespace onepass::detail
