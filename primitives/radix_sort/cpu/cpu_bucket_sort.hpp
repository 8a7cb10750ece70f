// SPDX-License-Identifier: Apache-2.0
// Sorting a pile that fits a core's second-level cache twice, by one thread: from the lowest digit up, by as many of its high
// bits as are likely to tell its keys apart. Keys that agree in those are sorted by the others. A few are sorted by insertion.
#pragma once

#include <algorithm>

#include "../../../core/cpu/driver/cpu_caches.hpp"
#include "cpu_items.hpp"

namespace onepass::detail {

template <class K, class V, class Order>
class cpu_near_sort {
  using items = cpu_items<K, V>;
  using pile = cpu_pile<K, V>;
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;
  static constexpr bool has_values = items::has_values;

 public:
  // What is sorted by insertion.
  static constexpr index_t few = 32;
  // The most items: twice as many, and what else is read meanwhile, are to stay in the cache. Twice 1/2 of a cache of 2 MB
  // took 9.0 ns an item of 4 bytes where twice 1/4 took 5.2.
  static index_t most_items() { return static_cast<index_t>(second_level_bytes()) * 5 / 16 / items::bytes; }

  // `memory`: room for as many items as the pile has, in the cache, or null where the pile's own arrays are.
  cpu_near_sort(const order& keys, void* memory) : keys_(keys), memory_(memory) {}

  void sort(const pile& p) const {
    if (p.n <= few) return insert(p);
    // So many high bits that of n random keys one in 32 meets another.
    const int wanted = std::min(floor_log2(static_cast<std::uint64_t>(p.n)) + 4, p.end - p.begin);
    if (wanted <= 12) sort_by<2, 6>(p);  // each value of a digit costs something
    else if (wanted <= 16) sort_by<2, 8>(p);
    else if (wanted <= 18) sort_by<2, 9>(p);
    else sort_by<3, 8>(p);
  }
  void insert(const pile& p) const {
    if (!p.stays) p.at.copy_to(p.other, p.n);
    const items& at = p.goal();
    const bits mask = order::between(p.begin, p.end);
    for (index_t i = 1; i < p.n; ++i) sink(at, i, i, mask);
  }

 private:
  static constexpr index_t line = std::max<index_t>(1, cache_line / sizeof(K));

  // To and fro between the pile's place and the near array, by the high digits. Without `memory` the last pass stores to where
  // the pile belongs; with it, that is in no cache, and what is in order is copied there.
  // A pass by 9 bits takes little longer than by 8, by 10 1.7 times as long.
  template <int passes, int width>
  void sort_by(const pile& p) const {
    const int begin = std::max(p.begin, p.end - passes * width);
    std::uint32_t next[std::size_t{passes}][std::size_t{1} << width] = {};
    count(p, begin, next);
    const items near = memory_ != nullptr ? items::in(memory_, p.n) : p.other;
    const items& goal = p.goal();
    const auto digit_of = [&](int pass) {
      const int shift = begin + pass * width, bits_of_it = std::clamp(p.end - shift, 0, width);
      return keys_.digit_at(bits_of_it > 0 ? shift : begin, bits_of_it);
    };
    bool moves[std::size_t{passes}];
    int left = 0;
    for (int pass = 0; pass < passes; ++pass) {
      moves[pass] = next[pass][digit_of(pass)(p.at.keys[0])] < p.n;
      left += moves[pass];
      std::uint32_t before = 0;
      for (std::uint32_t& count : next[pass]) before += std::exchange(count, before);
    }
    items at = p.at;
    for (int pass = 0; pass < passes; ++pass) {
      if (!moves[pass]) continue;
      const bool is_last = --left == 0 && (memory_ == nullptr || p.stays);
      const items to = is_last && at.keys != goal.keys ? goal : at.keys == near.keys ? p.at : near;
      scatter(at, to, p.n, digit_of(pass), next[pass]);
      at = to;
    }
    if (begin > p.begin) sort_ties({at, at.keys == near.keys ? p.at : near, p.n, p.begin, p.end, true}, begin);
    if (at.keys == goal.keys) return;
    if (memory_ != nullptr && !p.stays) at.stream_to(goal, p.n);
    else at.copy_to(goal, p.n);
  }

  template <std::size_t passes, std::size_t values>
  void count(const pile& p, int begin, std::uint32_t (&counts)[passes][values]) const {
    constexpr int width = floor_log2(values);
    const bits counted = order::low(p.end - begin);
    const auto count_one = [&](const K& key) {
      const auto b = static_cast<std::uint64_t>(static_cast<bits>(keys_.of(key) >> begin & counted));
      for (std::size_t pass = 0; pass < passes; ++pass) ++counts[pass][b >> (pass * width) & (values - 1)];
    };
    const K *key = p.at.keys, *const last = key + p.n;
    for (; last - key >= line; key += line) {
      prefetch_ahead(key);  // the piles behind this one
      for (index_t i = 0; i < line; ++i) count_one(key[i]);
    }
    for (; key < last; ++key) count_one(*key);
  }

  static void scatter(const items& from, const items& to, index_t n, const ordered_digit<Order> digit,
                      std::uint32_t* next) {
    for (index_t i = 0; i < n; ++i) {
      const K key = from.keys[i];
      const std::uint32_t position = next[digit(key)]++;
      to.keys[position] = key;
      if constexpr (has_values) to.values[position] = from.values[i];
    }
  }

  // Of a pile that is in order by the bits from `begin` on, and stays. Only keys that agree in those can still descend.
  void sort_ties(const pile& p, int begin) const {
    const bits mask = order::between(p.begin, p.end), high = order::between(begin, p.end);
    const auto key = [&](index_t i) { return static_cast<bits>(keys_.of(p.at.keys[i]) & mask); };
    const auto agree = [&](index_t i, index_t k) { return ((key(i) ^ key(k)) & high) == 0; };
    const cpu_near_sort within(keys_, nullptr);
    for (index_t i = 1; i < p.n;) {
      if (i + line <= p.n && !keys_.descends(p.at.keys + i - 1, line, mask)) {
        i += line;
        continue;
      }
      const index_t end = std::min(i + line, p.n);
      while (i < end && key(i - 1) <= key(i)) ++i;
      if (i == end) continue;
      if (sink(p.at, i, few, mask)) continue;
      index_t first = i - few, last = i + 1;
      while (first > 0 && agree(first - 1, i)) --first;
      while (last < p.n && agree(last, i)) ++last;
      within.sort({p.at.from(first), p.other.from(first), last - first, p.begin, begin, true});
      i = last;
    }
  }

  // Moves item i in front of the larger ones before it, over at most `most` of them. False: there may be more.
  bool sink(const items& at, index_t i, index_t most, bits mask) const {
    const K key = at.keys[i];
    const auto b = static_cast<bits>(keys_.of(key) & mask);
    const index_t least = std::max<index_t>(0, i - most);
    index_t position = i;
    for (; position > least && static_cast<bits>(keys_.of(at.keys[position - 1]) & mask) > b; --position)
      at.keys[position] = at.keys[position - 1];
    at.keys[position] = key;
    if constexpr (has_values) {
      if (position == i) return true;
      const V value = at.values[i];
      std::copy_backward(at.values + position, at.values + i, at.values + i + 1);
      at.values[position] = value;
    }
    return position > least || position == 0;
  }

  order keys_;
  void* memory_;
};

}  // namespace onepass::detail
