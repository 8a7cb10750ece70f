// SPDX-License-Identifier: Apache-2.0
// A digit for keys most of which have the lowest value of the highest digit, or most of which have the highest value,
// as numbers have that are mostly small. A split by the highest bits alone would leave these keys together.
#pragma once

#include "cpu_items.hpp"

namespace onepass::detail {

// A key's bits [begin, end), as an integer, become a number like a float's: the position of the highest bit that is set,
// and the bits right below it. So a bucket has the fewer keys' values the nearer to 0 they are, and 0 is alone.
template <class Order, int most_values>
class uneven_digit {
  using order = cpu_key_order<Order>;
  using bits = typename order::bits;

 public:
  // `is_high`: most keys have the highest value, and so are inverted. Their digits descend.
  uneven_digit(const order& keys, int begin, int end, bool is_high)
      : keys_(keys), begin_(begin), mask_(order::low(end)), inverted_(is_high ? order::low(end) : bits{0}) {
    while ((end - begin - low_bits_) << (low_bits_ + 1) <= most_values) ++low_bits_;
    last_ = static_cast<unsigned>(((end - begin - low_bits_ + 1) << low_bits_) - 1);
  }
  unsigned operator()(const typename Order::key& key) const {
    const auto v = static_cast<bits>(((keys_.of(key) ^ inverted_) & mask_) >> begin_);
    const int shift = order::highest_bit(static_cast<bits>(v | bits{1} << low_bits_)) - low_bits_;
    const unsigned digit = (static_cast<unsigned>(shift) << low_bits_) + static_cast<unsigned>(v >> shift);
    return inverted_ != 0 ? last_ - digit : digit;
  }
  index_t values() const { return index_t{last_} + 1; }
  // Keys with this digit agree from this bit on.
  int end_of(index_t digit) const {
    const index_t own = inverted_ != 0 ? last_ - digit : digit;
    return begin_ + static_cast<int>(std::max<index_t>(1, own >> low_bits_)) - 1;
  }

 private:
  order keys_;
  int begin_;
  bits mask_, inverted_;
  int low_bits_ = 0;  // how many bits below the highest one are in the digit
  unsigned last_;
};

}  // namespace onepass::detail
