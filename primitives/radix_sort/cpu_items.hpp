// SPDX-License-Identifier: Apache-2.0
// What the CPU's sort works on: arrays of keys and values, and the bits that it sorts keys by.
#pragma once

#include "cpu_split.hpp"

namespace onepass::detail {

// Two arrays of n; the sort ends in the first.
template <class T>
struct buffers {
  T* primary;
  T* alternate;
};

// Keys and their values (V = cpu_no_value: none) from some item on.
template <class K, class V>
struct cpu_items {
  static constexpr bool has_values = !std::is_same_v<V, cpu_no_value>;
  static constexpr index_t bytes = sizeof(K) + (has_values ? sizeof(V) : 0);
  K* keys;
  V* values;

  cpu_items from(index_t i) const {
    if constexpr (has_values) return {keys + i, values + i};
    else return {keys + i, nullptr};
  }
  void copy_to(const cpu_items& to, index_t n) const {
    std::copy(keys, keys + n, to.keys);
    if constexpr (has_values) std::copy(values, values + n, to.values);
  }
};

// What the CPU sorts keys by: the bits that Order gives of a key, in which it ascends as an unsigned integer.
template <class K>
struct ordered_key {
  using key = K;
  using bits = held_bits<K>;
  bits operator()(const K& key) const { return ordered_bits(key); }
};
template <class Order>
struct cpu_digits {
  using order_type = Order;
  using key = typename Order::key;
  using bits = typename Order::bits;
  Order order;
  bits flip;  // of ordered bits
  int begin_bit, end_bit;
  int places() const { return divide_up(end_bit - begin_bit, digit_bits); }
};
template <class Order>
struct ordered_digit {
  Order order;
  key_digit digit;
  template <class K>
  unsigned operator()(const K& key) const {
    return digit.of(order(key));
  }
};

}  // namespace onepass::detail
