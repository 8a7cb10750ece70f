// SPDX-License-Identifier: Apache-2.0
// Exact splitters by radix descent. For each border between two shares the ranks look for the key there, from the top
// digit down: they count the digits of the keys that share the border's prefix, add up the counts, and so find the next
// digit. After the last digit the border is a key, and a number of keys equal to it that go below. These are taken by
// rank, then by position. So shares are exact for any keys, all of them equal, too. Bytes moved: all keys are read for
// the first digit and for the second, then those with a border's first digit only. Exchanged: a sum of 2 KB a border
// and digit.
#pragma once

#include <mutex>

#include <onepass/splitters.hpp>

#include "key_prefixes.hpp"
#include "share_groups.hpp"

namespace onepass::detail {

// Counts digits of a rank's keys on the CPU.
template <class In>
class cpu_digit_counter {
  using key_type = value_of<In>;
  using bits = key_bits_t<key_type>;

 public:
  cpu_digit_counter(const cpu_policy& policy, In first, index_t n, const bits_in_order<key_type>& order)
      : policy_(policy), first_(first), n_(n), order_(order) {}

  // Counts the digits above the lowest `left` bits.
  void count_top_digits(std::uint64_t* counts, int left, std::size_t bins) {
    add_counts(counts, bins, [&](index_t begin, index_t end, index_t, std::uint64_t* own) {
      for (index_t i = begin; i < end; ++i) ++own[static_cast<std::size_t>(order_.of(first_[i]) >> left)];
    });
  }
  // Counts the digits of the keys with one of the open prefixes, for each prefix apart, and keeps these keys for the
  // digit after.
  void count_digits(std::uint64_t* counts, const prefix_list<bits>& open, int left, std::size_t bins) {
    const bool reads_items = candidates_.empty();
    if (reads_items) candidates_.resize(static_cast<std::size_t>(parts_for(policy_, n_)));
    add_counts(counts, open.size() * bins, [&](index_t begin, index_t end, index_t part, std::uint64_t* own) {
      std::vector<bits>& kept = candidates_[static_cast<std::size_t>(part)];
      const auto look_at = [&](bits key) {
        if (!open.has_top(open.top_of(key))) return false;  // most keys
        const std::size_t group = open.lower_bound(key);
        if (!open.is_at(group, key)) return false;
        ++own[group * bins + (static_cast<std::size_t>(key >> left) & (bins - 1))];
        return true;
      };
      if (!reads_items) {
        kept.erase(std::remove_if(kept.begin(), kept.end(), [&](bits key) { return !look_at(key); }), kept.end());
        return;
      }
      for (index_t i = begin; i < end; ++i) {
        const bits key = order_.of(first_[i]);
        if (look_at(key)) kept.push_back(key);
      }
    });
  }

 private:
  // Adds up what body(begin, end, part, own) counts of each part of this rank's items.
  template <class Body>
  void add_counts(std::uint64_t* counts, std::size_t size, Body body) {
    const index_t parts = parts_for(policy_, n_);
    std::mutex mutex;
    share_out_parts(policy_, parts, [&](index_t part) {
      std::vector<std::uint64_t> own(size, 0);
      body(n_ * part / parts, n_ * (part + 1) / parts, part, own.data());
      const std::lock_guard<std::mutex> lock(mutex);
      for (std::size_t i = 0; i < size; ++i) counts[i] += own[i];
    });
  }

  cpu_policy policy_;
  In first_;
  index_t n_;
  bits_in_order<key_type> order_;
  std::vector<std::vector<bits>> candidates_;  // of each part: the keys with an open prefix
};

// `Counter` counts the rank's own keys: cpu_digit_counter, or cuda_digit_counter (cuda/count_digits.cuh).
template <class Comm, class Key, class Counter>
class splitter_search {
  using key_type = Key;
  using bits = key_bits_t<key_type>;
  using set = distributed::splitter_set<key_type>;

 public:
  // What was counted, after run().
  const splitter_counts& counts() const { return counts_; }

  // Looks for borders of which border r has begins[r + 1] items below. Where a digit's bin has at most `slack` items,
  // the border is at the bin's begin.
  splitter_search(rank_call<Comm>& ranks, Counter& counter, index_t n, const radix_options& options,
                  std::vector<index_t> begins, index_t slack)
      : ranks_(ranks),
        counter_(counter),
        n_(n),
        options_(options),
        order_(options),
        begins_(std::move(begins)),
        slack_(slack) {}

  set run() {
    std::vector<border> borders;
    for (std::size_t r = 1; r + 1 < begins_.size(); ++r) borders.push_back({0, 0, begins_[r], 0, n_, true});
    const bool is_empty = begins_.back() == 0;
    for (int left = order_.width; left > 0 && !is_empty && is_any_open(borders);) {
      const int digit = std::min(digit_bits, left);
      left -= digit;
      descend(borders, left, digit);
    }
    return make_set(borders);
  }

 private:
  struct border {
    bits key;           // its digits as far as they are known; the others are 0
    index_t below;      // how many items of all ranks are below it
    index_t wanted;     // how many are to go below the border
    index_t own_below;  // how many of this rank's items are below it
    index_t own_equal;  // how many of this rank's items have those digits
    bool is_open;       // the border lies among the items with those digits, and not at their begin
  };

  static bool is_any_open(const std::vector<border>& borders) {
    return std::any_of(borders.begin(), borders.end(), [](const border& b) { return b.is_open; });
  }

  // Finds the next digit of all open borders. `left`: how many bits are below that digit.
  void descend(std::vector<border>& borders, int left, int digit) {
    const bool is_first = left + digit == order_.width;
    const std::size_t bins = std::size_t{1} << digit;
    std::vector<bits> keys;
    for (const border& b : borders) {
      if (b.is_open && !is_first) keys.push_back(b.key);
    }
    const prefix_list<bits> open(std::move(keys), order_.width, is_first ? 0 : left + digit);
    const std::size_t groups = is_first ? 1 : open.size();
    std::vector<std::uint64_t> own;
    const auto all = ranks_.sum(groups * bins, [&](std::uint64_t* counts) {
      if (is_first) counter_.count_top_digits(counts, left, bins);
      else counter_.count_digits(counts, open, left, bins);
      own.assign(counts, counts + groups * bins);
    });
    if (is_first) counts_.all = all, counts_.own = own, counts_.left = left;
    for (border& b : borders) {
      if (!b.is_open) continue;
      const std::size_t group = is_first ? 0 : open.lower_bound(b.key) * bins;
      std::size_t d = group;
      for (; b.below + static_cast<index_t>(all[d]) < b.wanted; ++d) {
        b.below += static_cast<index_t>(all[d]);
        b.own_below += static_cast<index_t>(own[d]);
      }
      b.own_equal = static_cast<index_t>(own[d]);
      b.is_open = static_cast<index_t>(all[d]) > slack_;
      b.key = static_cast<bits>(b.key | static_cast<bits>(static_cast<bits>(d - group) << left));
    }
  }

  // Ties go by rank: those of this rank that go below a border are what the earlier ranks leave of them.
  set make_set(const std::vector<border>& borders) {
    set result{options_, {}, begins_};
    const std::size_t count = borders.size();
    const auto equal = ranks_.template gather_array<index_t>(count, [&](index_t* mine) {
      for (std::size_t j = 0; j < count; ++j) mine[j] = borders[j].own_equal;
      result.borders.resize(count);
    });
    for (std::size_t j = 0; j < count; ++j) {
      const border& b = borders[j];
      index_t needed = b.is_open ? b.wanted - b.below : 0;
      for (int q = 0; q < ranks_.rank(); ++q) needed -= equal[static_cast<std::size_t>(q) * count + j];
      result.borders[j] = {b.key, std::max<index_t>(0, std::min(needed, b.own_equal))};
      if (!b.is_open) result.begins[j + 1] = b.below;
      counts_.own_cuts.push_back(b.own_below + result.borders[j].ties);
    }
    return result;
  }

  rank_call<Comm>& ranks_;
  Counter& counter_;
  index_t n_;
  radix_options options_;
  bits_in_order<key_type> order_;
  std::vector<index_t> begins_;
  index_t slack_;
  splitter_counts counts_;
};

}  // namespace onepass::detail
