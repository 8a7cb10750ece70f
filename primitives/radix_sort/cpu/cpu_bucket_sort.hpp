// SPDX-License-Identifier: Apache-2.0
// Sorts a bucket by one thread in the core's second-level cache, which holds the bucket twice. Keys are sorted in vectors
// (vector_sort.hpp) where that can be done and is faster, and otherwise by digits:
//   passes   splits by digits, from the lowest up, of as many of the highest bits as are likely to tell the keys apart
//   ties     keys that agree in those bits are sorted by the bits below
// A few items are sorted by insertion instead.
#pragma once

#include <algorithm>
#include <limits>

#include "../../../core/cpu/driver/cpu_caches.hpp"
#include "../../../core/cpu/simd/vector_sort.hpp"
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
  // Whether there are vectors for such keys, and equal keys cannot be told apart if the sort is by the whole key.
  static constexpr bool takes_vectors =
      sorts_in_vectors && !has_values && std::is_same_v<Order, ordered_key<K>> && (sizeof(K) == 4 || sizeof(K) == 8);
  // The integers that keys are sorted as in vectors.
  using lane = integer_of_size<sizeof(K), true>;
  static key_form<lane> form_of(bits flip) {
    constexpr bits sign = is_float_key<K> ? 0 : sign_of<K>;
    return {is_float_key<K>, static_cast<lane>(flip ^ sign)};
  }
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

  // Sorts the parts [first, last), each where it is: part i has the items part_of(i). Keys that fit a network are sorted in
  // vectors. Any other part is given to rest(part).
  template <class PartOf, class Rest>
  static void sort_parts(const cpu_digits<Order>& digits, [[maybe_unused]] K* keys, index_t first, index_t last,
                         const PartOf& part_of, const Rest& rest) {
    if constexpr (takes_vectors) {
      if (digits.is_whole() && simd_in_use() != simd_level::none) {
        return at_simd_level(sorting_parts_in_vectors<lane, PartOf, Rest>{reinterpret_cast<lane*>(keys), first, last,
                                                                          form_of(digits.flip), part_of, rest});
      }
    }
    for (index_t i = first; i < last; ++i) rest(part_of(i));
  }

  // Whether up to two threads sort n of these keys faster in vectors than by a split and buckets. On two cores of an EPYC,
  // 2^20 and 2^26 keys, ns each by a split and in vectors:
  //   AVX-512, one thread    float 4.1 2.0, 5.8 3.0   double 6.5 4.1, 8.6 6.1   uint32 2.8 2.0, 3.5 2.7
  //   AVX-512, two threads   float 2.4 1.4, 3.1 1.9   double 3.6 2.6, 4.7 3.6   uint32 1.6 1.4, 1.9 1.8
  //   AVX2, one thread       float 4.8 3.0, 6.8 3.9   double 7.9 6.0, 10.8 8.0  uint32 3.5 2.9, 4.0 3.7
  // Of uint64 2^20 to 2^22 take up to 14 % less in vectors, fewer and more keys take longer. 2^18 uint32 take as long either
  // way. More threads were not measured: in vectors keys are read and written more often.
  bool pays_at_any_size(index_t n, int members) const {
    if (!takes_vectors || !keys_.is_whole || simd_in_use() < simd_level::avx2 || members > 2) return false;
    const bool is_wide = simd_in_use() == simd_level::avx512, is_long = n > index_t{1} << 19;
    return is_float_key<K> ? is_wide || is_long : sizeof(K) == 4 && ((is_wide && members == 1) || is_long);
  }

  void sort(const bucket& b) const {
    if constexpr (takes_vectors) {
      if (pays_in_vectors(b) && sort_in_vectors(b)) return;
    }
    if (b.n <= most_inserted) return insert(b);
    // So many of the highest bits that in n random keys, n a power of two, about n / 32 pairs agree in all of them.
    // Other margins than 4 bits were not measured.
    const int wanted = bits_for(b.n);
    if (b.end - b.begin <= wanted || !has_many_ties(b)) return sort_by_bits(b, wanted);
    // Floats of a few magnitudes and small numbers agree in these bits: pairs of floats in [0, 1) took 13 ns by them, and
    // take 5. Bits in which all keys agree tell nothing; and of the others more are sorted by.
    const auto varying = static_cast<bits>(varying_bits(b) & order::between(b.begin, b.end));
    if (varying == 0) return b.stays ? void() : b.at.copy_to(b.other, b.n);
    const bucket told{b.at, b.other, b.n, order::lowest_bit(varying), order::highest_bit(varying) + 1, b.stays};
    if (b.n <= 128) sort_by<3, 6>(told);  // not measured for more
    else sort_by_bits(told, 3 * digit_bits);
  }

 private:
  void insert(const bucket& b) const {
    if (!b.stays) b.at.copy_to(b.other, b.n);
    const items& at = b.destination();
    const bits mask = order::between(b.begin, b.end);
    for (index_t i = 1; i < b.n; ++i) insert_item(at, i, i, mask);
  }

  // ---- in vectors ---------------------------------------------------------------------------------------------------
  // Up to so many random keys are sorted faster in vectors than by digits. By digits 300 keys took 4.0 ns each, 1,000
  // keys 3.1 and 10,000 keys 3.2. Keys of 4 bytes took in vectors of AVX-512 1.3, 1.6 and 2.6, of AVX2 1.5, 1.8 and 2.4.
  // Keys of 8 bytes took 2.6, 3.3 and 4.6, and 3.5, 4.1 and 5.3. Vectors of 16 bytes were measured with SSE4.2: 2.7, 3.3
  // and 4.5; keys of 8 bytes 6.3, 7.6 and 9.8, but 64 of them 4.2, where digits took 5.
  // AVX-512 on another machine, with more vectors on their way (vector_partition.inc): 8-byte keys 1.4 (1,000), 1.9 (10,000)
  // and 2.1 (30,000), by digits 2.5, 2.1 and 2.2.
  static index_t most_in_vectors() {
    const bool has_wide_vectors = simd_in_use() >= simd_level::avx2;
    if (sizeof(K) == 4) return has_wide_vectors ? std::numeric_limits<index_t>::max() : 512;
    return simd_in_use() == simd_level::avx512 ? 16384 : has_wide_vectors ? 512 : 64;
  }
  bool pays_in_vectors(const bucket& b) const {
    if (!keys_.is_whole || simd_in_use() == simd_level::none) return false;
    return b.n <= most_in_vectors() || has_many_ties(b);
  }
  // Whether many keys agree in the bits that the passes would sort by, though they differ below: 10,000 random doubles
  // took 29 ns each by digits, and take 5.3 in vectors. This is asked of some keys from all over the bucket, by a hash of
  // so many bits: of evenly distributed keys few agree by chance. A larger bucket has narrower ties, so more are asked.
  // (Other numbers were not measured.)
  bool has_many_ties(const bucket& b) const {
    if (b.end - b.begin <= bits_for(b.n)) return false;
    if (b.n < 256) return ties_of<10>(b, 32) > 4;
    return b.n < 8192 ? ties_of<12>(b, 64) > 2 : ties_of<14>(b, 256) > 4;
  }
  template <int hash_bits>
  int ties_of(const bucket& b, index_t asked) const {
    const bits high = order::between(b.end - bits_for(b.n), b.end);
    seen_hashes<hash_bits> seen_high, seen_keys;
    int ties = 0;
    for (index_t i = 0; i < asked; ++i) {
      const bits own = keys_.of(b.at.keys[b.n * i / asked]);
      ties += seen_high.add(static_cast<bits>(own & high)) - seen_keys.add(own);
    }
    return ties;
  }
  template <int hash_bits>
  struct seen_hashes {
    std::uint64_t words[(std::size_t{1} << hash_bits) / 64] = {};
    // Adds a key's hash, and returns 1 if it was there, else 0.
    int add(bits key) {
      if constexpr (sizeof(bits) > 8) key = static_cast<bits>(key ^ (key >> 64));
      const std::uint64_t hash = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u >> (64 - hash_bits);
      const int was_there = static_cast<int>(words[hash / 64] >> hash % 64 & 1);
      words[hash / 64] |= std::uint64_t{1} << hash % 64;
      return was_there;
    }
  };
  static int bits_for(index_t n) { return floor_log2(static_cast<std::uint64_t>(n)) + 4; }

  // Returns false, with nothing done, if there are -0 among the keys.
  bool sort_in_vectors(const bucket& b) const {
    K* const other = memory_ != nullptr ? static_cast<K*>(memory_) : b.other.keys;
    const bool sorted =
        at_simd_level(sorting_in_vectors<lane>{reinterpret_cast<lane*>(b.at.keys), reinterpret_cast<lane*>(other), b.n,
                                               b.stays || memory_ != nullptr, form_of(keys_.flip)});
    if (sorted && memory_ != nullptr && !b.stays) b.at.move_to(b.other, b.n, true);
    return sorted;
  }

  // ---- by digits ----------------------------------------------------------------------------------------------------
  // By so many of the highest bits, or by all. A pass costs something for each value of its digit, so digits are no wider
  // than needed: 64 keys took 7.4 ns each by 8 bits and 5.0 by 6. A pass by 9 bits takes 1.3 ns a key where one by 8 takes
  // 1.1 and one by 10 takes 1.8, so two passes by 9 bits are less than three by 8, and wider digits do not pay.
  void sort_by_bits(const bucket& b, int most) const {
    const int wanted = std::min(most, b.end - b.begin);
    if (wanted <= 12) sort_by<2, 6>(b);
    else if (wanted <= 16) sort_by<2, 8>(b);
    else if (wanted <= 18) sort_by<2, 9>(b);
    else sort_by<3, 8>(b);
  }
  // The bits in which not all keys agree.
  bits varying_bits(const bucket& b) const {
    const bits first = keys_.of(b.at.keys[0]);
    bits varying = 0;
    for (index_t i = 1; i < b.n; ++i) varying |= static_cast<bits>(keys_.of(b.at.keys[i]) ^ first);
    return varying;
  }
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
    at.move_to(destination, b.n, memory_ != nullptr && !b.stays);
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
      detail::prefetch_ahead(key);
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
