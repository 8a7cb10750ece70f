// SPDX-License-Identifier: Apache-2.0
// GROUP BY on the CPU where keys have few bits: no sort. A table has a slot for each key that can be. Each part of the rows is
// added up, in their order, in a table of its own, which a core's cache holds; then the tables are added up in the order of the
// parts. Parts depend on the number of rows and slots alone: a sum of reals has the same bits with any number of threads.
// A GPU sorts: there each part would be a thread's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sort_keys.hpp"

namespace query {

using slot_index = std::uint16_t;

// What is known of a key's rows.
struct rows_of_key {
  std::int64_t count = 0;
  row_index first = 0;  // if there are any
};

template <class Backend>
class group_tables {
 public:
  // 2^14 slots of 16 bytes fill a quarter of a second-level cache of 1 MB.
  static constexpr int most_bits = 14;
  static bool can_hold(const std::vector<key_word>& words) {
    return words.empty() || (words.size() == 1 && words[0].bits <= most_bits);
  }

  explicit group_tables(const Backend& backend) : backend_(backend) {}

  // Finds the keys of `count` items.
  void find_keys(const std::vector<key_word>& words, const row_index* items, std::int64_t count) {
    rows_ = count;
    slots_ = std::int64_t{1} << (words.empty() ? 0 : words[0].bits);
    // A part has at least eight times as many rows as slots, which are cleared and added up, too.
    parts_ = std::min(most_parts, std::max<std::int64_t>(1, count / std::max(least_rows, 8 * slots_)));
    keys_.resize(static_cast<std::size_t>(count));
    const key_word word = words.empty() ? key_word{} : words[0];
    backend_.for_each(count, [word, items, keys = keys_.data()](std::int64_t i) {
      keys[i] = static_cast<slot_index>(word(items[i]));
    });
  }

  std::int64_t slots() const { return slots_; }

  // tables[key], for all keys, is all items of that key added up: add(entry, i) adds item i, join(entry, other) the entry of
  // later items. An entry begins as Entry{}.
  template <class Entry, class Add, class Join>
  void add_up(std::vector<Entry>& tables, Add add, Join join) const {
    tables.resize(static_cast<std::size_t>(parts_ * slots_));
    const std::int64_t rows = rows_, slots = slots_, parts = parts_;
    backend_.for_each(parts, [=, keys = keys_.data(), all = tables.data()](std::int64_t part) {
      Entry* const own = all + part * slots;
      std::fill_n(own, slots, Entry{});
      for (std::int64_t i = rows * part / parts; i < rows * (part + 1) / parts; ++i) add(own[keys[i]], i);
    });
    backend_.for_each(slots, [=, all = tables.data()](std::int64_t slot) {
      for (std::int64_t part = 1; part < parts; ++part) join(all[slot], all[part * slots + slot]);
    });
  }

 private:
  static constexpr std::int64_t most_parts = 64, least_rows = 4096;

  const Backend& backend_;
  std::int64_t rows_ = 0, slots_ = 1, parts_ = 1;
  std::vector<slot_index> keys_;
};

}  // namespace query
