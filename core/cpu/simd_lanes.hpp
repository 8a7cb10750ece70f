// SPDX-License-Identifier: Apache-2.0
// Operators on the lanes of vectors, and which scans and reductions have them: sum, product, minimum, maximum and the bit
// operators on arithmetic types, the logical ones on bool.
#pragma once

#include <cuda/std/functional>

#include <functional>

#include "../operators.hpp"
#include "simd.hpp"

namespace onepass::detail {

// ---- how lanes are combined -----------------------------------------------------------------------------------------
struct no_lanes {};

// combine: two vectors or two lanes. start(x): a carry that changes nothing when x follows it. fill(v): what is shifted
// into the rows of v from below. combine_unless(heads, a, b): just b in the lanes of `heads`. takes<T>: whether it is the
// operator on such items. is_modular: the low bits of integers depend on the low bits of what is combined alone.

// By an operator with an identity, which start gives whatever x is.
template <class Lanes>
struct lanes_with_identity {
  static constexpr bool is_modular = true;
  template <class Simd>
  static ONEPASS_SIMD_STEP auto fill(const typename Simd::vector&) {
    return Simd::all(Lanes::start(typename Simd::lane()));
  }
  template <class Simd, class Vector = typename Simd::vector>
  static ONEPASS_SIMD_STEP Vector combine_unless(const typename Simd::mask& heads, const Vector& a, const Vector& b) {
    return heads ? b : Lanes::combine(a, b);
  }
};
struct lane_sum : lanes_with_identity<lane_sum> {
  template <class T>
  static constexpr bool takes = !std::is_same_v<T, bool>;
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    return T(a + b);
  }
  // -0 is the float that changes none, not even -0.
  template <class T>
  static T start(T) {
    return std::is_floating_point_v<T> ? T(-0.0) : T(0);
  }
  template <class Simd, class Vector = typename Simd::vector>
  static ONEPASS_SIMD_STEP Vector combine_unless(const typename Simd::mask& heads, const Vector& a, const Vector& b) {
    // Nothing is added instead of a choice, which takes longer.
    using mask = typename Simd::mask;
    const mask kept = mask(a) & ~heads;
    if constexpr (std::is_floating_point_v<typename Simd::lane>)
      return Vector(kept | (heads & mask(Simd::all(start(typename Simd::lane()))))) + b;
    else return Vector(kept) + b;
  }
};
struct lane_product : lanes_with_identity<lane_product> {
  // There is no product of 8-byte integers in AVX2: made of others it took 1.24 ns an item, the plain loop 0.94.
  template <class T>
  static constexpr bool takes = !std::is_same_v<T, bool> && (sizeof(T) < 8 || std::is_floating_point_v<T>);
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>) return T(std::uint64_t{a} * b);  // 16 bits would become an int, and overflow
    else return a * b;
  }
  template <class T>
  static T start(T) {
    return T(1);
  }
};
// On bool they are the logical ones, too.
struct lane_and : lanes_with_identity<lane_and> {
  template <class T>
  static constexpr bool takes = std::is_integral_v<T>;
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    return T(a & b);
  }
  template <class T>
  static T start(T) {
    return T(~T(0));
  }
};
struct lane_or : lanes_with_identity<lane_or> {
  template <class T>
  static constexpr bool takes = std::is_integral_v<T>;
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    return T(a | b);
  }
  template <class T>
  static T start(T) {
    return T(0);
  }
};
struct lane_xor : lanes_with_identity<lane_xor> {
  template <class T>
  static constexpr bool takes = std::is_integral_v<T>;
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    return T(a ^ b);
  }
  template <class T>
  static T start(T) {
    return T(0);
  }
};
// To combine with the first item of a row once more changes nothing.
template <bool smaller>
struct lane_extreme {
  static constexpr bool is_modular = false;
  template <class T>
  static constexpr bool takes = true;
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    if constexpr (smaller) return b < a ? b : a;
    else return a < b ? b : a;
  }
  template <class T>
  static T start(T x) {
    return x;
  }
  template <class Simd>
  static ONEPASS_SIMD_STEP auto fill(const typename Simd::vector& v) {
    return Simd::first_of_rows(v);
  }
  template <class Simd, class Vector = typename Simd::vector>
  static ONEPASS_SIMD_STEP Vector combine_unless(const typename Simd::mask& heads, const Vector& a, const Vector& b) {
    return heads ? b : combine(a, b);
  }
};
// A logical operator is one on bits where all is bool; integers would have to become bool first.
template <class Lanes>
struct lanes_of_bool : Lanes {
  template <class T>
  static constexpr bool takes = std::is_same_v<T, bool>;
};

// ---- which operators have lanes -------------------------------------------------------------------------------------
template <class Op>
struct lanes_of_operator {
  using type = no_lanes;
};
template <class Lanes>
struct has_operator {
  using type = Lanes;
};
template <>
struct lanes_of_operator<sum> : has_operator<lane_sum> {};
template <>
struct lanes_of_operator<product> : has_operator<lane_product> {};
template <>
struct lanes_of_operator<minimum> : has_operator<lane_extreme<true>> {};
template <>
struct lanes_of_operator<maximum> : has_operator<lane_extreme<false>> {};
template <>
struct lanes_of_operator<bit_and> : has_operator<lane_and> {};
template <>
struct lanes_of_operator<bit_or> : has_operator<lane_or> {};
template <>
struct lanes_of_operator<bit_xor> : has_operator<lane_xor> {};
template <>
struct lanes_of_operator<logical_and> : has_operator<lanes_of_bool<lane_and>> {};
template <>
struct lanes_of_operator<logical_or> : has_operator<lanes_of_bool<lane_or>> {};
// The standard library's and Thrust's.
template <class T>
struct lanes_of_operator<std::plus<T>> : has_operator<lane_sum> {};
template <class T>
struct lanes_of_operator<std::multiplies<T>> : has_operator<lane_product> {};
template <class T>
struct lanes_of_operator<std::bit_and<T>> : has_operator<lane_and> {};
template <class T>
struct lanes_of_operator<std::bit_or<T>> : has_operator<lane_or> {};
template <class T>
struct lanes_of_operator<std::bit_xor<T>> : has_operator<lane_xor> {};
template <class T>
struct lanes_of_operator<::cuda::std::plus<T>> : has_operator<lane_sum> {};
template <class T>
struct lanes_of_operator<::cuda::std::multiplies<T>> : has_operator<lane_product> {};
template <class T>
struct lanes_of_operator<::cuda::std::bit_and<T>> : has_operator<lane_and> {};
template <class T>
struct lanes_of_operator<::cuda::std::bit_or<T>> : has_operator<lane_or> {};
template <class T>
struct lanes_of_operator<::cuda::std::bit_xor<T>> : has_operator<lane_xor> {};

// Sums and their like of integers are taken modulo 2^bits of the stored type, which is all of them that is stored. Lanes
// are unsigned then, so that no overflow is undefined.
template <class Lanes, class In, class Value, class Out>
constexpr bool has_lanes = [] {
  if constexpr (std::is_same_v<Lanes, no_lanes>) {
    return false;
  } else {
    constexpr bool integers = std::is_integral_v<In> && std::is_integral_v<Out> && std::is_integral_v<Value>;
    constexpr bool bools = std::is_same_v<In, bool> || std::is_same_v<Out, bool> || std::is_same_v<Value, bool>;
    constexpr bool floats = std::is_same_v<In, float> || std::is_same_v<In, double>;
    constexpr bool same = std::is_same_v<In, Value> && std::is_same_v<In, Out>;
    if (!Lanes::template takes<In> || sizeof(In) > 8) return false;  // not of 128 bits
    if (Lanes::is_modular && integers && !bools) return sizeof(In) == sizeof(Out) && sizeof(Out) <= sizeof(Value);
    return same && (integers || floats);
  }
}();
template <class Lanes, class In>
using lane_type = std::conditional_t<std::is_floating_point_v<In>, In,
                                     integer_of_size<sizeof(In), std::is_signed_v<In> && !Lanes::is_modular>>;

}  // namespace onepass::detail
