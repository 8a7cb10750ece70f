// SPDX-License-Identifier: Apache-2.0
// Whole integers of 8 and 16 bits without values are counted, and written again in the order of the sort: one read and one
// write.
#pragma once

#include <algorithm>
#include <cstring>

#include "../../../core/cpu/driver/thread_team.hpp"
#include "cpu_items.hpp"

namespace onepass::detail {

// Whether such keys may be counted.
template <class K, class V, class Order>
constexpr bool cpu_may_count() {
  return is_integer_key<K> && sizeof(K) <= 2 && std::is_same_v<V, none> && std::is_same_v<Order, ordered_key<K>>;
}

template <class K>
class cpu_counting_sort {
  using word = key_bits_t<K>;
  using count = std::uint32_t;
  static constexpr index_t keys = index_t{1} << 8 * sizeof(K);
  // Of a part's counters: an addition need not wait for the one before it.
  static constexpr index_t copies = sizeof(K) == 1 ? 4 : 1;
  static constexpr index_t most_counted = ~count{0};  // in one part

 public:
  // For fewer, splits take less time. (The limit of 8 bits was not measured.)
  static constexpr index_t least_keys = sizeof(K) == 1 ? 256 : index_t{1} << 19;

  // keys_out may be keys_in. memory: room for n keys.
  template <class Order>
  static void run(const K* keys_in, K* keys_out, index_t n, const cpu_key_order<Order>& order, int members,
                  void* memory) {
    const index_t parts = parts_of(n, members);
    count few[sizeof(K) == 1 ? static_cast<std::size_t>(keys * copies) : 1];
    count* counters = few;
    if (sizeof(K) > 1 || parts > 1) {  // they take a quarter of the memory at most
      const auto address = round_up(reinterpret_cast<std::uintptr_t>(memory), std::uintptr_t{cache_line});
      counters = reinterpret_cast<count*>(address);
    }
    const int team = static_cast<int>(std::min<index_t>(parts, members));
    const auto begin_of = [&](index_t part) { return n / parts * part + std::min(part, n % parts); };
    share_out(team, parts, [&](index_t part, int) {
      count_keys(keys_in + begin_of(part), begin_of(part + 1) - begin_of(part), counters + part * keys * copies);
    });
    share_out(team, parts, [&](index_t part, int) {
      const index_t first = begin_of(part), last = begin_of(part + 1);
      index_t begin = 0;  // of a key's run in the output
      for (index_t k = 0; k < keys && begin < last; ++k) {
        // The order inverts some bits, and nothing else, so it is its own inverse.
        const auto bits = static_cast<index_t>(order.of(key_of(k)));
        index_t end = begin;
        for (index_t p = 0; p < parts; ++p) end += counters[p * keys * copies + bits];
        const index_t from = std::max(begin, first), to = std::min(end, last);
        if (from < to) std::fill(keys_out + from, keys_out + to, key_of(bits));
        begin = end;
      }
    });
  }

 private:
  static index_t parts_of(index_t n, int members) {
    const index_t useful = n / std::max(index_t{1} << 16, 16 * keys);  // not measured
    return std::max(std::clamp<index_t>(useful, 1, members), divide_up(n, most_counted));
  }
  static K key_of(index_t bits) {
    const auto own = static_cast<word>(bits);
    K key;
    std::memcpy(static_cast<void*>(&key), &own, sizeof key);
    return key;
  }
  // The first of the copies gets all counts.
  static void count_keys(const K* first, index_t n, count* counters) {
    std::fill_n(counters, keys * copies, count{0});
    constexpr index_t a_load = 8 / sizeof(K);
    index_t i = 0;
    for (std::uint64_t load; i + a_load <= n; i += a_load) {
      std::memcpy(&load, static_cast<const void*>(first + i), sizeof load);
      for (index_t k = 0; k < a_load; ++k)
        ++counters[k % copies * keys + static_cast<word>(load >> 8 * sizeof(K) * static_cast<std::size_t>(k))];
    }
    for (; i < n; ++i) {
      word own;
      std::memcpy(&own, static_cast<const void*>(first + i), sizeof own);
      ++counters[own];
    }
    for (index_t k = 0; k < keys; ++k) {
      for (index_t c = 1; c < copies; ++c) counters[k] += counters[c * keys + k];
    }
  }
};

}  // namespace onepass::detail
