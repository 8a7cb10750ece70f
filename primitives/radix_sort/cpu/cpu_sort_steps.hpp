// SPDX-License-Identifier: Apache-2.0
// The steps of the CPU's radix sort:
//   count   keys that occur often are counted, if the call can do so and a sample shows that it pays
//           (cpu_frequent_keys.hpp)
//   split   all threads together split the items by their highest digit into buckets that fit a second-level cache
//   sort    then each thread takes one bucket after another and sorts it in its cache (cpu_bucket_sort.hpp)
// One split is enough for up to about 1,000 times what a bucket can hold: 1.5 * 10^8 random keys of 4 bytes where that
// cache has 2 MB. A bucket that is still too large is split again. Items that fit the cache are not split at all. Bits
// in which all keys of a bucket agree are left out, and a bucket that is in order is not sorted. So each split reads
// memory twice and writes it once, the sort of the buckets reads and writes it once, and a key's width does not matter.
//
// Source: P. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort" (1993), for sorting bucket by bucket.
#pragma once

#include <atomic>
#include <mutex>

#include "../../../core/execution/scratch_layout.hpp"
#include "cpu_bucket_sort.hpp"
#include "cpu_cell_digit.hpp"
#include "cpu_counting_sort.hpp"
#include "cpu_frequent_keys.hpp"
#include "cpu_in_place_sort.hpp"
#include "cpu_key_reads.hpp"
#include "cpu_uneven_digit.hpp"

namespace onepass::detail {

template <class K, class V, class Order>
class cpu_sort_steps {
  using items = cpu_items<K, V>;
  using bucket = cpu_bucket<K, V>;
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;
  using bucket_sort = cpu_bucket_sort<K, V, Order>;
  using digit_of = ordered_digit<Order>;
  // A split's digit has up to 10 bits: one split by so many is faster than two splits by fewer. A split by 8, 9 and 10
  // bits took 2.0, 2.6 and 2.8 ns an item of 4 bytes.
  static constexpr int split_bits = 10, split_values = 1 << split_bits;
  template <class Digit>
  using split_of = std::conditional_t<items::has_values, cpu_split<split_values, Digit, const K*, K*, const V*, V*>,
                                      cpu_split<split_values, Digit, const K*, K*, cpu_no_range, cpu_no_range>>;

 public:
  using counts_type = digit_counts<split_values>;

  // From 512 KB on two threads are faster than one: 2^18 keys of 4 bytes took 1.56 ms by two and 1.98 by one, 2^16 keys
  // 0.48 and 0.45. More than two threads were not measured.
  static int members_for(index_t n, int members) {
    return static_cast<int>(std::max<index_t>(1, std::min<index_t>(members, n * items::bytes >> 18)));
  }
  // The bytes of scratch that each thread has where the split streams its output past the caches: the split's lines,
  // and later the second array of the bucket that the thread sorts.
  static std::size_t member_bytes() {
    return round_up(std::max(split_of<digit_of>::member_bytes, items::room_for(bucket_sort::most_items())),
                    section_alignment);
  }

  // `counts`: a row for each part, where all members split together. `memory`: all members' scratch, or the one member's
  // that is at work; null where nothing is stored past the caches. `large`: a bucket of more items is sorted by all
  // members together.
  cpu_sort_steps(const order& keys, counts_type* counts, char* memory, index_t large)
      : keys_(keys), counts_(counts), memory_(memory), large_(large) {}

  // Sorts a bucket by up to so many members.
  void sort(const bucket& b, int most_members) const {
    if (b.n <= bucket_sort::most_inserted) return bucket_sort(keys_, nullptr).sort(b);
    const int members = members_for(b.n, most_members);
    if (reads().is_sorted(b.at.keys, b.n, mask_of(b), members)) return copy_to_destination(b, members);
    if (b.stays && count_whole(b.at, b, most_members)) return;
    if (b.n <= bucket_sort::most_items()) return bucket_sort(keys_, memory_).sort(b);
    split_by_digit(b, b.at, members);
  }
  // Sorts all items of a call, which are more than a bucket can hold. b.at is only read, and `to` takes its part; they
  // may be the same.
  void sort_all(const items& to, const bucket& b, int most_members) const {
    const int members = members_for(b.n, most_members);
    if (reads().is_sorted(b.at.keys, b.n, mask_of(b), members)) {
      if (b.at.keys != to.keys) copy_to_destination({b.at, to, b.n, b.begin, b.end, false}, members);
      return;
    }
    if (count_whole(to, b, most_members)) return;
    if constexpr (bucket_sort::takes_vectors) {
      if (keys_.is_whole) return sort_sampled(to, b, members);
    }
    split_by_digit(b, to, members);
  }

 private:
  cpu_sort_steps of_member(int member) const {
    char* const own = memory_ == nullptr ? nullptr : memory_ + member_bytes() * static_cast<std::size_t>(member);
    return {keys_, counts_, own, large_};
  }

  cpu_key_reads<Order> reads() const { return {keys_}; }
  static bits mask_of(const bucket& b) { return order::between(b.begin, b.end); }

  // Sorts by counting, if it can and that pays; b.other is not where the keys go.
  bool count_whole(const items& to, const bucket& b, int members) const {
    using counting = cpu_counting_sort<K>;
    if constexpr (cpu_may_count<K, V, Order>()) {
      const bool is_whole = keys_.is_whole && b.begin == 0 && b.end == static_cast<int>(8 * sizeof(K));
      if (!is_whole || b.n < counting::least_keys) return false;
      counting::run(b.at.keys, to.keys, b.n, keys_, members, b.other.keys);
      return true;
    }
    return false;
  }

  // ---- keys that occur often ----------------------------------------------------------------------------------------
  // As sort_all, where equal keys cannot be told apart. A sample shows whether it pays to count keys.
  void sort_sampled(const items& to, const bucket& b, int members) const {
    cpu_frequent_keys<K> frequent;
    const index_t few = frequent.few_of(b.n), many = frequent.many_of(b.n);
    const bool is_worth_counting =
        frequent.repeats(sorted_sample(b, few), few) && frequent.choose(sorted_sample(b, many), many);
    const index_t rest = is_worth_counting ? count_frequent(frequent, to, b, members) : -1;
    if (rest < 0) return split_by_digit(b, to, members);
    // The rest is sorted to b.other, and the output is merged from there.
    sort({to, b.other, rest, b.begin, b.end, false}, members);
    frequent.arrange(keys_, b.other.keys, rest);
    const index_t parts = parts_of(members);
    const auto store = [&](index_t i, const K* block, index_t size) {
      items{const_cast<K*>(block), nullptr}.move_to(to.from(i), size, memory_ != nullptr);
    };
    share_out(members, parts, [&](index_t part, int) {
      frequent.merge(b.other.keys, b.n * part / parts, b.n * (part + 1) / parts, store);
    });
  }
  // A sample of a bucket's keys in order, which lies in b.other.
  const K* sorted_sample(const bucket& b, index_t size) const {
    cpu_frequent_keys<K>::take_sample(b.at.keys, b.n, b.other.keys, size);
    bucket_sort(keys_, nullptr).sort({b.other, b.other.from(size), size, b.begin, b.end, true});
    return b.other.keys;
  }
  // Counts the frequent keys. The others come to `to`, in their order. Returns how many these are. Returns -1, with
  // nothing written but b.other, if the keys must not be counted.
  index_t count_frequent(cpu_frequent_keys<K>& frequent, const items& to, const bucket& b, int members) const {
    const index_t parts = parts_of(members);
    const auto begin_of = [&](index_t part) { return b.n * part / parts; };
    index_t alone;  // counts_ belongs to all members together
    const auto rest_of = [&](index_t part) -> index_t& { return members > 1 ? counts_[part][0] : alone; };
    std::atomic<bool> counted{true};
    share_out(members, parts, [&](index_t part, int) {
      K* const rest = b.other.keys + begin_of(part);
      K* const end = frequent.count(b.at.keys, begin_of(part), begin_of(part + 1), rest);
      if (end == nullptr) counted.store(false, std::memory_order_relaxed);
      else rest_of(part) = end - rest;
    });
    if (!counted.load(std::memory_order_relaxed)) return -1;
    index_t rest = 0;
    for (index_t part = 0; part < parts; ++part) rest += std::exchange(rest_of(part), rest);
    share_out(members, parts, [&](index_t part, int) {
      const index_t begin = rest_of(part), end = part + 1 < parts ? rest_of(part + 1) : rest;
      b.other.from(begin_of(part)).move_to(to.from(begin), end - begin, memory_ != nullptr);
    });
    return rest;
  }

  // ---- splits -------------------------------------------------------------------------------------------------------
  void skip_common_bits(bucket& b, int members) const {
    if (reads().highest_differs(b.at.keys, b.n, b.begin, b.end)) return;
    const auto varying = static_cast<bits>(reads().varying_bits(b.at.keys, b.n, members) & mask_of(b));
    b.end = order::highest_bit(varying) + 1;
    b.begin = order::lowest_bit(varying);
  }

  // Splits a bucket that is out of order, and sorts what comes out.
  void split_by_digit(bucket b, const items& to, int members) const {
    if (sort_in_vectors(b, to, members)) return;
    skip_common_bits(b, members);
    const int width = width_for(b.n, b.end - b.begin), shift = b.end - width;
    const digit_of digit = keys_.digit_at(shift, width);
    const unsigned last = (1u << width) - 1;
    for (const unsigned value : {0u, last}) {
      if (b.end - b.begin <= split_bits || !is_crowded(b, digit, value)) continue;
      const uneven_digit<Order, split_values> uneven(keys_, b.begin, b.end, value == last);
      const auto end_of = [&](index_t d) { return uneven.end_of(d); };
      return split(uneven, uneven.values(), end_of, b, to, members);
    }
    if (b.end - b.begin > width) {
      cell_digit<Order, split_values> cells(keys_, b.begin, b.end);
      const auto end_of = [&](index_t d) { return cells.end_of(d); };
      if (cells.share_out(b.at.keys, b.n, bucket_sort::most_items(), 1 << (width - digit_bits)))
        return split(cells, cells.values(), end_of, b, to, members);
    }
    const auto end_of = [&](index_t) { return shift; };
    split(digit, index_t{1} << width, end_of, b, to, members);
  }
  // How many bits to split n keys of `left` bits by: so many that random keys make buckets that fit the cache. At least
  // 8 where the key has them, which costs no more than fewer.
  static int width_for(index_t n, int left) {
    const index_t wanted = bucket_sort::most_items() * 15 / 16;  // random buckets differ in size (not measured)
    const int needed = floor_log2(static_cast<std::uint64_t>(divide_up(n, wanted))) + 1;
    return std::min(left, needed <= split_bits ? std::max(digit_bits, needed) : digit_bits);
  }
  // Whether most keys have this value of the digit: more than half of 64 from all over the bucket (neither number was
  // measured).
  bool is_crowded(const bucket& b, const digit_of& digit, unsigned value) const {
    constexpr index_t asked = 64;
    index_t found = 0;
    for (index_t i = 0; i < asked; ++i) found += digit(b.at.keys[b.n / asked * i]) == value;
    return found > asked / 2;
  }
  // Splits a bucket by a digit of `count` values to b.other. What comes out is sorted to `to`, or stays if !b.stays. Keys
  // with the value d agree from bit end_of(d) on. A large bucket is sorted by all members together when the others are
  // done, so that no thread works on it alone while the others wait.
  template <class Digit, class EndOf>
  void split(const Digit& digit, index_t count, const EndOf& end_of, const bucket& b, const items& to,
             int members) const {
    split_of<Digit> s{digit, b.at.keys, b.other.keys, {}, {}, b.n, memory_ != nullptr};
    if constexpr (items::has_values) s.values_in = b.at.values, s.values_out = b.other.values;
    counts_type own;
    counts_type* const of_parts = members > 1 ? counts_ : &own;
    const auto starts = s.run(members, of_parts, split_parts(b.n, members), memory_, member_bytes());
    const auto bucket_of = [&](index_t d) {
      const auto i = static_cast<std::size_t>(d);
      const index_t n = starts[i + 1] - starts[i];
      return bucket{b.other.from(starts[i]), to.from(starts[i]), n, b.begin, end_of(d), !b.stays};
    };
    const auto is_large = [&](const bucket& q) { return members > 1 && q.n > large_; };
    // Buckets of more than twice the average size are drawn first, so that no thread begins with one at the end.
    share_out(members, 2 * count, [&](index_t i, int member) {
      const bucket q = bucket_of(i % count);
      if (!is_large(q) && (q.n > 2 * b.n / count) == (i < count)) of_member(member).sort(q, 1);
    });
    for (index_t d = 0; members > 1 && d < count; ++d) {
      if (const bucket q = bucket_of(d); is_large(q)) sort(q, members);
    }
  }

  // ---- in vectors ---------------------------------------------------------------------------------------------------
  // Sorts a bucket in vectors where that is faster than by a split. The result comes to `to` if it stays. Returns false
  // if that is not so, or if there are -0 among the keys; then b.at is as it was, and what it was copied to is scratch.
  bool sort_in_vectors(const bucket& b, const items& to, int members) const {
    if constexpr (bucket_sort::takes_vectors) {
      if (!bucket_sort(keys_, nullptr).pays_at_any_size(b.n, members)) return false;
      const items &destination = b.stays ? to : b.other, &scratch = b.stays ? b.other : to;
      if (b.at.keys != destination.keys) copy_to_destination({b.at, destination, b.n, b.begin, b.end, false}, members);
      return sort_in_place(keys_, destination.keys, b.n, members, scratch.keys, b.n);
    }
    return (void)b, (void)to, (void)members, false;
  }

  // How many parts a split of n items has: some for each thread (cpu_split.hpp), but no more than leave 64 items for each
  // value of the digit in a part, as lines that are not full are stored item by item (neither was measured).
  static index_t split_parts(index_t n, int members) {
    return std::clamp<index_t>(n / (64 * split_values), members, parts_of(members));
  }

  // Copies a bucket that is in order to its destination, if that is the other array.
  void copy_to_destination(const bucket& b, int members) const {
    if (b.stays) return;
    const index_t parts = parts_of(members);
    share_out(members, parts, [&](index_t part, int) {
      const index_t first = b.n * part / parts, count = b.n * (part + 1) / parts - first;
      b.at.from(first).move_to(b.other.from(first), count, memory_ != nullptr);
    });
  }

  order keys_;
  counts_type* counts_;
  char* memory_;
  index_t large_;
};

}  // namespace onepass::detail
