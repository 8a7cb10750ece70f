// SPDX-License-Identifier: Apache-2.0
// The library's floats of 16 bits as the engine takes them: stored in 16 bits, and calculated with as floats. Each result is
// rounded once, to the nearest, and of two equally near ones to the even one. They need no header of CUDA's, so that the CPU
// has them in all builds.
#pragma once

#include <cstdint>
#include <cstring>

#include "../../core/support/accumulator.hpp"
#include "../../core/support/half.hpp"

namespace onepass::library::detail {

// ---- binary16 (IEEE 754): 1 bit of sign, 5 of exponent, 10 of fraction ----------------------------------------------
// As a float's bits, shifted by 13, its exponent is too small by 127 - 15.
constexpr std::uint32_t float_sign = 0x80000000u;
constexpr std::uint32_t float_infinity = 0x7f800000u;

inline float float_of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline std::uint32_t bits_of_float(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float float_of_binary16(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  // Subnormal numbers have the fraction of a number above 2^-14. Their floats are normal, and so are these two, as a caller may
  // have set that subnormal floats are zero.
  const std::uint32_t subnormal = bits_of_float(float_of_bits(normal + (1u << 23)) - 0x1p-14f);
  std::uint32_t bits = magnitude < 0x400u ? subnormal : normal;
  if (magnitude >= 0x7c00u) bits = magnitude << 13 | float_infinity;  // infinity and NaN have the largest exponent
  return float_of_bits(bits | (half & 0x8000u) << 16);
}

inline std::uint16_t binary16_of_float(float x) {
  const std::uint32_t bits = bits_of_float(x), magnitude = bits & ~float_sign;
  // Normal numbers: the exponent is made smaller; half of the last bit that stays is added before the rest is cut off, and a
  // bit less if that last bit is 0. What is too large becomes infinity by itself, below 2^17.
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  // Subnormal numbers: the sum with 1/2 has the result in its last bits, rounded.
  const std::uint32_t subnormal = bits_of_float(float_of_bits(magnitude) + 0.5f) - (126u << 23);
  std::uint32_t half = magnitude < (113u << 23) ? subnormal : normal;
  if (magnitude >= 0x47800000u) half = 0x7c00u;  // 2^16
  if (magnitude > float_infinity) half = 0x7e00u | (magnitude >> 13 & 0x1ffu);
  return static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000u));
}

// ---- bfloat16: the upper half of a float ----------------------------------------------------------------------------
inline std::uint16_t bfloat16_of_float(float x) {
  const std::uint32_t bits = bits_of_float(x);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  const std::uint32_t quiet = bits >> 16 | 0x40u;
  return static_cast<std::uint16_t>((bits & ~float_sign) > float_infinity ? quiet : rounded);
}

// ---- the types ------------------------------------------------------------------------------------------------------
// The attribute allows such an item to stand for any other of its size.
template <bool is_bfloat16>
struct __attribute__((may_alias)) stored_float {
  std::uint16_t bits;

  stored_float() = default;
  ONEPASS_HOST_DEVICE stored_float(float x) : bits(rounded(x)) {}
  ONEPASS_HOST_DEVICE operator float() const {
#if defined(__CUDA_ARCH__)
    return is_bfloat16 ? __uint_as_float(static_cast<unsigned>(bits) << 16) : __half2float(__ushort_as_half(bits));
#else
    return is_bfloat16 ? float_of_bits(static_cast<std::uint32_t>(bits) << 16) : float_of_binary16(bits);
#endif
  }

 private:
  static ONEPASS_HOST_DEVICE std::uint16_t rounded(float x) {
#if defined(__CUDA_ARCH__)
    return is_bfloat16 ? __bfloat16_as_ushort(__float2bfloat16_rn(x)) : __half_as_ushort(__float2half_rn(x));
#else
    return is_bfloat16 ? bfloat16_of_float(x) : binary16_of_float(x);
#endif
  }
};
using stored_half = stored_float<false>;
using stored_bfloat16 = stored_float<true>;

}  // namespace onepass::library::detail

namespace onepass::detail {

template <bool is_bfloat16>
inline constexpr bool is_half<library::detail::stored_float<is_bfloat16>> = true;

template <bool is_bfloat16>
struct calculated_as<library::detail::stored_float<is_bfloat16>> {
  using type = float;
};

}  // namespace onepass::detail
