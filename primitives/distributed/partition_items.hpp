// SPDX-License-Identifier: Apache-2.0
// Copies a rank's items so that those for rank 0 come first, then those for rank 1, and so on. Items are split stably
// into classes: those between two border keys, and those equal to one. Then a border cuts the items in one index, also
// among items that are equal to it. Bytes moved: keys are read twice, values once, and both are written once.
#pragma once

#include <onepass/splitters.hpp>

#include "../../core/support/none.hpp"
#include "key_prefixes.hpp"

namespace onepass::detail {

template <class K>
class border_classes {
  using bits = key_bits_t<K>;

 public:
  explicit border_classes(const distributed::splitter_set<K>& splitters)
      : order_(splitters.options), keys_(keys_of(splitters), order_.width, 0) {
    for (std::size_t top = 0; top < of_top_.size(); ++top) {
      of_top_[top] = keys_.has_top(top) ? several : 2 * keys_.first_of_top(top);
    }
  }
  std::size_t size() const { return 2 * keys_.size() + 1; }
  const std::vector<bits>& keys() const { return keys_.all(); }
  std::size_t of(const K& key) const {
    const bits b = order_.of(key);
    const std::size_t by_top = of_top_[keys_.top_of(b)];
    return by_top != several ? by_top : of_bits(b);
  }
  // Class 2 b has the keys below border key b, class 2 b + 1 those equal to it.
  std::size_t of_bits(bits key) const {
    const std::size_t border = keys_.lower_bound(key);
    return 2 * border + (keys_.is_at(border, key) ? 1 : 0);
  }

 private:
  static std::vector<bits> keys_of(const distributed::splitter_set<K>& splitters) {
    std::vector<bits> keys;
    for (const auto& border : splitters.borders) keys.push_back(border.key);
    return keys;
  }
  static constexpr std::size_t several = ~std::size_t{0};
  bits_in_order<K> order_;
  prefix_list<bits> keys_;
  std::array<std::size_t, digit_values> of_top_;  // the class of all keys with that top digit, or `several`
};

// How many of n items, put in the order of their classes, go to each rank. begin_of_equal(key) is the index of the
// first one that is equal to a border's key.
template <class K, class BeginOfEqual>
std::vector<index_t> sizes_for_ranks(const distributed::splitter_set<K>& splitters, index_t n,
                                     BeginOfEqual begin_of_equal) {
  std::vector<index_t> sizes;
  index_t begin = 0;
  for (const auto& border : splitters.borders) {
    const index_t end = std::clamp(begin_of_equal(border.key) + border.ties, begin, n);  // keys may have changed
    sizes.push_back(end - begin);
    begin = end;
  }
  sizes.push_back(n - begin);
  return sizes;
}

// Writes the keys to out and the values, if there are any, to values_out. Returns how many go to each rank.
template <class In, class Values, class V>
std::vector<index_t> partition_items(const cpu_policy& policy, In first, index_t n, Values values,
                                     const distributed::splitter_set<value_of<In>>& splitters, value_of<In>* out,
                                     V* values_out) {
  using key = value_of<In>;
  const index_t parts = parts_for(policy, n);
  if (splitters.borders.empty()) {  // there is one rank
    share_out_parts(policy, parts, [&](index_t part) {
      const index_t begin = n * part / parts, end = n * (part + 1) / parts;
      std::copy(first + begin, first + end, out + begin);
      if constexpr (!std::is_same_v<Values, none>) std::copy(values + begin, values + end, values_out + begin);
    });
    return {n};
  }
  const border_classes<key> classes(splitters);
  std::vector<std::vector<index_t>> at(static_cast<std::size_t>(parts), std::vector<index_t>(classes.size(), 0));
  share_out_parts(policy, parts, [&](index_t part) {
    std::vector<index_t>& counts = at[static_cast<std::size_t>(part)];
    const index_t end = n * (part + 1) / parts;
    for (index_t i = n * part / parts; i < end; ++i) ++counts[classes.of(static_cast<key>(first[i]))];
  });
  std::vector<index_t> begins(classes.size());  // of the classes in the output
  index_t total = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    begins[c] = total;
    for (std::vector<index_t>& counts : at) total += std::exchange(counts[c], total);
  }
  share_out_parts(policy, parts, [&](index_t part) {
    std::vector<index_t> to = at[static_cast<std::size_t>(part)];  // a copy: threads would share its cache lines
    const index_t end = n * (part + 1) / parts;
    for (index_t i = n * part / parts; i < end; ++i) {
      const key k = first[i];
      const index_t index = to[classes.of(k)]++;
      if (index >= n) throw std::runtime_error("keys have changed meanwhile");
      out[index] = k;
      if constexpr (!std::is_same_v<Values, none>) values_out[index] = values[i];
    }
  });
  return sizes_for_ranks(splitters, n, [&](auto border) { return begins[classes.of_bits(border)]; });
}

}  // namespace onepass::detail
