// SPDX-License-Identifier: Apache-2.0
// What a split goes by: the digit of an item, 0 to 255. A sort is a split by each 8-bit digit of the key in turn, from the
// lowest. Keys are never rewritten: a digit is taken from the bits in which the key's order is that of an unsigned integer,
// and those are made again from the key in every pass.
#pragma once

#include <cuda/std/bit>

#include <type_traits>

#include "../../core/config.hpp"

#if ONEPASS_HAS_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace onepass {

// Which bits of a radix sort's key count, and in which direction. For floats, bits are those of the ordered form: bit 31 of
// a float is its (inverted) sign.
struct radix_options {
  bool descending = false;
  int begin_bit = 0;
  int end_bit = -1;  // behind the last one; -1: all bits of the key
};

// `bits` (1 to 8) bits of an integer from bit `shift` on; what split(first, last, out, digit) goes by.
struct digit {
  int shift = 0;
  int bits = 8;
};

namespace detail {

constexpr int digit_bits = 8;
constexpr int digit_values = 1 << digit_bits;

template <std::size_t bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};

template <class K>
constexpr bool is_half = false;
#if ONEPASS_HAS_CUDA
template <>
inline constexpr bool is_half<__half> = true;
template <>
inline constexpr bool is_half<__nv_bfloat16> = true;
#endif

template <class K>
constexpr bool is_float_key = (std::is_floating_point_v<K> && sizeof(K) <= 8) || is_half<K>;
template <class K>
constexpr bool is_radix_key = (std::is_integral_v<K> && sizeof(K) <= 8) || is_float_key<K>;

// The key as an unsigned integer with the same order. Floats: negative ones have all bits inverted, the others the sign,
// so NaNs go to the ends by their sign; -0 becomes +0, as the two are equal and must keep their order.
template <class K>
ONEPASS_HOST_DEVICE auto ordered_bits(const K& key) {
  using bits = typename unsigned_of<sizeof(K)>::type;
  constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
  if constexpr (is_float_key<K>) {
    bits b;
    memcpy(&b, static_cast<const void*>(&key), sizeof b);
    if (b == sign) b = 0;
    return static_cast<bits>(b & sign ? ~b : b | sign);
  } else if constexpr (std::is_signed_v<K>) {
    return static_cast<bits>(static_cast<bits>(key) ^ sign);
  } else {
    return static_cast<bits>(key);
  }
}

// ---- digits of the kinds of splits: at(place) gives a function from item to digit -------------------------------------
template <class K>
struct key_digit {
  int shift;
  unsigned mask, flip;
  ONEPASS_HOST_DEVICE unsigned operator()(const K& key) const {
    return (static_cast<unsigned>(ordered_bits(key) >> shift) ^ flip) & mask;
  }
};

template <class K>
struct key_digits {
  int begin_bit, end_bit;
  bool descending;
  ONEPASS_HOST_DEVICE int places() const { return (end_bit - begin_bit + digit_bits - 1) / digit_bits; }
  ONEPASS_HOST_DEVICE key_digit<K> at(int place) const {
    const int shift = begin_bit + place * digit_bits, left = end_bit - shift;
    return {shift, left < digit_bits ? (1u << left) - 1 : digit_values - 1u, descending ? ~0u : 0u};
  }
};

// Digit 0: pred is true.
template <class Pred>
struct predicate_digit {
  Pred pred;
  ONEPASS_HOST_DEVICE int places() const { return 1; }
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
  ONEPASS_HOST_DEVICE int places() const { return 1; }
  ONEPASS_HOST_DEVICE integer_digit at(int) const { return *this; }
  template <class T>
  ONEPASS_HOST_DEVICE unsigned operator()(const T& x) const {
    return static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(x) >> shift) & mask;
  }
};

}  // namespace detail
}  // namespace onepass
