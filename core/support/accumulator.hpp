// SPDX-License-Identifier: Apache-2.0
// The types in which calls combine values. They are Thrust's, on both backends. Each item is converted to the
// accumulator's type before it is combined, and so is each result of the operator.
//
//   call                                                       accumulator
//   inclusive scans of all kinds                               the items' type (what `unary` returns)
//   inclusive scans with an initial value                      what op(init, item) returns (P2322)
//   exclusive scans of all kinds                               the initial value's type; without one the items'
//   reduce_by_key, segmented_reduce by flags                   the values' type
//   segmented_reduce by offsets                                what op(init, item) returns, as in CUB
//
// So a sum of bytes into ints wraps at 8 bits, and a sum of bools is an or. For wider results a caller gives an initial
// value of a wider type. This is what Thrust documents (P0571, P2322) and what its CUDA and sequential systems do.
#pragma once

#include <cuda/std/functional>
#include <thrust/iterator/detail/any_assign.h>

#include <functional>

#include "iterator.hpp"
#include "none.hpp"
#include <onepass/operators.hpp>

namespace onepass::detail {

// ---- Thrust's rule, a family a line ---------------------------------------------------------------------------------
// The type of op(init, item). If op does not take these two, numbers become what holds both, all else the initial value's.
template <class Init, class T, bool = (std::is_arithmetic_v<Init> && std::is_arithmetic_v<T>)>
struct common_number {
  using type = Init;
};
template <class Init, class T>
struct common_number<Init, T, true> : std::common_type<Init, T> {};
template <class Op, class Init, class T, bool = std::is_invocable_v<Op&, Init&, T&>>
struct combined_type {
  using type = std::decay_t<std::invoke_result_t<Op&, Init&, T&>>;
};
template <class Op, class Init, class T>
struct combined_type<Op, Init, T, false> : common_number<Init, T> {};

template <bool inclusive, class Op, class Init, class T>
struct scan_accumulator {
  using type = std::decay_t<Init>;
};
template <class Op, class Init, class T>
struct scan_accumulator<true, Op, Init, T> : combined_type<Op, Init, T> {};
template <bool inclusive, class Op, class T>
struct scan_accumulator<inclusive, Op, none, T> {
  using type = T;
};
template <class Op, class T>
struct scan_accumulator<true, Op, none, T> {
  using type = T;
};

template <class Op, class Init, class T>
struct reduce_accumulator : combined_type<Op, Init, T> {};
template <class Op, class T>
struct reduce_accumulator<Op, none, T> {
  using type = T;
};

// ---- modular operators ----------------------------------------------------------------------------------------------
// On integers, the low bits of their results depend on the low bits of the operands alone. `operand` is the type that
// an operator converts its operands to, or void if it takes them without conversion.
template <class Op>
struct known_operator {
  static constexpr bool is_modular = false;
  using operand = void;
};
template <class T>
struct modular_operator {
  static constexpr bool is_modular = true;
  using operand = T;
};
template <>
struct known_operator<sum> : modular_operator<void> {};
template <>
struct known_operator<product> : modular_operator<void> {};
template <>
struct known_operator<bit_and> : modular_operator<void> {};
template <>
struct known_operator<bit_or> : modular_operator<void> {};
template <>
struct known_operator<bit_xor> : modular_operator<void> {};
template <class T>
struct known_operator<std::plus<T>> : modular_operator<T> {};
template <class T>
struct known_operator<std::multiplies<T>> : modular_operator<T> {};
template <class T>
struct known_operator<std::bit_and<T>> : modular_operator<T> {};
template <class T>
struct known_operator<std::bit_or<T>> : modular_operator<T> {};
template <class T>
struct known_operator<std::bit_xor<T>> : modular_operator<T> {};
template <class T>
struct known_operator<::cuda::std::plus<T>> : modular_operator<T> {};
template <class T>
struct known_operator<::cuda::std::multiplies<T>> : modular_operator<T> {};
template <class T>
struct known_operator<::cuda::std::bit_and<T>> : modular_operator<T> {};
template <class T>
struct known_operator<::cuda::std::bit_or<T>> : modular_operator<T> {};
template <class T>
struct known_operator<::cuda::std::bit_xor<T>> : modular_operator<T> {};

template <class T>
constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// Whether an operator's conversion of its operands keeps the low bits of a T.
template <class Op, class T>
constexpr bool keeps_bits_of = [] {
  using operand = typename known_operator<Op>::operand;
  if constexpr (std::is_void_v<operand> || std::is_same_v<operand, T>) return true;
  else return is_number<operand> && is_number<T> && sizeof(operand) >= sizeof(T);
}();

// ---- the type that the engine works in ------------------------------------------------------------------------------
// Mostly this is the accumulator. For a modular operator on integers, with an output array of integers that are no
// wider than the accumulator, it is the type that the operator returns, without a sign, which cannot overflow (unsigned
// for bytes, where that is int). The stored bits are the same, and no result has to be truncated on the way.
template <class Accumulator, class Op, class T, class Out>
constexpr bool may_widen = [] {
  using operand = typename known_operator<Op>::operand;
  if constexpr (std::is_pointer_v<Out> && known_operator<Op>::is_modular &&
                (std::is_void_v<operand> || std::is_unsigned_v<operand>)) {
    using out = std::remove_pointer_t<Out>;
    if constexpr (is_number<Accumulator> && std::is_integral_v<T> && is_number<out>) {
      using result = std::decay_t<std::invoke_result_t<Op&, Accumulator&, Accumulator&>>;
      return sizeof(out) <= sizeof(Accumulator) && is_number<result> && sizeof(result) > sizeof(Accumulator) &&
             keeps_bits_of<Op, Accumulator>;
    }
  }
  return false;
}();
//
// Items may also have a type that is only stored, such as a float of 16 bits. It names the type that stands for it here,
// and which converts to it and from it. Results then are converted once, when they are written.
template <class T>
struct calculated_as {
  using type = T;
};
template <class Accumulator, class Op, bool widens>
struct work_type : calculated_as<Accumulator> {};
template <class Accumulator, class Op>
struct work_type<Accumulator, Op, true> {
  using type = std::make_unsigned_t<std::decay_t<std::invoke_result_t<Op&, Accumulator&, Accumulator&>>>;
};

// T is the type of the items, or of what `unary` makes of them. Out is the output, unwrapped.
template <bool inclusive, class Op, class Init, class T, class Out>
using scanned_type =
    typename work_type<typename scan_accumulator<inclusive, Op, Init, T>::type, Op,
                       may_widen<typename scan_accumulator<inclusive, Op, Init, T>::type, Op, T, Out>>::type;
template <class Op, class Init, class T, class Out>
using reduced_type = typename work_type<typename reduce_accumulator<Op, Init, T>::type, Op,
                                        may_widen<typename reduce_accumulator<Op, Init, T>::type, Op, T, Out>>::type;

// ---- default operators ----------------------------------------------------------------------------------------------
// Whether an iterator's items have a type. The items of some output iterators can only be assigned to, and have none.
template <class Out, class = void>
constexpr bool has_items = false;
template <class Out>
constexpr bool has_items<Out, std::void_t<value_of<Out>>> =
    !std::is_void_v<value_of<Out>> && !std::is_same_v<value_of<Out>, thrust::detail::any_assign>;

// The operator of reduce_by_key where the caller gives none. It adds values as items of the output's type, as Thrust
// does. For integers that is `sum`.
template <class Values, class Out>
auto default_reduction() {
  if constexpr (has_items<Out>) {
    using value = value_of<Values>;
    using out = value_of<Out>;
    constexpr bool are_numbers = is_number<value> && is_number<out>;
    if constexpr (!std::is_same_v<value, out> && !are_numbers) return ::cuda::std::plus<out>{};
    else return sum{};
  } else {
    return sum{};
  }
}

}  // namespace onepass::detail
