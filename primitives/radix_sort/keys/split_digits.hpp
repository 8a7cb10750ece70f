// SPDX-License-Identifier: Apache-2.0
// The one digit that a split goes by. Its items stand for themselves, without key bits.
#pragma once

#include "digits.hpp"

namespace onepass::detail {

// A split by a predicate: digit 0 where pred is true, otherwise digit 1.
template <class Pred>
struct predicate_digit {
  Pred pred;
  ONEPASS_HOST_DEVICE int positions() const { return 1; }
  ONEPASS_HOST_DEVICE predicate_digit at(int) const { return *this; }
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE unsigned operator()(const T& x) {
    return static_cast<bool>(pred(x)) ? 0 : 1;
  }
};

// A split by some bits of an integer.
struct integer_digit {
  int shift;
  unsigned mask;
  ONEPASS_HOST_DEVICE int positions() const { return 1; }
  ONEPASS_HOST_DEVICE integer_digit at(int) const { return *this; }
  template <class T>
  ONEPASS_HOST_DEVICE unsigned operator()(const T& x) const {
    return static_cast<unsigned>(static_cast<key_bits_t<T>>(x) >> shift) & mask;
  }
};

// A digit of an item that stands for itself, without key bits: for splits.
template <class T, class Digit>
struct item_digit {
  using key_bits = T;
  Digit digit;
  static constexpr bool can_pad = false, is_checkable = false;
  ONEPASS_HOST_DEVICE static bool is_negative_zero(const T&) { return false; }
  ONEPASS_HOST_DEVICE const T& to_bits(const T& item) const { return item; }
  ONEPASS_HOST_DEVICE const T& from_bits(const T& item) const { return item; }
  ONEPASS_HOST_DEVICE unsigned operator()(const T& item) { return digit(item); }
  template <int log>
  ONEPASS_HOST_DEVICE unsigned scaled(const T& item) {
    return digit(item) << log;
  }
  ONEPASS_HOST_DEVICE unsigned unscaled(unsigned d) const { return d; }
};
template <class T, class Digits>
struct item_digits {
  static constexpr bool is_checkable = false;
  static constexpr int max_positions = 1;
  Digits of;
  ONEPASS_HOST_DEVICE int positions() const { return of.positions(); }
  ONEPASS_HOST_DEVICE auto at(int position) const {
    using digit_type = decltype(of.at(0));
    return item_digit<T, digit_type>{of.at(position)};
  }
};

}  // namespace onepass::detail
