// SPDX-License-Identifier: Apache-2.0
// What a split goes by: the digit of an item, 0 to 255. A sort is a split by each 8-bit digit of the key in turn, from the
// lowest. Keys are never rewritten: a digit is taken from the bits in which the key's order is that of an unsigned integer,
// and those are made again from the key in every pass.
#pragma once

#include <onepass/radix_options.hpp>

#include "../../../core/support/none.hpp"
#include "radix_keys.hpp"

namespace onepass::detail {

constexpr int digit_bits = 8;
constexpr int digit_values = 1 << digit_bits;

// ---- digits of the kinds of splits: at(place) gives a function from item to digit -------------------------------------
struct key_digit {
  int shift;
  unsigned mask, flip;
  template <class Bits>
  ONEPASS_HOST_DEVICE unsigned of(Bits bits) const {
    return (static_cast<unsigned>(bits >> shift) ^ flip) & mask;
  }
};

template <class K>
struct key_digits {
  using bits = typename unsigned_of<sizeof(K)>::type;
  int begin_bit, end_bit;
  bool descending, is_signed;  // is_signed: an integer, whatever K stands for it

  // The bits that are inverted, so that the key ascends in the order of the sort.
  ONEPASS_HOST_DEVICE bits flip() const {
    constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
    return static_cast<bits>((is_signed ? sign : bits{0}) ^ (descending ? ~bits{0} : bits{0}));
  }
  ONEPASS_HOST_DEVICE int positions() const { return (end_bit - begin_bit + digit_bits - 1) / digit_bits; }
  ONEPASS_HOST_DEVICE bool is_whole_key() const { return begin_bit == 0 && end_bit == static_cast<int>(8 * sizeof(K)); }
  ONEPASS_HOST_DEVICE key_digit at(int position) const {
    const int shift = begin_bit + position * digit_bits, left = end_bit - shift;
    return {shift, left < digit_bits ? (1u << left) - 1 : digit_values - 1u, static_cast<unsigned>(flip() >> shift)};
  }
};

// Digit 0: pred is true.
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

// ---- digits of keys as the device holds them ----------------------------------------------------------------------------
template <class K, bool zeros_are_equal>
struct bits_digit {
  using key_bits = key_bits_t<K>;
  int shift;
  unsigned mask, flip;
  key_bits flip_all, up_to;  // of the whole key; the bits that a sort has gone by after this place

  using without_negative_zero = bits_digit<K, false>;  // the same where no key is -0
  template <bool others>
  ONEPASS_HOST_DEVICE operator bits_digit<K, others>() const {
    return {shift, mask, flip, flip_all, up_to};
  }

  // -0 as +0, if the two shall meet.
  ONEPASS_HOST_DEVICE static key_bits canonical(key_bits b) {
    if constexpr (is_float_key<K> && zeros_are_equal) b = static_cast<key_bits>(b + (b == negative_zero_bits<K>));
    return b;
  }
  ONEPASS_HOST_DEVICE static bool is_negative_zero(key_bits b) { return is_float_key<K> && b == negative_zero_bits<K>; }
  ONEPASS_HOST_DEVICE key_bits to_bits(const K& key) const { return to_key_bits(key); }
  ONEPASS_HOST_DEVICE K from_bits(key_bits b) const { return from_key_bits<K>(b); }
  ONEPASS_HOST_DEVICE unsigned operator()(key_bits b) const {
    return (static_cast<unsigned>(canonical(b) >> shift) ^ flip) & mask;
  }
  // The digit without the flip, times 2^log, in bits that hold nothing else.
  template <int log>
  ONEPASS_HOST_DEVICE unsigned scaled(key_bits b) const {
    b = canonical(b);
    if constexpr (sizeof(key_bits) > 4) return (static_cast<unsigned>(b >> shift) & mask) << log;
    const unsigned w = static_cast<unsigned>(b), by = static_cast<unsigned>(shift - log) % 32;
    return (w >> by | w << (32 - by) % 32) & mask << log;  // rotated
  }
  ONEPASS_HOST_DEVICE unsigned unscaled(unsigned digit) const { return digit ^ (flip & mask); }
  // What fills up a tile: of the last digit, and no key is behind it in the order of the sort.
  static constexpr bool can_pad = true;
  ONEPASS_HOST_DEVICE key_bits pad() const { return static_cast<key_bits>(~flip_all); }
  // Ascends in what the places up to this one have sorted, from that bit on; wide keys may begin with a higher place.
  ONEPASS_HOST_DEVICE key_bits sorted_part(key_bits b, int lowest) const {
    const auto sorted = static_cast<key_bits>((b ^ flip_all) & up_to);
    if constexpr (sizeof(key_bits) < 8) return sorted;
    return static_cast<key_bits>(sorted & ~key_bits{0} << lowest);
  }
  // Whether two keys may have other digits here if they differ in these bits.
  ONEPASS_HOST_DEVICE bool may_differ(key_bits differing) const {
    return (static_cast<unsigned>(differing >> shift) & mask) != 0;
  }
};
// Of held keys.
template <class K, bool zeros_are_equal>
struct bits_digits {
  using key = K;
  using key_bits = key_bits_t<K>;
  template <bool meet>
  using digit_type = bits_digit<K, meet>;
  static constexpr bool is_checkable = true;  // whether what is sorted ascends
  static constexpr int max_positions = sizeof(K);
  key_digits<K> of;
  ONEPASS_HOST_DEVICE int positions() const { return of.positions(); }
  ONEPASS_HOST_DEVICE bool is_whole_key() const { return of.is_whole_key(); }
  // Ascends in the order of the sort.
  ONEPASS_HOST_DEVICE key_bits order(key_bits b) const {
    const int unused = static_cast<int>(8 * sizeof(K)) - (of.end_bit - of.begin_bit);
    return static_cast<key_bits>(
        static_cast<key_bits>((bits_digit<K, zeros_are_equal>::canonical(b) ^ of.flip()) >> of.begin_bit << unused));
  }
  ONEPASS_HOST_DEVICE bits_digit<K, zeros_are_equal> at(int position) const {
    const key_digit digit = of.at(position);
    const int end = digit.shift + digit_bits;
    const key_bits up_to =
        static_cast<key_bits>(end < static_cast<int>(8 * sizeof(K)) ? (key_bits{1} << end) - 1 : ~key_bits{0});
    return {digit.shift, digit.mask, digit.flip, of.flip(), up_to};
  }
};

// An item that is held as it is.
template <class T, class Digit>
struct item_digit {
  using key_bits = T;
  Digit digit;
  static constexpr bool can_pad = false;
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
