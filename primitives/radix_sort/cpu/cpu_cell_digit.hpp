// SPDX-License-Identifier: Apache-2.0
// A digit for keys that crowd in some parts of their range, as floats of a few magnitudes do. The highest 8 bits cut the
// range into cells, and a cell has the more digits the more keys of a sample it has.
#pragma once

#include "cpu_items.hpp"

namespace onepass::detail {

// Of a key's bits [begin, end), which are more than 8.
template <class Order, int most_values>
class cell_digit {
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;
  static constexpr int cell_bits = 8, cells = 1 << cell_bits;

 public:
  cell_digit(const order& keys, int begin, int end)
      : keys_(keys), begin_(begin), mask_(order::low(end)), below_(end - begin - cell_bits) {}

  // Looks at 1,024 of n keys. Returns whether one cell has more than a 32nd of them, and in each of `even` digits would
  // have more than `most` of the n keys (other numbers were not measured). Then the cells get so many digits that none
  // has more than `most` keys, if so many digits can be had.
  bool share_out(const typename Order::key* from, index_t n, index_t most, int even) {
    constexpr index_t asked = 1024;
    std::array<index_t, std::size_t{cells}> keys = {};  // of a digit of the cell
    for (index_t i = 0; i < asked; ++i) keys[cell_of(bits_of(from[n / asked * i]))] += n / asked;
    const bool is_uneven = *std::max_element(keys.begin(), keys.end()) > std::max(most * even, n / 32);
    std::array<int, std::size_t{cells}> width = {};
    for (int values = cells; is_uneven;) {
      const auto fullest = static_cast<std::size_t>(std::max_element(keys.begin(), keys.end()) - keys.begin());
      if (keys[fullest] <= std::min(most, n / cells) || width[fullest] == below_ ||
          values + (1 << width[fullest]) > most_values)
        break;
      values += 1 << width[fullest]++;
      keys[fullest] /= 2;
    }
    unsigned begin = 0;
    for (std::size_t c = 0; c < table_.size(); ++c) {
      table_[c] = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(below_ - width[c])};
      begin += 1u << width[c];
    }
    values_ = begin;
    return is_uneven;
  }
  unsigned operator()(const typename Order::key& key) const {
    const bits v = bits_of(key);
    const cell of = table_[cell_of(v)];
    return of.begin + static_cast<unsigned>(static_cast<bits>(v & order::low(below_)) >> of.shift);
  }
  index_t values() const { return index_t{values_}; }
  // Keys with this digit agree from this bit on.
  int end_of(index_t digit) const {
    const auto behind = std::upper_bound(table_.begin(), table_.end(), digit,
                                         [](index_t d, const cell& c) { return d < index_t{c.begin}; });
    return begin_ + (behind - 1)->shift;
  }

 private:
  struct cell {
    std::uint16_t begin, shift;  // its first digit; the lowest of the bits that its digits are
  };
  bits bits_of(const typename Order::key& key) const { return static_cast<bits>((keys_.of(key) & mask_) >> begin_); }
  std::size_t cell_of(bits v) const { return static_cast<std::size_t>(v >> below_); }

  order keys_;
  int begin_;
  bits mask_;
  int below_;  // how many bits there are below those of the cell
  unsigned values_ = 0;
  std::array<cell, std::size_t{cells}> table_;
};

}  // namespace onepass::detail
