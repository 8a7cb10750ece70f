// SPDX-License-Identifier: Apache-2.0
// The CPU's radix sort. Items are split by their highest digit first, by all threads together; then each pile is one
// thread's. A pile that is too large for a near cache is split again; one that fits is sorted there from the lowest digit up,
// by as many of its high bits as are likely to tell its keys apart, and keys that agree in those are sorted by the others.
// Bits in which all keys of a pile agree are left out. So memory is read and written once or twice for keys of any width.
//
// Items go to and fro between two arrays. All steps are stable, so the sort is.
//
// Source: P. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort" (1993), for piles.
#pragma once

#include "../../core/segments.hpp"
#include "../../core/workspace.hpp"
#include "cpu_items.hpp"

namespace onepass::detail {

template <class K, class V, class Order = ordered_key<K>>
class cpu_sorter {
  using items = cpu_items<K, V>;
  using bits = typename Order::bits;
  using digit_of = ordered_digit<Order>;
  static constexpr bool has_values = items::has_values;
  static_assert(sizeof(K) <= cache_line);

 public:
  cpu_sorter(index_t n, int threads, layout& scratch)
      : n_(n),
        members_(threads > 0 ? threads : available_threads()),
        counts_(scratch.add<digit_counts>(parts_of(members_for(n, members_)))) {}

  void run(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values, void* scratch) const {
    run_part(digits, keys, values, {0, n_}, members_, scratch);
  }
  // Sorts a part of the n items. Parts may be sorted at the same time, each by one thread.
  void run_part(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values,
                const item_range& part, int members, void* scratch) const {
    const work all{digits.order, digits.flip, section<digit_counts>(scratch, counts_),
                   pays_to_stream(static_cast<std::size_t>(part.size * items::bytes))};
    const items at{keys.primary, values.primary}, other{keys.alternate, values.alternate};
    all.sort({at.from(part.begin), other.from(part.begin), part.size, digits.begin_bit, digits.end_bit, true}, members);
  }
  int members() const { return members_; }

 private:
  // From 512 KB on two threads are faster than one.
  static int members_for(index_t n, int members) {
    return static_cast<int>(std::max<index_t>(1, std::min<index_t>(members, n * items::bytes >> 18)));
  }

  // n items at `at`, to be sorted by the bits [begin, end). The result stays there or belongs into `other`.
  struct pile {
    items at, other;
    index_t n;
    int begin, end;
    bool stays;
  };

  struct work {
    Order order;
    bits flip;             // of keys' ordered bits
    digit_counts* counts;  // of the parts when all members split
    bool streams;          // all items together are more than the caches hold

    bits of(const K& key) const { return static_cast<bits>(order(key) ^ flip); }
    static bits low(int count) {
      return count >= static_cast<int>(8 * sizeof(bits)) ? static_cast<bits>(~bits{0})
                                                         : static_cast<bits>((bits{1} << count) - 1);
    }
    static int log2(std::uint64_t x) { return 63 - __builtin_clzll(x); }
    static int highest_bit(bits x) {
      if constexpr (sizeof(bits) > 8) {
        if (const auto high = static_cast<std::uint64_t>(x >> 64)) return 64 + log2(high);
      }
      return log2(static_cast<std::uint64_t>(x));
    }
    static int lowest_bit(bits x) { return highest_bit(static_cast<bits>(x & (bits{0} - x))); }

    void sort(pile p, int most_members) const {
      if (p.n <= few) return insert(p);
      const int members = members_for(p.n, most_members);
      if (!highest_differs(p)) {
        const bits varying = static_cast<bits>(varying_bits(p, members) & low(p.end) & ~low(p.begin));
        if (varying == 0) return settle(p, members);
        p.end = highest_bit(varying) + 1;
        p.begin = lowest_bit(varying);
      }
      if (p.n * items::bytes <= near_bytes) return sort_near(p);
      split(p, members);
    }

    // A digit of so many values that piles will be small enough, but still worth a table of counts.
    void split(const pile& p, int members) const {
      const int width =
          std::min({digit_bits, std::max(4, log2(static_cast<std::uint64_t>(p.n)) - 10), p.end - p.begin});
      const int shift = p.end - width;
      digit_counts own;
      const digit_starts starts = split_by(digit_at(shift, width), p, members, members > 1 ? counts : &own);
      const auto pile_of = [&](index_t d) {
        const auto i = static_cast<std::size_t>(d);
        return pile{p.other.from(starts[i]), p.at.from(starts[i]), starts[i + 1] - starts[i], p.begin, shift, !p.stays};
      };
      const auto is_large = [&](const pile& q) { return members > 1 && q.n > p.n / (4 * members); };
      share_out(members, index_t{1} << width, [&](index_t d) {
        if (const pile q = pile_of(d); !is_large(q)) sort(q, 1);
      });
      for (index_t d = 0; members > 1 && d < index_t{1} << width; ++d) {
        if (const pile q = pile_of(d); is_large(q)) sort(q, members);
      }
    }
    digit_of digit_at(int shift, int width) const {
      return {order, {shift, (1u << width) - 1, static_cast<unsigned>(flip >> shift)}};
    }
    digit_starts split_by(const digit_of& digit, const pile& p, int members, digit_counts* of_parts) const {
      const index_t parts = parts_of(members);
      if constexpr (has_values) {
        using split = cpu_split<digit_of, const K*, K*, const V*, V*>;
        return split{digit, p.at.keys, p.other.keys, p.at.values, p.other.values, p.n, streams}.run(members, of_parts,
                                                                                                    parts);
      } else {
        return cpu_split<digit_of, const K*, K*>{digit, p.at.keys, p.other.keys, {}, {}, p.n, streams}.run(
            members, of_parts, parts);
      }
    }

    // Whether the highest bit is not the same in a few keys from all over the pile: then all of them need not be asked.
    bool highest_differs(const pile& p) const {
      constexpr index_t asked = 16;
      bits varying = 0;
      const bits first = of(p.at.keys[0]);
      for (index_t i = 1; i < asked; ++i) varying |= static_cast<bits>(of(p.at.keys[p.n / asked * i]) ^ first);
      return p.end > p.begin && (varying >> (p.end - 1) & 1) != 0;
    }
    // In which bits some keys differ.
    bits varying_bits(const pile& p, int members) const {
      const index_t parts = parts_of(members);
      const bits first = of(p.at.keys[0]);
      bits varying = 0;
      std::mutex mutex;
      share_out(members, parts, [&](index_t part) {
        bits mine = 0;
        constexpr index_t line = cache_line / sizeof(K);
        const K *k = p.at.keys + p.n * part / parts, *const last = p.at.keys + p.n * (part + 1) / parts;
        for (; last - k >= line; k += line) {
          prefetch_ahead(k);
          for (index_t i = 0; i < line; ++i) mine |= static_cast<bits>(of(k[i]) ^ first);
        }
        for (; k < last; ++k) mine |= static_cast<bits>(of(*k) ^ first);
        const std::lock_guard<std::mutex> lock(mutex);
        varying |= mine;
      });
      return varying;
    }

    // What is in order goes where it belongs.
    static void settle(const pile& p, int members) {
      if (p.stays) return;
      const index_t parts = parts_of(members);
      share_out(members, parts, [&](index_t part) {
        const index_t first = p.n * part / parts;
        p.at.from(first).copy_to(p.other.from(first), p.n * (part + 1) / parts - first);
      });
    }

    // ---- in a near cache ----------------------------------------------------------------------------------------------
    // So many high bits that of n random keys one in 32 meets another. What agrees in them is sorted by the others.
    void sort_near(pile p) const {
      const int wanted = divide_up(log2(static_cast<std::uint64_t>(p.n)) + 4, digit_bits);
      const int passes = std::min(wanted, divide_up(p.end - p.begin, digit_bits));
      const int begin = std::max(p.begin, p.end - passes * digit_bits);
      if (passes == 1) sort_by_passes<1>(p, begin);
      else if (passes == 2) sort_by_passes<2>(p, begin);
      else sort_by_passes<3>(p, begin);
      if (begin > p.begin) sort_ties(p.stays ? p : pile{p.other, p.at, p.n, p.begin, p.end, true}, begin);
    }
    // From the lowest digit up, to and fro between the pile's place and the near buffer, the last time to where the pile
    // belongs. Not inlined: the buffer is to leave the stack before ties are sorted.
    template <int passes>
    __attribute__((noinline)) void sort_by_passes(const pile& p, int begin) const {
      alignas(cache_line) alignas(V) unsigned char memory[near_bytes + alignof(V)];
      const std::size_t values_at = round_up(static_cast<std::size_t>(p.n) * sizeof(K), alignof(V));
      const items near = {reinterpret_cast<K*>(memory), reinterpret_cast<V*>(memory + values_at)};
      std::uint32_t next[passes][digit_values] = {};
      const bits counted = low(p.end - begin);
      const auto count = [&](const K& key) {
        const auto b = static_cast<bits>(of(key) >> begin & counted);
        for (int pass = 0; pass < passes; ++pass) ++next[pass][b >> (pass * digit_bits) & (digit_values - 1)];
      };
      constexpr index_t line = cache_line / sizeof(K);
      const K *key = p.at.keys, *const last = key + p.n;
      for (; last - key >= line; key += line) {
        prefetch_ahead(key);  // the piles behind this one
        for (index_t i = 0; i < line; ++i) count(key[i]);
      }
      for (; key < last; ++key) count(*key);
      const auto first = static_cast<bits>(of(p.at.keys[0]) >> begin & counted);
      bool moves[passes];
      int left = 0;
      for (int pass = 0; pass < passes; ++pass) {
        moves[pass] = next[pass][first >> (pass * digit_bits) & (digit_values - 1)] < p.n;
        left += moves[pass];
        std::uint32_t before = 0;
        for (std::uint32_t& count : next[pass]) before += std::exchange(count, before);
      }
      const items& end = p.stays ? p.at : p.other;
      items at = p.at;
      for (int pass = 0; pass < passes; ++pass) {
        if (!moves[pass]) continue;
        const items& to = --left == 0 && at.keys != end.keys ? end : at.keys == near.keys ? p.at : near;
        scatter_near(at, to, p.n,
                     digit_at(begin + pass * digit_bits, std::min(digit_bits, p.end - begin - pass * digit_bits)),
                     next[pass]);
        at = to;
      }
      if (at.keys != end.keys) at.copy_to(end, p.n);
    }
    static void scatter_near(const items& from, const items& to, index_t n, const digit_of digit, std::uint32_t* next) {
      for (index_t i = 0; i < n; ++i) {
        const K key = from.keys[i];
        const std::uint32_t place = next[digit(key)]++;
        to.keys[place] = key;
        if constexpr (has_values) to.values[place] = from.values[i];
      }
    }
    // Of a pile that is where it belongs, in order by the bits from `begin` on.
    void sort_ties(const pile& p, int begin) const {
      const auto high_of = [&](index_t i) { return static_cast<bits>(of(p.at.keys[i]) & low(p.end) & ~low(begin)); };
      for (index_t i = 0, next; i < p.n; i = next) {
        const bits high = high_of(i);
        for (next = i + 1; next < p.n && high_of(next) == high;) ++next;
        if (next - i > 1) sort({p.at.from(i), p.other.from(i), next - i, p.begin, begin, true}, 1);
      }
    }
    void insert(const pile& p) const {
      settle(p, 1);
      const items& at = p.stays ? p.at : p.other;
      const auto mask = static_cast<bits>(low(p.end) & ~low(p.begin));
      for (index_t i = 1; i < p.n; ++i) {
        const K key = at.keys[i];
        const auto b = static_cast<bits>(of(key) & mask);
        index_t place = i;
        while (place > 0 && static_cast<bits>(of(at.keys[place - 1]) & mask) > b) --place;
        if (place == i) continue;
        std::copy_backward(at.keys + place, at.keys + i, at.keys + i + 1);
        at.keys[place] = key;
        if constexpr (has_values) {
          const V value = at.values[i];
          std::copy_backward(at.values + place, at.values + i, at.values + i + 1);
          at.values[place] = value;
        }
      }
    }
  };

  // What is sorted by insertion, and what in a near cache: with its second array that is half of a second-level cache of
  // 256 KB, or little more than a first-level cache.
  static constexpr index_t few = 32;
  static constexpr index_t near_bytes = index_t{1} << 16;

  index_t n_;
  int members_;
  std::size_t counts_;
};

}  // namespace onepass::detail
