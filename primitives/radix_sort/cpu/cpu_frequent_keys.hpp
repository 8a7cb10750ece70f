// SPDX-License-Identifier: Apache-2.0
// Keys that occur often are counted instead of moved. A sort that has no values and goes by the whole key can do so, as
// nobody can tell equal keys apart:
//   choose    takes a sample of the keys and enters those that occur often in a table
//   count     reads the keys once, counts those in the table, and stores the others, the rest
//   merge     writes the sorted rest, with each frequent key as often as it was counted in between
// The rest is sorted in the meantime (cpu_sort_steps.hpp). So a frequent key is read once and written once, however many there
// are, and what is left to sort is distributed more evenly.
//
// The table has one slot for each value of a hash. Where two keys want the same slot, the later one is not entered and
// stays in the rest.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "../../../core/cpu/simd/simd.hpp"
#include "../../../core/support/radix_keys.hpp"
#include "cpu_items.hpp"

namespace onepass::detail {

template <class K>
class cpu_frequent_keys {
  using key_bits = key_bits_t<K>;
  static constexpr int slot_bits = 11;
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;  // the table and its counts fill a near cache

 public:
  // How many of n keys are looked at to see whether any are frequent, and then to find these: as many as tell a key that
  // is one in 8,000 from one that is not. To look at so many of 2^24 random keys of 8 bytes took 2 % of the time of their
  // sort. (Other numbers were not measured.)
  static index_t few_of(index_t n) { return std::min<index_t>(n / 128, 1024); }
  static index_t many_of(index_t n) { return std::min<index_t>(n / 128, index_t{1} << 15); }

  // Stores a sample of so many of n keys. The indices are not evenly spaced, as the keys may repeat with some period.
  static void take_sample(const K* keys, index_t n, K* sample, index_t size) {
    const index_t step = n / size;
    for (index_t i = 0; i < size; ++i) {
      const std::uint64_t random = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u >> 32;
      sample[i] = keys[i * step + static_cast<index_t>(random * static_cast<std::uint64_t>(step) >> 32)];
    }
  }
  // Whether a quarter of the keys of a sorted sample are as the key before.
  static bool repeats(const K* sample, index_t size) {
    index_t found = 0;
    for (index_t i = 1; i < size; ++i) found += same(sample[i - 1], sample[i]);
    return found >= size / 4;
  }

  // Enters the keys that a sorted sample has more than once, the most frequent first. Returns whether to count them pays.
  // To count and to merge take 1.5 to 2 ns a key of 4 bytes where a sort of random keys takes 5.5, so a quarter of the
  // keys have to be frequent (other limits were not measured).
  bool choose(const K* sample, index_t size) {
    index_t covered = 0;
    for (const index_t share : {index_t{64}, index_t{1024}, size}) {
      const index_t least = std::max<index_t>(size / share, 2);
      for (index_t i = 0, end; i < size; i = end) {
        for (end = i + 1; end < size && same(sample[i], sample[end]);) ++end;
        if (end - i >= least && enter(sample[i])) covered += end - i;
      }
    }
    if (covered < size / 4) return false;
    // An empty slot gets a key that belongs to another slot, so that nothing is found there.
    for (std::size_t s = 0; s < slots; ++s) {
      if (!used_[s]) keys_[s] = of_another_slot(s);
    }
    return true;
  }

  // Counts the frequent keys among keys[first] to keys[last - 1], and stores the rest. Returns the end of the rest, or
  // null if there are -0 among the keys: these are equal to +0, but can be told apart, so they must not be counted.
  K* count(const K* keys, index_t first, index_t last, K* rest) {
    bool has_negative_zero = false;
    constexpr index_t most = ~std::uint32_t{0};  // what the counters can count
    for (index_t i = first; i < last;) {
      std::uint32_t found[slots] = {};
      for (const index_t end = std::min(last, i + most); i < end; ++i) {
        if (i % line == 0) prefetch_ahead(keys + i);
        const key_bits own = bits_of(keys[i]);
        const std::size_t slot = slot_of(own);
        const bool is_frequent = keys_[slot] == own;
        found[slot] += is_frequent;
        *rest = keys[i];
        rest += !is_frequent;
        if constexpr (is_float_key<K>) has_negative_zero |= own == sign_of<K>;
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      for (std::size_t s = 0; s < slots; ++s) sum_[s] += found[s];
    }
    return has_negative_zero ? nullptr : rest;
  }

  // Puts the frequent keys in the order of the sort, and finds where each of them begins in the output. `rest`: the
  // sorted rest, of rest_size keys.
  template <class Order>
  void arrange(const cpu_key_order<Order>& order, const K* rest, index_t rest_size) {
    const auto key_at = [&](std::size_t slot) { return order.of(from_bits(keys_[slot])); };
    runs_ = 0;
    for (std::size_t s = 0; s < slots; ++s) {
      if (used_[s]) slot_of_run_[runs_++] = static_cast<std::uint16_t>(s);
    }
    std::sort(slot_of_run_.begin(), slot_of_run_.begin() + runs_,
              [&](std::size_t a, std::size_t b) { return key_at(a) < key_at(b); });
    const K* next = rest;
    index_t counted = 0;
    for (std::size_t r = 0; r < runs_; ++r) {
      const auto own = key_at(slot_of_run_[r]);
      next = std::partition_point(next, rest + rest_size, [&](const K& k) { return order.of(k) < own; });
      begin_of_run_[r] = next - rest + counted;
      counted += sum_[slot_of_run_[r]];
      end_of_run_[r] = next - rest + counted;
    }
  }

  // Writes items `first` to `last` - 1 of the output. It is put together in blocks in the cache, which `store`(index,
  // block, size) stores.
  template <class Store>
  void merge(const K* rest, index_t first, index_t last, const Store& store) const {
    const auto end_of_runs = end_of_run_.begin() + static_cast<std::ptrdiff_t>(runs_);
    auto r = static_cast<std::size_t>(std::upper_bound(end_of_run_.begin(), end_of_runs, first) - end_of_run_.begin());
    index_t counted = 0;  // frequent keys before the next key of the rest
    for (std::size_t before = 0; before < r; ++before) counted += end_of_run_[before] - begin_of_run_[before];
    constexpr index_t block_size = 4096 / sizeof(K);
    alignas(cache_line) K block[static_cast<std::size_t>(block_size)];
    for (index_t at = first; at < last;) {
      const index_t begin = at, end = std::min(last, at + block_size);
      while (at < end) {
        const index_t run = r < runs_ ? begin_of_run_[r] : last, from_rest = std::min(end, run);
        if (at < from_rest) std::copy(rest + (at - counted), rest + (from_rest - counted), block + (at - begin));
        at = std::max(at, from_rest);
        if (at == end || r == runs_) continue;
        const index_t run_end = std::min(end, end_of_run_[r]);
        std::fill(block + (at - begin), block + (run_end - begin), from_bits(keys_[slot_of_run_[r]]));
        at = run_end;
        if (at == end_of_run_[r]) counted += end_of_run_[r] - begin_of_run_[r], ++r;
      }
      store(begin, block, end - begin);
    }
  }

 private:
  static constexpr index_t line = cache_line / sizeof(K);

  static key_bits bits_of(const K& key) {
    key_bits own;
    std::memcpy(&own, static_cast<const void*>(&key), sizeof own);
    return own;
  }
  static K from_bits(key_bits own) {
    K key;
    std::memcpy(static_cast<void*>(&key), &own, sizeof key);
    return key;
  }
  // The highest bits of a product, which depend on all bits of the key.
  static std::size_t slot_of(key_bits own) {
    return static_cast<std::size_t>(std::uint64_t{own} * 0x9E3779B97F4A7C15u >> (64 - slot_bits));
  }
  key_bits of_another_slot(std::size_t slot) const {
    key_bits own = 0;
    while (slot_of(own) == slot) ++own;
    return own;
  }
  static bool same(const K& a, const K& b) { return bits_of(a) == bits_of(b); }
  bool enter(const K& key) {
    const std::size_t slot = slot_of(bits_of(key));
    if (used_[slot]) return false;
    used_[slot] = true;
    keys_[slot] = bits_of(key);
    return true;
  }

  std::array<bool, slots> used_ = {};
  std::array<key_bits, slots> keys_;
  std::mutex mutex_;
  std::array<index_t, slots> sum_ = {};  // how often each key was counted
  std::size_t runs_ = 0;
  std::array<std::uint16_t, slots> slot_of_run_;
  std::array<index_t, slots> begin_of_run_, end_of_run_;  // in the output
};

}  // namespace onepass::detail
