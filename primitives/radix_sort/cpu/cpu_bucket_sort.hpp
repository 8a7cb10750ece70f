// SPDX-License-Identifier: Apache-2.0
// Sorts a bucket by one thread in the core's second-level cache, which holds the bucket twice:
//   passes   splits by digits, from the lowest up, of as many of the highest bits as are likely to tell the keys apart
//   ties     keys that agree in those bits are sorted by the bits below
// A few items are sorted by insertion instead.
#pragma once

#include <algorithm>

#include "../../../core/cpu/driver/cpu_caches.hpp"
#include "cpu_items.hpp"

namespace onepass::detail {

template <class K, class V, class Order>
class cpu_bucket_sort {
  using items = cpu_items<K, V>;
  using bucket = cpu_bucket<K, V>;
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;
  static constexpr bool has_values = items::has_values;

 public:
  // The most items that are sorted by insertion. Insertion needs no memory: 16 keys in a call without a workspace went
  // from 16.1 to 5.9 ns a key by it. Other limits were not measured.
  static constexpr index_t most_inserted = 32;
  // The most items of a bucket. Both arrays, and what else is read meanwhile, are to stay in the cache, so each array
  // has 5/16 of it. With two arrays of 1/2 of a cache of 2 MB an item of 4 bytes took 9.0 ns, with two of 1/4 it took
  // 5.2; what lies between these was not measured.
  static index_t most_items() { return static_cast<index_t>(second_level_bytes()) * 5 / 16 / items::bytes; }

  // `memory`: the second array, with room for the bucket's items. Null: the bucket's own second array serves, which
  // must then be in the cache, too.
  cpu_bucket_sort(const order& keys, void* memory) : keys_(keys), memory_(memory) {}

  void sort(const bucket& b) const {
    if (b.n <= most_inserted) return insert(b);
    // So many of the highest bits that in n random keys, n a power of two, about n / 32 pairs agree in all of them.
    // Other margins than 4 bits were not measured.
    const int wanted = std::min(floor_log2(static_cast<std::uint64_t>(b.n)) + 4, b.end - b.begin);
    // A pass costs something for each value of its digit, so digits are no wider than needed: 64 keys took 7.4 ns each
    // by 8 bits and 5.0 by 6. A pass by 9 bits takes 1.3 ns a key where one by 8 takes 1.1 and one by 10 takes 1.8, so
    // two passes by 9 bits are less than three by 8, and wider digits do not pay.
    if (wanted <= 12) sort_by<2, 6>(b);
    else if (wanted <= 16) sort_by<2, 8>(b);
    else if (wanted <= 18) sort_by<2, 9>(b);
    else sort_by<3, 8>(b);
  }
  void insert(const bucket& b) const {
    if (!b.stays) b.at.copy_to(b.other, b.n);
    const items& at = b.destination();
    const bits mask = order::between(b.begin, b.end);
    for (index_t i = 1; i < b.n; ++i) insert_item(at, i, i, mask);
  }

 private:
  static constexpr index_t line = std::max<index_t>(1, cache_line / sizeof(K));

  // Passes by the highest bits, which go to and fro between the bucket and the second array. Without `memory` the last
  // pass stores to the destination. With `memory` the destination may be in no cache: a pass straight to it took 6.6 ns
  // a key, passes in the cache and a copy past the caches 4.6. So the items are sorted in the cache, and then copied.
  template <int passes, int width>
  void sort_by(const bucket& b) const {
    const int begin = std::max(b.begin, b.end - passes * width);
    std::uint32_t next[std::size_t{passes}][std::size_t{1} << width] = {};
    count(b, begin, next);
    const items second = memory_ != nullptr ? items::in(memory_, b.n) : b.other;
    const items& destination = b.destination();
    const auto digit_of = [&](int pass) {
      const int shift = begin + pass * width, bits_of_it = std::clamp(b.end - shift, 0, width);
      return keys_.digit_at(bits_of_it > 0 ? shift : begin, bits_of_it);
    };
    bool moves[std::size_t{passes}];  // false: all keys have the same digit
    int left = 0;
    for (int pass = 0; pass < passes; ++pass) {
      moves[pass] = next[pass][digit_of(pass)(b.at.keys[0])] < b.n;
      left += moves[pass];
      std::uint32_t before = 0;
      for (std::uint32_t& count : next[pass]) before += std::exchange(count, before);
    }
    items at = b.at;
    for (int pass = 0; pass < passes; ++pass) {
      if (!moves[pass]) continue;
      const bool is_last = --left == 0 && (memory_ == nullptr || b.stays);
      const items to = is_last && at.keys != destination.keys ? destination : at.keys == second.keys ? b.at : second;
      scatter(at, to, b.n, digit_of(pass), next[pass]);
      at = to;
    }
    if (begin > b.begin) sort_ties({at, at.keys == second.keys ? b.at : second, b.n, b.begin, b.end, true}, begin);
    if (at.keys == destination.keys) return;
    if (memory_ != nullptr && !b.stays) at.stream_to(destination, b.n);
    else at.copy_to(destination, b.n);
  }

  // Counts the digits of all passes in one read of the keys. It also prefetches the keys of the buckets behind this
  // one, which gained 1.3 ns of 10 a key: the reads that follow find them in the cache.
  template <std::size_t passes, std::size_t values>
  void count(const bucket& b, int begin, std::uint32_t (&counts)[passes][values]) const {
    constexpr int width = floor_log2(values);
    const bits counted = order::low(b.end - begin);
    const auto count_one = [&](const K& key) {
      const auto digits = static_cast<std::uint64_t>(static_cast<bits>(keys_.of(key) >> begin & counted));
      for (std::size_t pass = 0; pass < passes; ++pass) ++counts[pass][digits >> (pass * width) & (values - 1)];
    };
    const K *key = b.at.keys, *const last = key + b.n;
    for (; last - key >= line; key += line) {
      prefetch_ahead(key);
      for (index_t i = 0; i < line; ++i) count_one(key[i]);
    }
    for (; key < last; ++key) count_one(*key);
  }

  static void scatter(const items& from, const items& to, index_t n, const ordered_digit<Order> digit,
                      std::uint32_t* next) {
    for (index_t i = 0; i < n; ++i) {
      const K key = from.keys[i];
      const std::uint32_t index = next[digit(key)]++;
      to.keys[index] = key;
      if constexpr (has_values) to.values[index] = from.values[i];
    }
  }

  // Sorts the ties of a bucket that is in order by the bits from `begin` on. Only keys that agree in these bits can
  // still be out of order. The result stays where the bucket is.
  void sort_ties(const bucket& b, int begin) const {
    const bits mask = order::between(b.begin, b.end), high = order::between(begin, b.end);
    const auto key = [&](index_t i) { return static_cast<bits>(keys_.of(b.at.keys[i]) & mask); };
    const auto agree = [&](index_t i, index_t k) { return ((key(i) ^ key(k)) & high) == 0; };
    const cpu_bucket_sort within(keys_, nullptr);
    for (index_t i = 1; i < b.n;) {
      if (i + line <= b.n && !keys_.descends(b.at.keys + i - 1, line, mask)) {
        i += line;
        continue;
      }
      const index_t end = std::min(i + line, b.n);
      while (i < end && key(i - 1) <= key(i)) ++i;
      if (i == end) continue;
      if (insert_item(b.at, i, most_inserted, mask)) continue;
      index_t first = i - most_inserted, last = i + 1;
      while (first > 0 && agree(first - 1, i)) --first;
      while (last < b.n && agree(last, i)) ++last;
      within.sort({b.at.from(first), b.other.from(first), last - first, b.begin, begin, true});
      i = last;
    }
  }

  // Moves item i in front of the larger items before it, past `most` of them at the most. Returns false if there may be
  // more.
  bool insert_item(const items& at, index_t i, index_t most, bits mask) const {
    const K key = at.keys[i];
    const auto own = static_cast<bits>(keys_.of(key) & mask);
    const index_t least = std::max<index_t>(0, i - most);
    index_t index = i;
    for (; index > least && static_cast<bits>(keys_.of(at.keys[index - 1]) & mask) > own; --index)
      at.keys[index] = at.keys[index - 1];
    at.keys[index] = key;
    if constexpr (has_values) {
      if (index == i) return true;
      const V value = at.values[i];
      std::copy_backward(at.values + index, at.values + i, at.values + i + 1);
      at.values[index] = value;
    }
    return index > least || index == 0;
  }

  order keys_;
  void* memory_;
};

}  // namespace onepass::detail
