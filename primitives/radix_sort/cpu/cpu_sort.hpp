// SPDX-License-Identifier: Apache-2.0
// The CPU's radix sort. Items are split by their highest digit first, by all threads together, into piles that fit a core's
// second-level cache; then each pile is one thread's, which sorts it there (cpu_bucket_sort.hpp). A pile that is too large for
// that is split again. Bits in which all keys of a pile agree are left out, and what is in order stays as it is. So memory is
// read and written once or twice for keys of any width.
//
// Items go to and fro between two arrays. All steps are stable, so the sort is.
//
// Source: P. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort" (1993), for piles.
#pragma once

#include "../../../core/segments/segment_bounds.hpp"
#include "../../../core/execution/scratch_layout.hpp"
#include "cpu_bucket_sort.hpp"

namespace onepass::detail {

template <class K, class V, class Order = ordered_key<K>>
class cpu_sorter {
  using items = cpu_items<K, V>;
  using pile = cpu_pile<K, V>;
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;
  using near_sort = cpu_near_sort<K, V, Order>;
  using digit_of = ordered_digit<Order>;
  static_assert(sizeof(K) <= cache_line);
  // Digits of a split: up to 10 bits, as one split by so many is faster than two by fewer. 8, 9 and 10 bits took 2.0, 2.6 and
  // 2.8 ns an item of 4 bytes.
  static constexpr int split_bits = 10, split_values = 1 << split_bits;
  template <class Values, class ValuesOut>
  using split_of = cpu_split<split_values, digit_of, const K*, K*, Values, ValuesOut>;
  using split_type =
      std::conditional_t<items::has_values, split_of<const V*, V*>, split_of<cpu_no_range, cpu_no_range>>;
  using counts_type = typename split_type::counts;

 public:
  cpu_sorter(index_t n, int threads, layout& scratch)
      : n_(n),
        members_(threads > 0 ? threads : available_threads()),
        streams_(n > near_sort::most_items() && pays_to_stream(static_cast<std::size_t>(n * items::bytes))) {
    if (n <= near_sort::most_items()) return;
    const int members = members_for(n, members_);
    counts_ = scratch.add<counts_type>(parts_of(members));
    if (streams_) memory_ = scratch.add<char>(members * static_cast<index_t>(member_bytes()));
  }

  // Whether all is done without a second array, or any other memory.
  bool needs_none() const { return n_ <= near_sort::few; }

  void run(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values, void* scratch) const {
    run_part(digits, keys, values, {0, n_}, members_, true, scratch);
  }
  // Sorts a part of the n items. `is_alone`: no other part is sorted at the same time; else it has to be by one thread.
  void run_part(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values,
                const item_range& part, int members, bool is_alone, void* scratch) const {
    const bool streams = is_alone && streams_ && pays_to_stream(static_cast<std::size_t>(part.size * items::bytes));
    const work all{{digits.order, digits.flip},
                   section<counts_type>(scratch, counts_),
                   streams ? section<char>(scratch, memory_) : nullptr};
    const items at{keys.primary, values.primary}, other{keys.alternate, values.alternate};
    all.sort({at.from(part.begin), other.from(part.begin), part.size, digits.begin_bit, digits.end_bit, true}, members);
  }
  int members() const { return members_; }

 private:
  // From 512 KB on two threads are faster than one.
  static int members_for(index_t n, int members) {
    return static_cast<int>(std::max<index_t>(1, std::min<index_t>(members, n * items::bytes >> 18)));
  }
  // Of a member, where all items together are more than the caches hold: for what a split gathers, or for a second array of
  // a pile that stays in the cache.
  static std::size_t member_bytes() {
    return round_up(std::max(split_type::member_bytes, items::room_for(near_sort::most_items())), section_alignment);
  }

  struct work {
    order keys;
    counts_type* counts;  // of the parts when all members split
    char* memory;         // of all members, or of the one that is at work

    work of_member(int member) const {
      return {keys, counts, memory == nullptr ? nullptr : memory + member_bytes() * static_cast<std::size_t>(member)};
    }

    void sort(pile p, int most_members) const {
      if (p.n <= near_sort::few) return near_sort(keys, nullptr).insert(p);
      const int members = members_for(p.n, most_members);
      if (is_sorted(p, members)) return settle(p, members);
      if (p.n <= near_sort::most_items()) return near_sort(keys, memory).sort(p);
      if (!highest_differs(p)) {
        const auto varying = static_cast<bits>(varying_bits(p, members) & order::between(p.begin, p.end));
        p.end = highest_bit(varying) + 1;
        p.begin = lowest_bit(varying);
      }
      split(p, members);
    }

    // A digit of so many values that piles will fit the cache; by a whole byte at least, which costs no more.
    static int width_for(const pile& p) {
      const index_t goal = near_sort::most_items() * 15 / 16;  // random piles are not all of a size
      const int needed = floor_log2(static_cast<std::uint64_t>(divide_up(p.n, goal))) + 1;
      return std::min(p.end - p.begin, needed <= split_bits ? std::max(digit_bits, needed) : digit_bits);
    }
    void split(const pile& p, int members) const {
      const int width = width_for(p), shift = p.end - width;
      counts_type own;
      const auto starts = split_by(keys.digit_at(shift, width), p, members, members > 1 ? counts : &own);
      const auto pile_of = [&](index_t d) {
        const auto i = static_cast<std::size_t>(d);
        return pile{p.other.from(starts[i]), p.at.from(starts[i]), starts[i + 1] - starts[i], p.begin, shift, !p.stays};
      };
      const auto is_large = [&](const pile& q) { return members > 1 && q.n > p.n / (4 * members); };
      share_out(members, index_t{1} << width, [&](index_t d, int member) {
        if (const pile q = pile_of(d); !is_large(q)) of_member(member).sort(q, 1);
      });
      for (index_t d = 0; members > 1 && d < index_t{1} << width; ++d) {
        if (const pile q = pile_of(d); is_large(q)) sort(q, members);
      }
    }
    auto split_by(const digit_of& digit, const pile& p, int members, counts_type* of_parts) const {
      split_type s{digit, p.at.keys, p.other.keys, {}, {}, p.n, memory != nullptr};
      if constexpr (items::has_values) s.values_in = p.at.values, s.values_out = p.other.values;
      return s.run(members, of_parts, parts_of(members), memory, member_bytes());
    }

    // Most piles are found out of order within a few keys.
    bool is_sorted(const pile& p, int members) const {
      const bits mask = order::between(p.begin, p.end);
      constexpr index_t looked_at = 16;
      if (keys.descends(p.at.keys, looked_at, mask)) return false;
      const index_t parts = parts_of(members);
      std::atomic<bool> sorted{true};
      share_out(members, parts, [&](index_t part, int) {
        const index_t last = std::min(p.n * (part + 1) / parts, p.n - 1);
        for (index_t i = p.n * part / parts; i < last && sorted.load(std::memory_order_relaxed); i += looked_at) {
          prefetch_ahead(p.at.keys + i);
          if (keys.descends(p.at.keys + i, std::min(looked_at, last - i), mask))
            sorted.store(false, std::memory_order_relaxed);
        }
      });
      return sorted.load(std::memory_order_relaxed);
    }
    // Whether the highest bit is not the same in a few keys from all over the pile: then all of them need not be asked.
    bool highest_differs(const pile& p) const {
      constexpr index_t asked = 16;
      bits varying = 0;
      const bits first = keys.of(p.at.keys[0]);
      for (index_t i = 1; i < asked; ++i) varying |= static_cast<bits>(keys.of(p.at.keys[p.n / asked * i]) ^ first);
      return p.end > p.begin && (varying >> (p.end - 1) & 1) != 0;
    }
    // In which bits some keys differ.
    bits varying_bits(const pile& p, int members) const {
      const index_t parts = parts_of(members);
      const bits first = keys.of(p.at.keys[0]);
      bits varying = 0;
      std::mutex mutex;
      share_out(members, parts, [&](index_t part, int) {
        bits mine = 0;
        constexpr index_t line = cache_line / sizeof(K);
        const K *k = p.at.keys + p.n * part / parts, *const last = p.at.keys + p.n * (part + 1) / parts;
        for (; last - k >= line; k += line) {
          prefetch_ahead(k);
          for (index_t i = 0; i < line; ++i) mine |= static_cast<bits>(keys.of(k[i]) ^ first);
        }
        for (; k < last; ++k) mine |= static_cast<bits>(keys.of(*k) ^ first);
        const std::lock_guard<std::mutex> lock(mutex);
        varying |= mine;
      });
      return varying;
    }

    static int highest_bit(bits x) {
      if constexpr (sizeof(bits) > 8) {
        if (const auto high = static_cast<std::uint64_t>(x >> 64)) return 64 + floor_log2(high);
      }
      return floor_log2(static_cast<std::uint64_t>(x));
    }
    static int lowest_bit(bits x) { return highest_bit(static_cast<bits>(x & (bits{0} - x))); }

    // What is in order goes where it belongs.
    void settle(const pile& p, int members) const {
      if (p.stays) return;
      const index_t parts = parts_of(members);
      share_out(members, parts, [&](index_t part, int) {
        const index_t first = p.n * part / parts, count = p.n * (part + 1) / parts - first;
        if (memory != nullptr) p.at.from(first).stream_to(p.other.from(first), count);
        else p.at.from(first).copy_to(p.other.from(first), count);
      });
    }
  };

  index_t n_;
  int members_;
  bool streams_;
  std::size_t counts_ = 0, memory_ = 0;
};

}  // namespace onepass::detail
