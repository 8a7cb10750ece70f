// SPDX-License-Identifier: Apache-2.0
// Sorts, from a call's arguments to a backend. Keys and values that do not lie in plain arrays are copied to such
// arrays, sorted there, and copied back. A sort from plain arrays to other ranges reads those arrays itself, on the CPU
// only if it splits the keys. Large items, and items that cannot be copied byte by byte, are sorted by index and
// gathered.
#pragma once

#include "../../core/support/argument_checks.hpp"
#include "cpu/cpu_sort.hpp"
#include "struct_keys/sort_by_index.hpp"
#include "gather_by_index.hpp"
#include "sort_storage.hpp"

namespace onepass::detail {

// ---- what a backend sorts by ----------------------------------------------------------------------------------------
template <class T, class Order>
constexpr int key_bits() {
  if constexpr (std::is_same_v<Order, whole_key>) return 8 * sizeof(T);
  else return 8 * static_cast<int>(key_fields<T, Order>::bytes());
}

// The options, with their bit range checked and its end filled in.
template <class T, class Order>
radix_options checked_options(const char* call, const radix_options& options) {
  constexpr int bits = key_bits<T, Order>();
  const int end = options.end_bit == -1 ? bits : options.end_bit;
  if (options.begin_bit < 0 || end > bits || options.begin_bit > end) {
    throw invalid_argument(call, "bits [" + std::to_string(options.begin_bit) + ", " + std::to_string(end) +
                                     ") are not within the key's " + std::to_string(bits));
  }
  return {options.descending, options.begin_bit, end};
}

template <class Policy, class T, class Order>
auto digits_for(const char* call, const Order& order, const radix_options& options) {
  if constexpr (std::is_same_v<Order, whole_key>) {
    using K = sort_key<T>;
    const key_digits<K> digits{options.begin_bit, options.end_bit, options.descending, is_signed_integer<T>};
    if constexpr (on_cuda<Policy>) return bits_digits<K, true>{digits};
    else return cpu_digits<ordered_key<K>>{{}, digits.flip(), options.begin_bit, options.end_bit};
  } else if constexpr (on_cuda<Policy>) {
    using key_bits = typename unsigned_of<power_of_two_from(sizeof(T))>::type;
    using fields = key_fields<T, Order>;
    using digits = field_digits<key_bits, fields::have_floats(), std::min(fields::bytes(), sizeof(key_bits))>;
    return digits(find_fields<T>(call, order), options.descending, options.begin_bit, options.end_bit);
  } else {
    using joined = joined_fields<T, Order>;
    using bits = typename joined::bits;
    const auto flip = static_cast<bits>(options.descending ? ~bits{0} : bits{0});
    return cpu_digits<joined>{{order}, flip, options.begin_bit, options.end_bit};
  }
}

// Whether a pass moves the keys themselves; otherwise it moves their indices. On CUDA a key that is moved has to be one
// integer.
template <class Policy, class T, class Order>
constexpr bool moves_keys() {
  if constexpr (std::is_same_v<Order, whole_key>) return true;
  else return is_bytes<T> && sizeof(T) <= (on_cuda<Policy> ? 16 : 32) && key_fields<T, Order>::bytes() <= 16;
}

// ---- arrays ---------------------------------------------------------------------------------------------------------
// `Parts` says which parts of an array are sorted, and so by which sorter: the whole array (as_a_whole), or each segment
// (segmented_sort_dispatch.hpp).
struct as_a_whole {
  // Whether the sorter takes keys by such an order. Otherwise keys are sorted by index.
  template <class Policy, class Order>
  static constexpr bool sorts_by = true;
  // Whether the sorter writes all items to the output when it reads them elsewhere.
  static constexpr bool moves_all = true;
  template <class Digits, class V>
  cpu_sorter<typename Digits::key, V, typename Digits::order_type> on_cpu(index_t n, int threads,
                                                                          layout& scratch) const {
    return {n, threads, scratch};
  }
#if ONEPASS_HAS_CUDA
  template <class Digits, class V>
  cuda_sorter<Digits, V> on_cuda(const char* call, item_count size, const Digits& digits, layout& scratch) const {
    return {call, size, digits, scratch};
  }
#endif
};
// Whether keys and values can both be read where they are; else both are copied to where they are sorted.
template <class Keys, class Values>
bool reads_input(const Keys& keys, const Values& values) {
  return keys.input() != nullptr && (values.input() != nullptr || !Values::needs_input);
}

template <class Policy, class Keys, class Values, class Digits, class Parts>
void sort_arrays_on_cpu(const char* call, const Policy& policy, const Keys& keys, const Values& values,
                        const Digits& digits, index_t most, layout& scratch, const Parts& parts) {
  using V = typename Values::stored;
  const index_t n = items_now(policy, most);
  const auto sorter = parts.template on_cpu<Digits, V>(n, policy.threads(), scratch);
  const bool needs_none = !keys.in_scratch() && !values.in_scratch() && sorter.needs_none() && !is_measuring(policy);
  const cpu_call_memory call_memory(call, policy, needs_none ? 0 : scratch.bytes());
  if (call_memory.measuring()) return;
  void* memory = call_memory.scratch();
  const auto all_keys = keys.in(memory);
  buffers<V> all_values{};
  if constexpr (!std::is_same_v<Values, nothing_to_move>) all_values = values.in(memory);
  if constexpr (Parts::moves_all) {
    if (digits.positions() > 0 && sorter.can_read_input() && reads_input(keys, values)) {
      sorter.run_from(keys.input(), values.input(), digits, all_keys, all_values, memory);
      keys.copy_out(call, policy, memory);
      return values.copy_out(call, policy, memory);
    }
  }
  keys.copy_in(call, policy, memory);
  values.copy_in(call, policy, memory);
  if (digits.positions() > 0) sorter.run(digits, all_keys, all_values, memory);
  keys.copy_out(call, policy, memory);
  values.copy_out(call, policy, memory);
}

#if ONEPASS_HAS_CUDA
template <class Policy, class Keys, class Values, class Digits, class Parts>
void sort_arrays_on_cuda(const char* call, const Policy& policy, const Keys& keys, const Values& values,
                         const Digits& digits, index_t n, layout& scratch, const Parts& parts) {
  using V = typename Values::stored;
  const auto sorter = parts.template on_cuda<Digits, V>(call, count_of(policy, n), digits, scratch);
  const cuda_call_memory call_memory(call, policy, {sorter.tiles(), scratch.bytes()});
  if (call_memory.measuring()) return;
  void* memory = call_memory.scratch();
  const split_memory split{memory, call_memory.tiles().head};
  const bool is_read = Parts::moves_all && digits.positions() > 0 && keys.input() != nullptr &&
                       (values.input() != nullptr || !Values::needs_input || Values::is_numbers);
  if (!is_read) {
    keys.copy_in(call, policy, memory);
    values.copy_in(call, policy, memory);
  }
  if (digits.positions() > 0) {
    const auto k = keys.in(memory);
    const buffer_route<typename Digits::key> keys_route{is_read ? keys.input() : k.primary, k.primary, k.alternate};
    if constexpr (!std::is_same_v<Values, nothing_to_move>) {
      const buffers<V> v = values.in(memory);
      const buffer_route<V> values_route{is_read ? values.input() : v.primary, v.primary, v.alternate};
      if constexpr (Values::is_numbers && !Keys::is_wanted && Parts::moves_all) {
        if (is_read) {
          sorter.run(keys_route, values_route, split, policy.stream(), {true, values.widened()});
          if (values.widened() != nullptr && sorter.always_widens()) return;
          return values.copy_out(call, policy, memory, sorter.is_narrow(memory));
        }
      }
      sorter.run(keys_route, values_route, split, policy.stream());
    } else {
      sorter.run(keys_route, no_route{}, split, policy.stream());
    }
  }
  keys.copy_out(call, policy, memory);
  values.copy_out(call, policy, memory);
}
#endif

template <class Policy, class Keys, class Values, class Digits, class Parts>
void sort_arrays(const char* call, const Policy& policy, const Keys& keys, const Values& values, const Digits& digits,
                 index_t n, layout scratch, const Parts& parts) {
  if (n == 0 || (keys.in_place() && (n < 2 || digits.positions() == 0))) return;
  if constexpr (!on_cuda<Policy>) {
    sort_arrays_on_cpu(call, policy, keys, values, digits, n, scratch, parts);
  } else {
#if ONEPASS_HAS_CUDA
    sort_arrays_on_cuda(call, policy, keys, values, digits, n, scratch, parts);
#endif
  }
}

// Larger values are sorted by index. On an H200 values of 12 bytes are faster moved, those of 16 by index. On the CPU
// 2^16 structs of 32 bytes took 0.69 ms when moved and 0.99 by index; values were not measured.
template <class Policy>
constexpr std::size_t most_moved_bytes = on_cuda<Policy> ? 12 : 32;

template <class Policy, class Keys, class Values, class Digits, class Parts>
void sort_moved_keys(const char* call, const Policy& policy, const Keys& keys, const Values& values, index_t n,
                     const Digits& digits, const Parts& parts) {
  const item_count size = count_of(policy, n);
  layout scratch;
  const sortable sortable_keys(as_stored<typename Digits::key>(), keys, size, scratch);
  if constexpr (std::is_same_v<Values, no_range>) {
    detail::sort_arrays(call, policy, sortable_keys, nothing_to_move(), digits, n, scratch, parts);
  } else {
    using V = typename Values::value;
    constexpr bool is_small = sizeof(V) <= most_moved_bytes<Policy>;
    constexpr bool are_numbers = on_cuda<Policy> && is_counting<decltype(values.in)>;
    if constexpr (is_small && !are_numbers && (on_cuda<Policy> || std::is_trivially_copyable_v<V>)) {
      const sortable sortable_values(as_stored<moved_as<Policy, V>>(), values, size, scratch);
      detail::sort_arrays(call, policy, sortable_keys, sortable_values, digits, n, scratch, parts);
    } else {
      constexpr bool is_narrow =
          are_numbers && sizeof(V) <= sizeof(std::uint32_t);  // more items wrap as their values do
      with_index_type<Policy, is_narrow>(n, [&](auto index) {
        using by_index = sortable_by_index<decltype(index), decltype(values.in), decltype(values.out)>;
        layout with_values = scratch;
        const by_index sortable_values(values, size, with_values);
        detail::sort_arrays(call, policy, sortable_keys, sortable_values, digits, n, with_values, parts);
      });
    }
  }
}

template <class Policy, class In, class Out>
void wait_for_ranges(const char* call, const Policy& policy, const sorted_range<In, Out>&, no_range) {
  wait_for_host<In, Out>(call, policy);
}
template <class Policy, class In, class Out, class Values, class ValuesOut>
void wait_for_ranges(const char* call, const Policy& policy, const sorted_range<In, Out>&,
                     const sorted_range<Values, ValuesOut>&) {
  wait_for_host<In, Out, Values, ValuesOut>(call, policy);
}

// Chooses what is moved. `values`: a sorted_range, or no_range.
template <class Policy, class In, class Out, class Values, class Order, class Parts = as_a_whole>
void sort_ranges(const char* call, const Policy& any_policy, const sorted_range<In, Out>& keys, const Values& values,
                 index_t n, const Order& order, const radix_options& asked, const Parts& parts = {}) {
  using T = value_of<In>;
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  check_backend<policy_type>();
  const radix_options options = checked_options<T, Order>(call, asked);
  const auto own_keys = for_backend<policy_type>(keys);
  const auto own_values = for_backend<policy_type>(values);
  if constexpr (moves_keys<policy_type, T, Order>() && Parts::template sorts_by<policy_type, Order>) {
    const auto digits = digits_for<policy_type, T>(call, order, options);
    sort_moved_keys(call, policy, own_keys, own_values, n, digits, parts);
  } else {
    sort_by_index<T>(call, policy, own_keys, own_values, n, order, options, parts);
  }
  wait_for_ranges(call, policy, keys, values);
}

// ---- what the calls begin with --------------------------------------------------------------------------------------
template <class Policy, class Keys, class Order, class Parts = as_a_whole>
void sort_keys(const char* call, const Policy& policy, Keys first, index_t n, value_of<Keys>* alternate,
               const Order& order, const radix_options& options, const Parts& parts = {}) {
  check_not_null(call, "keys", first, n);
  detail::sort_ranges(call, policy, sorted_in_place(first, alternate), no_range{}, n, order, options, parts);
}

template <class Policy, class Keys, class Values, class Order, class Parts = as_a_whole>
void sort_pairs(const char* call, const Policy& policy, Keys first, index_t n, value_of<Keys>* alternate_keys,
                Values values, value_of<Values>* alternate_values, const Order& order, const radix_options& options,
                const Parts& parts = {}) {
  check_not_null(call, "keys", first, n);
  check_not_null(call, "values", values, n);
  check_overlap(call, "the keys", first, n, "values", values, n, false);
  detail::sort_ranges(call, policy, sorted_in_place(first, alternate_keys), sorted_in_place(values, alternate_values),
                      n, order, options, parts);
}

template <class Policy, class In, class Out, class Order, class Parts = as_a_whole>
Out sort_keys_to(const char* call, const Policy& policy, In first, In last, Out out, const Order& order,
                 const radix_options& options, const Parts& parts = {}) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_not_null(call, "out", out, n);
  check_overlap(call, "[first, last)", first, n, "out", out, n, false);
  detail::sort_ranges(call, policy, detail::sorted_to(first, out), no_range{}, n, order, options, parts);
  return out + n;
}

template <class Policy, class In, class Values, class Out, class ValuesOut, class Order, class Parts = as_a_whole>
std::pair<Out, ValuesOut> sort_pairs_to(const char* call, const Policy& policy, In first, In last, Values values,
                                        Out out, ValuesOut values_out, const Order& order, const radix_options& options,
                                        const Parts& parts = {}) {
  const index_t n = checked_distance(call, first, last);
  check_copied_pairs(call, first, values, n, out, values_out);
  detail::sort_ranges(call, policy, detail::sorted_to(first, out), detail::sorted_to(values, values_out), n, order,
                      options, parts);
  return {out + n, values_out + n};
}

}  // namespace onepass::detail
