// SPDX-License-Identifier: Apache-2.0
// Which types are keys of a radix sort, and the two unsigned integers that stand for a key: its ordered bits on the
// CPU, its key bits on the device.
#pragma once

#include <cstring>
#include <type_traits>

#include "half.hpp"

namespace onepass::detail {

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

// The standard's traits know 128-bit integers only where the compiler's extensions are on.
template <class K>
constexpr bool is_wide_integer = false;
template <class K>
constexpr bool is_signed_integer = std::is_integral_v<K>&& std::is_signed_v<K>;
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
template <>
struct unsigned_of<16> {
  using type = uint128;
};
template <>
inline constexpr bool is_wide_integer<uint128> = true;
template <>
inline constexpr bool is_wide_integer<int128> = true;
template <>
inline constexpr bool is_signed_integer<int128> = true;
#endif

template <class K>
constexpr bool is_integer_key = (std::is_integral_v<K> && sizeof(K) <= 8) || is_wide_integer<K>;
template <class K>
constexpr bool is_float_key = (std::is_floating_point_v<K> && sizeof(K) <= 8) || is_half<K>;
template <class K>
constexpr bool is_radix_key = is_integer_key<K> || is_float_key<K>;

// The type that a sort takes keys for. Signed and unsigned integers of a size share all code, because a sign is only a
// bit to invert. Types are merged only where C++ lets one stand for the other in memory.
template <class K>
auto sort_key_of() {
  if constexpr (is_integer_key<K> && sizeof(K) == 1) return static_cast<unsigned char>(0);
  else if constexpr (is_wide_integer<K>) return typename unsigned_of<sizeof(K)>::type();
  else if constexpr (is_signed_integer<K> && !std::is_same_v<K, wchar_t>) return std::make_unsigned_t<K>();
  else return K();
}
template <class K>
using sort_key = decltype(sort_key_of<K>());

template <class K>
using key_bits_t = typename unsigned_of<sizeof(K)>::type;
template <class K>
constexpr key_bits_t<K> sign_of = static_cast<key_bits_t<K>>(key_bits_t<K>{1} << (8 * sizeof(K) - 1));

// The ordered bits of a key: an unsigned integer with the order of the keys, except that signed integers' sign is not
// yet inverted. Negative floats have all bits inverted, the others their sign, so NaNs go to the ends by their sign. -0
// becomes +0: the two are equal, and a stable sort must keep their order.
template <class K>
ONEPASS_HOST_DEVICE key_bits_t<K> ordered_bits(const K& key) {
  if constexpr (is_float_key<K>) {
    key_bits_t<K> b;
    memcpy(&b, static_cast<const void*>(&key), sizeof b);
    if (b == sign_of<K>) b = 0;
    return static_cast<key_bits_t<K>>(b & sign_of<K> ? ~b : b | sign_of<K>);
  } else {
    return static_cast<key_bits_t<K>>(key);
  }
}

// ---- key bits on the device -----------------------------------------------------------------------------------------
// In registers and in a tile, the device has a key as an unsigned integer. Its digits are cheap, and the key can be
// made from it again. Integers are as they are; floats are in their ordered form, which is made once a load. In that
// form -0 stands right below +0. A sort that must not tell the two apart (`zeros_are_equal`) takes -0 for +0 whenever
// it looks at a digit.
template <class K>
constexpr key_bits_t<K> negative_zero_bits = static_cast<key_bits_t<K>>(sign_of<K> - 1);

template <class K>
ONEPASS_HOST_DEVICE key_bits_t<K> to_key_bits(const K& key) {
  key_bits_t<K> b;
  memcpy(&b, static_cast<const void*>(&key), sizeof b);
  if constexpr (is_float_key<K>) b = static_cast<key_bits_t<K>>(b & sign_of<K> ? ~b : b | sign_of<K>);
  return b;
}
template <class K>
ONEPASS_HOST_DEVICE K from_key_bits(key_bits_t<K> b) {
  if constexpr (is_float_key<K>) b = static_cast<key_bits_t<K>>(b & sign_of<K> ? b ^ sign_of<K> : ~b);
  K key;
  memcpy(static_cast<void*>(&key), &b, sizeof b);
  return key;
}

}  // namespace onepass::detail
