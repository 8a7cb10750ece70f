// SPDX-License-Identifier: Apache-2.0
// Digits of keys. A split goes by an item's digit, 0 to 255. A sort is a split by each digit of the key in turn, from
// the lowest. Keys are not rewritten in memory. A digit is taken from bits in which the key's order is that of an
// unsigned integer; each pass makes these bits from the key again.
#pragma once

#include <onepass/radix_options.hpp>

#include "../../../core/support/none.hpp"
#include "../../../core/support/radix_keys.hpp"

namespace onepass::detail {

constexpr int digit_bits = 8;
constexpr int digit_values = 1 << digit_bits;

// ---- what splits go by: positions() digits; at(position) gives a function from item to digit ------------------------

// One digit of a key's bits. `flip`: the bits of the digit that are inverted.
struct key_digit {
  int shift;
  unsigned mask, flip;
  template <class Bits>
  ONEPASS_HOST_DEVICE unsigned of(Bits bits) const {
    return (static_cast<unsigned>(bits >> shift) ^ flip) & mask;
  }
};

// The digits of a key's bits [begin_bit, end_bit). The highest has what is left when the others have 8 bits each.
template <class K>
struct key_digits {
  using bits = typename unsigned_of<sizeof(K)>::type;
  int begin_bit, end_bit;
  bool descending;
  bool is_signed;                // keys are signed integers, though K may be the unsigned integer of their size
  bool ties_may_change = false;  // keys that are equal in these bits may come in any order
  bool spreads_bits = false;     // all digits have about as many bits; in wide keys all but the lowest have 8

  // The bits to invert, so that the key bits ascend in the order of the sort.
  ONEPASS_HOST_DEVICE bits flip() const {
    constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
    return static_cast<bits>((is_signed ? sign : bits{0}) ^ (descending ? ~bits{0} : bits{0}));
  }
  ONEPASS_HOST_DEVICE int positions() const { return (end_bit - begin_bit + digit_bits - 1) / digit_bits; }
  ONEPASS_HOST_DEVICE bool is_whole_key() const { return begin_bit == 0 && end_bit == static_cast<int>(8 * sizeof(K)); }
  // Where the digit at a position begins, and the last one ends.
  ONEPASS_HOST_DEVICE int bit_of(int position) const {
    const int by_eights = begin_bit + position * digit_bits;
    if (!spreads_bits || position == 0) return by_eights < end_bit ? by_eights : end_bit;
    return sizeof(K) > 4 ? end_bit - (positions() - position) * digit_bits
                         : begin_bit + (end_bit - begin_bit) * position / positions();
  }
  ONEPASS_HOST_DEVICE key_digit at(int position) const {
    const int shift = bit_of(position), width = bit_of(position + 1) - shift;
    return {shift, (1u << width) - 1, static_cast<unsigned>(flip() >> shift)};
  }
};

// ---- digits of key bits, on the device ------------------------------------------------------------------------------

// One digit of keys that are sorted by their own value. `zeros_are_equal`: -0 counts as +0.
template <class K, bool zeros_are_equal>
struct bits_digit {
  using key_bits = key_bits_t<K>;
  int shift;
  unsigned mask, flip;
  key_bits flip_all;  // `flip` for the whole key
  key_bits up_to;     // the key bits that are sorted by once this digit is
  int begin_bit;      // the lowest bit that keys are sorted by

  using without_negative_zero = bits_digit<K, false>;  // the same where no key is -0
  template <bool others>
  ONEPASS_HOST_DEVICE operator bits_digit<K, others>() const {
    return {shift, mask, flip, flip_all, up_to, begin_bit};
  }

  // The key bits with -0 as +0, if these two are to be equal.
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
  // The digit before the flip, times 2^log, and no other bits.
  template <int log>
  ONEPASS_HOST_DEVICE unsigned scaled(key_bits b) const {
    return (static_cast<unsigned>(canonical(b) >> shift) & mask) << log;
  }
  ONEPASS_HOST_DEVICE unsigned unscaled(unsigned digit) const { return digit ^ (flip & mask); }
  // A filler for tiles that are not full. It has the last digit, and no key comes after it in the order of the sort.
  static constexpr bool can_pad = true;
  static constexpr bool is_checkable = true;  // sorted_part() tells the order of keys
  ONEPASS_HOST_DEVICE key_bits pad() const { return static_cast<key_bits>(~flip_all); }
  // The bits that are sorted by once this digit is: those from `lowest` up to this digit's last bit.
  ONEPASS_HOST_DEVICE key_bits sorted_bits(int lowest) const {
    return static_cast<key_bits>(up_to >> lowest << lowest);
  }
  // A number that ascends as the keys are sorted by those bits.
  ONEPASS_HOST_DEVICE key_bits sorted_part(key_bits b, key_bits sorted_bits) const {
    return static_cast<key_bits>((b ^ flip_all) & sorted_bits);
  }
  // Whether two keys that differ in these bits may differ in this digit.
  ONEPASS_HOST_DEVICE bool may_differ(key_bits differing) const {
    return (static_cast<unsigned>(differing >> shift) & mask) != 0;
  }
};
// All digits of such keys.
template <class K, bool zeros_are_equal>
struct bits_digits {
  using key = K;
  using key_bits = key_bits_t<K>;
  using ordered = key_bits;  // what order() returns
  template <bool meet>
  using digit_type = bits_digit<K, meet>;
  static constexpr bool is_checkable = true;  // sorted_part() can tell whether a pass has kept the order
  static constexpr int max_positions = sizeof(K);
  key_digits<K> of;
  ONEPASS_HOST_DEVICE int positions() const { return of.positions(); }
  ONEPASS_HOST_DEVICE bool is_whole_key() const { return of.is_whole_key(); }
  // A number that ascends in the order of the sort.
  ONEPASS_HOST_DEVICE key_bits order(key_bits b) const {
    const int unused = static_cast<int>(8 * sizeof(K)) - (of.end_bit - of.begin_bit);
    return static_cast<key_bits>(
        static_cast<key_bits>((bits_digit<K, zeros_are_equal>::canonical(b) ^ of.flip()) >> of.begin_bit << unused));
  }
  ONEPASS_HOST_DEVICE bits_digit<K, zeros_are_equal> at(int position) const {
    const key_digit digit = of.at(position);
    const int unused = static_cast<int>(8 * sizeof(K)) - of.bit_of(position + 1);
    const auto up_to = static_cast<key_bits>(static_cast<key_bits>(~key_bits{0}) >> unused);
    return {digit.shift, digit.mask, digit.flip, of.flip(), up_to, of.begin_bit};
  }
};

}  // namespace onepass::detail
