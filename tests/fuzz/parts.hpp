// SPDX-License-Identifier: Apache-2.0
// Segments that calls take as their own argument: by offsets, or by begins and ends in any order. As items' indices they are
// parts, and a stable sort of each part is known.
#pragma once

#include "segments.hpp"
#include "sort_keys.hpp"

namespace fuzz {

struct part {
  std::int64_t begin, end;  // of n items, from 0 up to n
  std::int64_t size() const { return end - begin; }
};
using parts = std::vector<part>;

// Segments may reach beyond the items, and end before they begin.
template <class B, class E>
part part_of(std::int64_t n, B begin, E end) {
  const auto within = [n](auto at) { return std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, n); };
  return {within(begin), std::max(within(begin), within(end))};
}

template <class Kind, class I>
class by_offsets {
 public:
  by_offsets(test_case& c, std::int64_t n) : heads_(c, n) {}
  auto argument() { return heads_.argument(); }
  std::string text() const { return heads_.text(); }
  void expect_unchanged() const { heads_.expect_unchanged(); }
  // Of the first n items.
  parts of(std::int64_t n) const {
    const auto& offsets = heads_.offsets();
    parts all;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) all.push_back(part_of(n, offsets[s], offsets[s + 1]));
    return all;
  }

 private:
  offset_heads<Kind, I> heads_;
};

// In any order, and some items in none.
template <class Kind, class I>
class by_ranges {
 public:
  by_ranges(test_case& c, std::int64_t n) : by_ranges(c, drawn(c.d, n)) {}
  auto argument() {
    const auto first = begins_.begin();
    return onepass::segments(first, first + static_cast<std::ptrdiff_t>(all_.first.items.size()), ends_.begin());
  }
  std::string text() const {
    return "onepass::segments(" + begins_.text() + ", " + begins_.text() + " + " +
           std::to_string(all_.first.items.size()) + ", " + ends_.text() + ")";
  }
  void expect_unchanged() const { begins_.expect_unchanged(), ends_.expect_unchanged(); }
  parts of(std::int64_t n) const {
    parts all;
    for (std::size_t s = 0; s < all_.first.items.size(); ++s)
      all.push_back(part_of(n, all_.first.items[s], all_.second.items[s]));
    return all;
  }

 private:
  using both = std::pair<data<I>, data<I>>;
  by_ranges(test_case& c, const both& all) : all_(all), begins_(c, "begin", all_.first), ends_(c, "end", all_.second) {}
  static both drawn(dice& d, std::int64_t n) {
    const data<I> offsets = offsets_for<I>(d, n, true);
    const bool reversed = d.coin("h_reversed");
    const std::int64_t gap = d.below("h_gap", 4);
    both all{{{}, offsets.formula}, {{}, offsets.formula}};
    for (std::size_t s = 0; s + 1 < offsets.items.size(); ++s) {
      const std::int64_t begin = offsets.items[s], end = offsets.items[s + 1];
      all.first.items.push_back(static_cast<I>(begin));
      all.second.items.push_back(
          static_cast<I>(gap > 0 && hash(5, s) % 4 == 0 ? end - gap : end));  // or before the begin
    }
    if (reversed)
      std::reverse(all.first.items.begin(), all.first.items.end()),
          std::reverse(all.second.items.begin(), all.second.items.end());
    return all;
  }
  both all_;
  range<Kind, I> begins_, ends_;
};

// The places after each part is sorted by itself; items in none stay.
template <class Segments, class K>
places order_in_parts(const Segments& segments, const std::vector<K>& keys, const onepass::radix_options& options) {
  places order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const part& p : segments.of(static_cast<std::int64_t>(keys.size())))
    sort_places(order, static_cast<std::size_t>(p.begin), static_cast<std::size_t>(p.end), keys, options);
  return order;
}

}  // namespace fuzz
