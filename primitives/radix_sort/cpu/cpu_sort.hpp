// SPDX-License-Identifier: Apache-2.0
// The CPU's radix sort:
//   split   all threads together split the items by their highest digit into buckets that fit a second-level cache
//   sort    then each thread takes one bucket after another and sorts it in its cache (cpu_bucket_sort.hpp)
// One split is enough for up to about 1,000 times what a bucket can hold: 1.5 * 10^8 random keys of 4 bytes where that
// cache has 2 MB. A bucket that is still too large is split again. Items that fit the cache are not split at all. Bits
// in which all keys of a bucket agree are left out, and a bucket that is in order is not sorted. So each split reads
// memory twice and writes it once, the sort of the buckets reads and writes it once, and a key's width does not matter.
//
// Items go to and fro between two arrays. All steps are stable, and so is the sort. Measured figures in this folder are
// from docs/history/performance-log.md, "Radix sort on the CPU".
//
// Source: P. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort" (1993), for sorting bucket by bucket.
#pragma once

#include "../../../core/segments/segment_bounds.hpp"
#include "../../../core/execution/scratch_layout.hpp"
#include "cpu_bucket_sort.hpp"

namespace onepass::detail {

template <class K, class V, class Order = ordered_key<K>>
class cpu_sorter {
  using items = cpu_items<K, V>;
  using bucket = cpu_bucket<K, V>;
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;
  using bucket_sort = cpu_bucket_sort<K, V, Order>;
  using digit_of = ordered_digit<Order>;
  static_assert(sizeof(K) <= cache_line);
  // A split's digit has up to 10 bits: one split by so many is faster than two splits by fewer. A split by 8, 9 and 10
  // bits took 2.0, 2.6 and 2.8 ns an item of 4 bytes.
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
        streams_(n > bucket_sort::most_items() && pays_to_stream(static_cast<std::size_t>(n * items::bytes))) {
    if (n <= bucket_sort::most_items()) return;
    const int members = members_for(n, members_);
    counts_ = scratch.add<counts_type>(parts_of(members));
    if (streams_) memory_ = scratch.add<char>(members * static_cast<index_t>(member_bytes()));
  }

  // Whether the sort needs neither a second array nor any other memory.
  bool needs_none() const { return n_ <= bucket_sort::most_inserted; }

  void run(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values, void* scratch) const {
    run_part(digits, keys, values, {0, n_}, members_, true, scratch);
  }
  // Whether the items are split, so that the first split can read them elsewhere.
  bool can_read_input() const { return n_ > bucket_sort::most_items(); }
  // The same for items that are not in the first arrays, and stay as they are where they are.
  void run_from(const K* keys_in, const V* values_in, const cpu_digits<Order>& digits, const buffers<K>& keys,
                const buffers<V>& values, void* scratch) const {
    const items in{const_cast<K*>(keys_in), const_cast<V*>(values_in)};
    work_on(digits, n_, true, scratch)
        .sort_to({keys.primary, values.primary},
                 {in, {keys.alternate, values.alternate}, n_, digits.begin_bit, digits.end_bit, true}, members_);
  }
  // Sorts a part of the n items. `is_alone`: no other part is sorted at the same time. Otherwise `members` has to be 1.
  void run_part(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values,
                const item_range& part, int members, bool is_alone, void* scratch) const {
    const items at{keys.primary, values.primary}, other{keys.alternate, values.alternate};
    work_on(digits, part.size, is_alone, scratch)
        .sort({at.from(part.begin), other.from(part.begin), part.size, digits.begin_bit, digits.end_bit, true},
              members);
  }
  int members() const { return members_; }

 private:
  // From 512 KB on two threads are faster than one: 2^18 keys of 4 bytes took 1.56 ms by two and 1.98 by one, 2^16 keys
  // 0.48 and 0.45. More than two threads were not measured.
  static int members_for(index_t n, int members) {
    return static_cast<int>(std::max<index_t>(1, std::min<index_t>(members, n * items::bytes >> 18)));
  }
  // The bytes of scratch that each thread has where the split streams its output past the caches: the split's lines,
  // and later the second array of the bucket that the thread sorts.
  static std::size_t member_bytes() {
    return round_up(std::max(split_type::member_bytes, items::room_for(bucket_sort::most_items())), section_alignment);
  }

  struct work {
    order keys;
    counts_type* counts;  // a row for each part, where all members split together
    char* memory;         // all members' scratch, or the one member's that is at work

    work of_member(int member) const {
      return {keys, counts, memory == nullptr ? nullptr : memory + member_bytes() * static_cast<std::size_t>(member)};
    }

    void sort(bucket b, int most_members) const {
      if (b.n <= bucket_sort::most_inserted) return bucket_sort(keys, nullptr).insert(b);
      const int members = members_for(b.n, most_members);
      if (is_sorted(b, members)) return copy_to_destination(b, members);
      if (b.n <= bucket_sort::most_items()) return bucket_sort(keys, memory).sort(b);
      skip_common_bits(b, members);
      split(b, b.at, members);
    }
    // Sorts from b.at, which is only read, to `to`.
    void sort_to(const items& to, bucket b, int most_members) const {
      const int members = members_for(b.n, most_members);
      if (is_sorted(b, members)) return copy_to_destination({b.at, to, b.n, b.begin, b.end, false}, members);
      skip_common_bits(b, members);
      split(b, to, members);
    }
    void skip_common_bits(bucket& b, int members) const {
      if (highest_differs(b)) return;
      const auto varying = static_cast<bits>(varying_bits(b, members) & order::between(b.begin, b.end));
      b.end = highest_bit(varying) + 1;
      b.begin = lowest_bit(varying);
    }

    // How many bits to split by: so many that random keys make buckets that fit the cache. At least 8 where the key has
    // them, which costs no more than fewer.
    static int width_for(const bucket& b) {
      const index_t wanted = bucket_sort::most_items() * 15 / 16;  // random buckets differ in size (not measured)
      const int needed = floor_log2(static_cast<std::uint64_t>(divide_up(b.n, wanted))) + 1;
      return std::min(b.end - b.begin, needed <= split_bits ? std::max(digit_bits, needed) : digit_bits);
    }
    // Splits a bucket to b.other, and sorts what comes out, which goes to `to`, or stays if !b.stays. A bucket of more than a quarter of a thread's share (not measured) is
    // sorted by all threads together when the others are done, so that no thread works on it alone while the others
    // wait.
    void split(const bucket& b, const items& to, int members) const {
      const int width = width_for(b), shift = b.end - width;
      counts_type own;
      const auto starts = split_by(keys.digit_at(shift, width), b, members, members > 1 ? counts : &own);
      const auto bucket_of = [&](index_t d) {
        const auto i = static_cast<std::size_t>(d);
        return bucket{b.other.from(starts[i]), to.from(starts[i]), starts[i + 1] - starts[i], b.begin, shift, !b.stays};
      };
      const auto is_large = [&](const bucket& q) { return members > 1 && q.n > b.n / (4 * members); };
      share_out(members, index_t{1} << width, [&](index_t d, int member) {
        if (const bucket q = bucket_of(d); !is_large(q)) of_member(member).sort(q, 1);
      });
      for (index_t d = 0; members > 1 && d < index_t{1} << width; ++d) {
        if (const bucket q = bucket_of(d); is_large(q)) sort(q, members);
      }
    }
    auto split_by(const digit_of& digit, const bucket& b, int members, counts_type* of_parts) const {
      split_type s{digit, b.at.keys, b.other.keys, {}, {}, b.n, memory != nullptr};
      if constexpr (items::has_values) s.values_in = b.at.values, s.values_out = b.other.values;
      return s.run(members, of_parts, parts_of(members), memory, member_bytes());
    }

    // Most buckets that are out of order show it within the first 16 keys. The reads of these take 0.8 of 9.7 ns a key,
    // as they are misses; other numbers were not measured.
    bool is_sorted(const bucket& b, int members) const {
      const bits mask = order::between(b.begin, b.end);
      constexpr index_t looked_at = 16;
      if (keys.descends(b.at.keys, looked_at, mask)) return false;
      const index_t parts = parts_of(members);
      std::atomic<bool> sorted{true};
      share_out(members, parts, [&](index_t part, int) {
        const index_t last = std::min(b.n * (part + 1) / parts, b.n - 1);
        for (index_t i = b.n * part / parts; i < last && sorted.load(std::memory_order_relaxed); i += looked_at) {
          prefetch_ahead(b.at.keys + i);
          if (keys.descends(b.at.keys + i, std::min(looked_at, last - i), mask))
            sorted.store(false, std::memory_order_relaxed);
        }
      });
      return sorted.load(std::memory_order_relaxed);
    }
    // Whether the highest bit differs among 16 keys (not measured) from all over the bucket. Then there is no need to
    // read them all to find the bits that vary: that read took 1.8 of 10.1 ns a key.
    bool highest_differs(const bucket& b) const {
      constexpr index_t asked = 16;
      bits varying = 0;
      const bits first = keys.of(b.at.keys[0]);
      for (index_t i = 1; i < asked; ++i) varying |= static_cast<bits>(keys.of(b.at.keys[b.n / asked * i]) ^ first);
      return b.end > b.begin && (varying >> (b.end - 1) & 1) != 0;
    }
    // The bits in which not all keys agree.
    bits varying_bits(const bucket& b, int members) const {
      const index_t parts = parts_of(members);
      const bits first = keys.of(b.at.keys[0]);
      bits varying = 0;
      std::mutex mutex;
      share_out(members, parts, [&](index_t part, int) {
        bits mine = 0;
        constexpr index_t line = cache_line / sizeof(K);
        const K *k = b.at.keys + b.n * part / parts, *const last = b.at.keys + b.n * (part + 1) / parts;
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

    // Copies a bucket that is in order to its destination, if that is the other array.
    void copy_to_destination(const bucket& b, int members) const {
      if (b.stays) return;
      const index_t parts = parts_of(members);
      share_out(members, parts, [&](index_t part, int) {
        const index_t first = b.n * part / parts, count = b.n * (part + 1) / parts - first;
        if (memory != nullptr) b.at.from(first).stream_to(b.other.from(first), count);
        else b.at.from(first).copy_to(b.other.from(first), count);
      });
    }
  };

  work work_on(const cpu_digits<Order>& digits, index_t n, bool is_alone, void* scratch) const {
    const bool streams = is_alone && streams_ && pays_to_stream(static_cast<std::size_t>(n * items::bytes));
    return {{digits.order, digits.flip},
            section<counts_type>(scratch, counts_),
            streams ? section<char>(scratch, memory_) : nullptr};
  }

  index_t n_;
  int members_;
  bool streams_;
  std::size_t counts_ = 0, memory_ = 0;
};

}  // namespace onepass::detail
