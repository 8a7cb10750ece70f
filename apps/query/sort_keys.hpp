// SPDX-License-Identifier: Apache-2.0
// Columns as keys to sort by: each as few bits as its values need, and as many of them as fit in a word of 64 bits.
#pragma once

#include <onepass/config.hpp>

#include <cstdint>
#include <vector>

#include "values.hpp"

namespace query {

using row_index = std::uint32_t;

// One column of a key. A missing value comes last.
struct key_part {
  column_view values;
  const row_index* rows = nullptr;  // of the items to sort, where they are not the column's own
  std::uint64_t low = 0;            // the least code
  std::uint64_t last = 0;           // the greatest one, less `low`; below 2^64 - 1
  bool may_be_missing = true;
  bool descending = false;

  ONEPASS_HOST_DEVICE std::uint64_t operator()(row_index item) const {
    const std::int64_t row = rows == nullptr ? item : rows[item];
    if (values.missing(row)) return last + 1;
    const std::uint64_t above = values.code(row) - low;
    return descending ? last - above : above;
  }
  int bits() const {
    int result = 0;
    for (std::uint64_t most = last + (may_be_missing ? 1 : 0); most != 0; most >>= 1) ++result;
    return result;
  }
};

struct key_word {
  static constexpr int most_parts = 8;
  key_part parts[most_parts];
  int shifts[most_parts] = {};
  int count = 0;
  int bits = 0;

  ONEPASS_HOST_DEVICE std::uint64_t operator()(row_index item) const {
    std::uint64_t word = 0;
    for (int i = 0; i < count; ++i) word |= parts[i](item) << shifts[i];
    return word;
  }
};

// The words that order items as `parts` do, the first part and the first word being the most significant. Parts that tell
// nothing apart are left out.
inline std::vector<key_word> words_of(const std::vector<key_part>& parts) {
  std::vector<key_word> words;
  for (const key_part& part : parts) {
    const int bits = part.bits();
    if (bits == 0) continue;
    if (words.empty() || words.back().bits + bits > 64 || words.back().count == key_word::most_parts) {
      words.emplace_back();
    }
    key_word& word = words.back();
    for (int i = 0; i < word.count; ++i) word.shifts[i] += bits;
    word.bits += bits;
    word.parts[word.count++] = part;
  }
  return words;
}

// Whether two items, by their positions in sorted order, are of one group.
struct same_group {
  const std::uint64_t* keys;  // the first word of each
  const row_index* items;
  const key_word* words;
  int count;

  ONEPASS_HOST_DEVICE bool operator()(row_index a, row_index b) const {
    if (count == 0) return true;
    if (keys[a] != keys[b]) return false;
    for (int i = 1; i < count; ++i) {
      if (words[i](items[a]) != words[i](items[b])) return false;
    }
    return true;
  }
};

}  // namespace query
