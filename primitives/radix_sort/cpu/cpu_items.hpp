// SPDX-License-Identifier: Apache-2.0
// What the CPU's sort works on: arrays of keys and values, buckets of them, and the bits that keys are sorted by.
#pragma once

#include "cpu_split.hpp"

namespace onepass::detail {

// Two arrays of n items. The sort begins and ends in the first.
template <class T>
struct buffers {
  T* primary;
  T* alternate;
};

// Keys, and their values unless V is none, from some item on.
template <class K, class V>
struct cpu_items {
  static constexpr bool has_values = !std::is_same_v<V, none>;
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
  // The same, past the caches if the copy is not read soon.
  void move_to(const cpu_items& to, index_t n, bool streams) const {
    if (!streams) return copy_to(to, n);
    detail::stream_copy(to.keys, keys, static_cast<std::size_t>(n) * sizeof(K));
    if constexpr (has_values) detail::stream_copy(to.values, values, static_cast<std::size_t>(n) * sizeof(V));
  }
  // Two arrays of n items, one behind the other, in `memory` of room_for(n) bytes.
  static cpu_items in(void* memory, index_t n) {
    auto* const begin = static_cast<unsigned char*>(memory);
    return {reinterpret_cast<K*>(begin), reinterpret_cast<V*>(begin + values_at(n))};
  }
  static std::size_t room_for(index_t n) {
    return values_at(n) + (has_values ? static_cast<std::size_t>(n) * sizeof(V) : 0);
  }

 private:
  static std::size_t values_at(index_t n) { return round_up(static_cast<std::size_t>(n) * sizeof(K), alignof(V)); }
};

// n items at `at` that are to be sorted by the bits [begin, end). The result belongs to `at` if it stays, else to
// `other`. The other of the two is scratch.
template <class K, class V>
struct cpu_bucket {
  cpu_items<K, V> at, other;
  index_t n;
  int begin, end;
  bool stays;

  const cpu_items<K, V>& destination() const { return stays ? at : other; }
};

// The bits that the CPU sorts keys by. Order makes them from a key: an unsigned integer that ascends as the key does.
template <class K>
struct ordered_key {
  using key = K;
  using bits = key_bits_t<K>;
  bits operator()(const K& k) const { return ordered_bits(k); }
};
template <class Order>
struct cpu_digits {
  using order_type = Order;
  using key = typename Order::key;
  using bits = typename Order::bits;
  Order order;
  bits flip;  // the ordered bits that are inverted
  int begin_bit, end_bit;
  bool is_whole() const { return begin_bit == 0 && end_bit == static_cast<int>(8 * sizeof(bits)); }
  int positions() const { return divide_up(end_bit - begin_bit, digit_bits); }
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

constexpr int floor_log2(std::uint64_t x) { return 63 - __builtin_clzll(x); }

// A key's bits in the order of the sort, descending orders included: the ordered bits, inverted where `flip` says so.
template <class Order>
struct cpu_key_order {
  using K = typename Order::key;
  using bits = typename Order::bits;
  Order order;
  bits flip;
  bool is_whole;  // the sort is by the whole key, so that equal keys cannot be told apart, but for -0 and +0

  bits of(const K& key) const { return static_cast<bits>(order(key) ^ flip); }
  ordered_digit<Order> digit_at(int shift, int width) const {
    return {order, {shift, (1u << width) - 1, static_cast<unsigned>(flip >> shift)}};
  }
  static int highest_bit(bits x) {
    if constexpr (sizeof(bits) > 8) {
      if (const auto high = static_cast<std::uint64_t>(x >> 64)) return 64 + floor_log2(high);
    }
    return floor_log2(static_cast<std::uint64_t>(x));
  }
  static int lowest_bit(bits x) { return highest_bit(static_cast<bits>(x & (bits{0} - x))); }
  static bits low(int count) {
    return count >= static_cast<int>(8 * sizeof(bits)) ? static_cast<bits>(~bits{0})
                                                       : static_cast<bits>((bits{1} << count) - 1);
  }
  // Whether one of keys[1] to keys[n] is smaller than the key before it, by the bits of the mask.
  bool descends(const K* keys, index_t n, bits mask) const {
    bits any = 0;  // as wide as the keys, so that the compiler can vectorise the loop
    for (index_t i = 0; i < n; ++i)
      any |= static_cast<bits>(static_cast<bits>(of(keys[i]) & mask) > static_cast<bits>(of(keys[i + 1]) & mask));
    return any != 0;
  }
  static bits between(int begin, int end) { return static_cast<bits>(low(end) & ~low(begin)); }
};
}  // namespace onepass::detail
