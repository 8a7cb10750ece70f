// SPDX-License-Identifier: Apache-2.0
// Sort and split as the calls see them: bring keys and values into plain arrays where they are not, sort those, bring them
// back. Large values, and such as cannot be copied bit by bit, are sorted by index and gathered.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include "../../core/count.hpp"
#include "../../core/run_scan.hpp"
#include "cpu_sort.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda_run.cuh"
#endif

namespace onepass::detail {

template <class K>
key_digits<sort_key<K>> checked_digits(const char* call, const radix_options& options) {
  constexpr int bits = 8 * sizeof(K);
  const int end = options.end_bit == -1 ? bits : options.end_bit;
  if (options.begin_bit < 0 || end > bits || options.begin_bit > end) {
    throw invalid_argument(call, "bits [" + std::to_string(options.begin_bit) + ", " + std::to_string(end) +
                                     ") are not within the key's " + std::to_string(bits));
  }
  return {options.begin_bit, end, options.descending, is_signed_integer<K>};
}

// ---- both ---------------------------------------------------------------------------------------------------------------
template <class Policy, class To, class From>
void copy_all(const char* call, const Policy& policy, To to, From from, index_t n) {
  if constexpr (!on_cuda<Policy>) {
    (void)call, (void)policy;
    for (index_t i = 0; i < n; ++i) to[i] = from[i];
  } else {
#if ONEPASS_HAS_CUDA
    launch_copy(call, to, from, item_count{n, nullptr}, nullptr, policy.stream());
#endif
  }
}

// A range of the caller as an array that a sort can work on: itself where it is one, else a copy in scratch. And a second
// array of the same size, unless the caller has given one.
template <class It>
class sortable {
 public:
  using T = value_of<It>;

  sortable(It first, index_t n, T* alternate, layout& scratch) : first_(unwrap(first)), n_(n), alternate_(alternate) {
    if (!direct) copy_ = scratch.add<T>(n);
    if (alternate_ == nullptr) other_ = scratch.add<T>(n);
  }
  buffers<T> in(void* scratch) const {
    T* other = alternate_ != nullptr ? alternate_ : section<T>(scratch, other_);
    if constexpr (direct) return {first_, other};
    else return {section<T>(scratch, copy_), other};
  }
  template <class Policy>
  void copy_in(const char* call, const Policy& policy, void* scratch) const {
    if constexpr (!direct) copy_all(call, policy, section<T>(scratch, copy_), first_, n_);
  }
  template <class Policy>
  void copy_out(const char* call, const Policy& policy, void* scratch) const {
    if constexpr (!direct) copy_all(call, policy, first_, section<T>(scratch, copy_), n_);
  }

 private:
  static constexpr bool direct = std::is_pointer_v<unwrapped<It>>;
  unwrapped<It> first_;
  index_t n_;
  T* alternate_;
  std::size_t copy_ = 0, other_ = 0;
};

// Values that are too large to be moved in every pass, or that cannot be copied bit by bit: what is sorted is their
// indices; in the end each value is moved once to a buffer and once back.
template <class It>
class sortable_by_index {
 public:
  using T = index_t;

  sortable_by_index(It first, index_t n, value_of<It>*, layout& scratch)
      : first_(unwrap(first)),
        n_(n),
        primary_(scratch.add<T>(n)),
        alternate_(scratch.add<T>(n)),
        gathered_(scratch.add<value_of<It>>(n)) {}
  buffers<T> in(void* scratch) const { return {section<T>(scratch, primary_), section<T>(scratch, alternate_)}; }
  template <class Policy>
  void copy_in(const char* call, const Policy& policy, void* scratch) const {
    copy_all(call, policy, section<T>(scratch, primary_), thrust::counting_iterator<T>(0), n_);
  }
  template <class Policy>
  void copy_out(const char* call, const Policy& policy, void* scratch) const {
    const T* order = section<T>(scratch, primary_);
    auto* gathered = section<value_of<It>>(scratch, gathered_);
    if constexpr (!on_cuda<Policy>) {
      (void)call, (void)policy;
      for (index_t i = 0; i < n_; ++i) new (static_cast<void*>(gathered + i)) value_of<It>(std::move(first_[order[i]]));
      for (index_t i = 0; i < n_; ++i) first_[i] = std::move(gathered[i]);
      std::destroy(gathered, gathered + n_);
    } else {
      copy_all(call, policy, gathered, thrust::make_permutation_iterator(first_, order), n_);
      copy_all(call, policy, first_, static_cast<const value_of<It>*>(gathered), n_);
    }
  }

 private:
  unwrapped<It> first_;
  index_t n_;
  std::size_t primary_, alternate_, gathered_;
};

template <class Policy, class It>
using sortable_values =
    std::conditional_t<(sizeof(value_of<It>) > 32) || (!on_cuda<Policy> && !std::is_trivially_copyable_v<value_of<It>>),
                       sortable_by_index<It>, sortable<It>>;

// No values: nothing to bring.
struct nothing_to_move {
#if ONEPASS_HAS_CUDA
  using T = no_value;
#else
  using T = cpu_no_value;
#endif
  template <class Policy>
  void copy_in(const char*, const Policy&, void*) const {}
  template <class Policy>
  void copy_out(const char*, const Policy&, void*) const {}
};

template <class Policy, class Keys, class Values>
void sort_ranges(const char* call, const Policy& policy, const Keys& keys, const Values& values, index_t n,
                 key_digits<sort_key<typename Keys::T>> digits, layout scratch) {
  using K = sort_key<typename Keys::T>;
  constexpr bool has_values = !std::is_same_v<Values, nothing_to_move>;
  const auto keys_in = [&](void* memory) {
    const auto k = keys.in(memory);
    return buffers<K>{reinterpret_cast<K*>(k.primary), reinterpret_cast<K*>(k.alternate)};
  };
  if constexpr (!on_cuda<Policy>) {
    using V = std::conditional_t<has_values, typename Values::T, cpu_no_value>;
    n = items_now(policy, n);
    const cpu_sorter<K, V> sorter(n, policy.threads(), scratch);
    const cpu_lease lease(call, policy, scratch.bytes());
    if (lease.measuring() || n < 2 || digits.places() == 0) return;
    void* memory = lease.scratch();
    keys.copy_in(call, policy, memory);
    values.copy_in(call, policy, memory);
    if constexpr (has_values) sorter.run(digits, keys_in(memory), values.in(memory), memory);
    else sorter.run(digits, keys_in(memory), {}, memory);
    keys.copy_out(call, policy, memory);
    values.copy_out(call, policy, memory);
  } else {
#if ONEPASS_HAS_CUDA
    using V = std::conditional_t<has_values, typename Values::T, no_value>;
    const cuda_sorter<K, V> sorter(call, count_of(policy, n), {digits}, scratch);
    if (n < 2 || digits.places() == 0) return;
    const cuda_lease lease(call, policy, {sorter.tiles(), scratch.bytes()});
    if (lease.measuring()) return;
    void* memory = lease.scratch();
    keys.copy_in(call, policy, memory);
    values.copy_in(call, policy, memory);
    const buffers<K> k = keys_in(memory);
    const buffer_route<K> keys_route{k.primary, k.alternate};
    if constexpr (has_values) {
      const buffers<V> v = values.in(memory);
      sorter.run(keys_route, buffer_route<V>{v.primary, v.alternate}, {memory, lease.tiles().head}, policy.stream());
    } else {
      sorter.run(keys_route, no_route{}, {memory, lease.tiles().head}, policy.stream());
    }
    keys.copy_out(call, policy, memory);
    values.copy_out(call, policy, memory);
#endif
  }
}

template <class Policy, class Keys>
void sort_keys(const char* call, const Policy& any_policy, Keys first, index_t n, value_of<Keys>* alternate,
               const radix_options& options) {
  const auto policy = as_policy(any_policy);
  check_backend<std::decay_t<decltype(policy)>>();
  check_not_null(call, "keys", first, n);
  const auto digits = checked_digits<value_of<Keys>>(call, options);
  layout scratch;
  const sortable<Keys> keys(first, n, alternate, scratch);
  sort_ranges(call, policy, keys, nothing_to_move{}, n, digits, scratch);
}

template <class Policy, class Keys, class Values>
void sort_pairs(const char* call, const Policy& any_policy, Keys first, index_t n, value_of<Keys>* alternate_keys,
                Values values_first, value_of<Values>* alternate_values, const radix_options& options) {
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  check_backend<policy_type>();
  check_not_null(call, "keys", first, n);
  check_not_null(call, "values", values_first, n);
  check_overlap(call, "the keys", first, n, "values", values_first, n, false);
  const auto digits = checked_digits<value_of<Keys>>(call, options);
  layout scratch;
  const sortable<Keys> keys(first, n, alternate_keys, scratch);
  const sortable_values<policy_type, Values> values(values_first, n, alternate_values, scratch);
  sort_ranges(call, policy, keys, values, n, digits, scratch);
}

}  // namespace onepass::detail
