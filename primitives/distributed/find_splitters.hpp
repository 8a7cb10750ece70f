// SPDX-License-Identifier: Apache-2.0
// Exact splitters by radix descent. For each border between two shares the ranks look for the key there, from the top
// digit down: they count the digits of the keys that share the border's prefix, add up the counts, and so find the
// next digit. After the last digit the border is a key, and a number of keys equal to it that go below. These are
// taken by rank, then by position. So shares are exact for any keys, all of them equal, too. Bytes moved on the CPU:
// all keys are read for the first digit and for the second, then those with a border's first digits only, or all, if
// those are more than a quarter. On a GPU keys are sorted before, and few are read (cuda/count_sorted_digits.cuh).
// Exchanged: a sum of 8 bytes a border and value of a digit.
#pragma once

#include <mutex>

#include <onepass/shares.hpp>
#include <onepass/splitters.hpp>

#include "key_prefixes.hpp"

namespace onepass::detail {

// Counts digits of a rank's keys on the CPU.
template <class In>
class cpu_digit_counter {
  using key_type = value_of<In>;
  using bits = key_bits_t<key_type>;

 public:
  static constexpr int bits_at_once = digit_bits;  // of a key

  cpu_digit_counter(const cpu_policy& policy, In first, index_t n, const bits_in_order<key_type>& order)
      : policy_(policy), first_(first), n_(n), order_(order) {}

  // Counts the digits above the lowest `left` bits.
  void count_top_digits(std::uint64_t* counts, int left, std::size_t bins) {
    add_counts(counts, bins, [&](index_t begin, index_t end, index_t, std::uint64_t* own) {
      for (index_t i = begin; i < end; ++i) ++own[static_cast<std::size_t>(order_.of(first_[i]) >> left)];
    });
  }
  // Counts the digits of the keys with one of the open prefixes, for each prefix apart, and keeps these keys for the
  // digit after. If they are too many to be kept, all keys are read again.
  void count_digits(std::uint64_t* counts, const prefix_list<bits>& open, int left, std::size_t bins) {
    candidates_.resize(static_cast<std::size_t>(parts_for(policy_, n_)));
    add_counts(counts, open.size() * bins, [&](index_t begin, index_t end, index_t part, std::uint64_t* own) {
      candidates& kept = candidates_[static_cast<std::size_t>(part)];
      const auto look_at = [&](bits key) {
        if (!open.has_top(open.top_of(key))) return false;  // most keys
        const std::size_t group = open.lower_bound(key);
        if (!open.is_at(group, key)) return false;
        ++own[group * bins + (static_cast<std::size_t>(key >> left) & (bins - 1))];
        return true;
      };
      std::vector<bits>& keys = kept.keys;
      if (kept.are_all) {
        keys.erase(std::remove_if(keys.begin(), keys.end(), [&](bits key) { return !look_at(key); }), keys.end());
        return;
      }
      const auto most = static_cast<std::size_t>((end - begin) / 4);  // not measured
      keys.clear();
      keys.reserve(most);
      kept.are_all = true;
      for (index_t i = begin; i < end; ++i) {
        const bits key = order_.of(first_[i]);
        if (!look_at(key)) continue;
        if (keys.size() < most) keys.push_back(key);
        else kept.are_all = false;
      }
    });
  }

 private:
  struct candidates {
    std::vector<bits> keys;  // with an open prefix
    bool are_all = false;
  };

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
  std::vector<candidates> candidates_;  // of each part
};

// Splitters, and what the search for them finds out beside them.
template <class K>
struct found_splitters {
  distributed::splitter_set<K> set;
  std::vector<index_t> cuts;  // of rank 0, then of rank 1, ...: how many of its items go below each border

  // How many of rank q's n items go to the ranks before rank r.
  index_t cut(int q, int r, index_t n) const {
    const std::size_t borders = set.borders.size();
    if (r == 0) return 0;
    const auto border = static_cast<std::size_t>(r) - 1;
    return border < borders ? cuts[static_cast<std::size_t>(q) * borders + border] : n;
  }
};

// `Counter` counts the rank's own keys: cpu_digit_counter, or sorted_digit_counter (cuda/count_sorted_digits.cuh).
template <class Comm, class Key, class Counter>
class splitter_search {
  using key_type = Key;
  using bits = key_bits_t<key_type>;
  using set = distributed::splitter_set<key_type>;

 public:
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

  found_splitters<key_type> run() {
    std::vector<border> borders;
    for (std::size_t r = 1; r + 1 < begins_.size(); ++r) borders.push_back({0, 0, begins_[r], 0, n_, true});
    const bool is_empty = begins_.back() == 0;
    for (int left = order_.width; left > 0 && !is_empty && is_any_open(borders);) {
      const int digit = std::min(Counter::bits_at_once, left);
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
    for (border& b : borders) {
      if (!b.is_open) continue;
      const std::size_t group = is_first ? 0 : open.lower_bound(b.key) * bins;
      std::size_t d = group;
      // The number of bins ends it only where keys have changed since they were counted by the digit before.
      for (; d + 1 < group + bins && b.below + static_cast<index_t>(all[d]) < b.wanted; ++d) {
        b.below += static_cast<index_t>(all[d]);
        b.own_below += static_cast<index_t>(own[d]);
      }
      b.own_equal = static_cast<index_t>(own[d]);
      b.is_open = static_cast<index_t>(all[d]) > slack_;
      b.key = static_cast<bits>(b.key | static_cast<bits>(static_cast<bits>(d - group) << left));
    }
  }

  // Ties go by rank: those of a rank that go below a border are what the earlier ranks leave of them.
  found_splitters<key_type> make_set(const std::vector<border>& borders) {
    struct own_counts {
      index_t below, equal;
    };
    found_splitters<key_type> result{{options_, {}, begins_}, {}};
    const std::size_t count = borders.size();
    const auto of_ranks = ranks_.template gather_array<own_counts>(count, [&](own_counts* mine) {
      for (std::size_t j = 0; j < count; ++j) mine[j] = {borders[j].own_below, borders[j].own_equal};
      result.set.borders.resize(count);
      result.cuts.resize(count * static_cast<std::size_t>(ranks_.size()));
    });
    for (std::size_t j = 0; j < count; ++j) {
      const border& b = borders[j];
      if (!b.is_open) result.set.begins[j + 1] = b.below;
      index_t needed = b.is_open ? b.wanted - b.below : 0;
      for (int q = 0; q < ranks_.size(); ++q) {
        const std::size_t at = static_cast<std::size_t>(q) * count + j;
        const index_t ties = std::max<index_t>(0, std::min(needed, of_ranks[at].equal));
        if (q == ranks_.rank()) result.set.borders[j] = {b.key, ties};
        result.cuts[at] = of_ranks[at].below + ties;
        needed -= of_ranks[at].equal;
      }
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
};

// The begins of the wanted shares, of ranks that have given these sizes.
inline std::vector<index_t> wanted_shares(distributed::shares wanted, const std::vector<index_t>& sizes) {
  if (wanted == distributed::shares::as_given) return shares_of(sizes);
  return even_shares(std::accumulate(sizes.begin(), sizes.end(), index_t{0}), static_cast<int>(sizes.size()));
}
// How far below its even share a loose one may begin.
inline index_t slack_of(distributed::shares wanted, const std::vector<index_t>& begins) {
  constexpr index_t parts = 64;  // of a share; not measured
  const auto size = static_cast<index_t>(begins.size()) - 1;
  return wanted == distributed::shares::loose ? begins.back() / size / parts : 0;
}

// The splitters of keys of which each rank has given `sizes`.
template <class Key, class Comm, class Counter>
found_splitters<Key> find_splitters(rank_call<Comm>& ranks, Counter counter, const std::vector<index_t>& sizes,
                                    const radix_options& options, distributed::shares wanted) {
  const std::vector<index_t> begins = wanted_shares(wanted, sizes);
  const index_t n = sizes[static_cast<std::size_t>(ranks.rank())];
  return splitter_search<Comm, Key, Counter>(ranks, counter, n, options, begins, slack_of(wanted, begins)).run();
}

}  // namespace onepass::detail
