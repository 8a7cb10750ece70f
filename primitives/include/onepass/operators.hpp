// SPDX-License-Identifier: Apache-2.0
// onepass/operators.hpp: associative function objects for scans and reductions. Nothing in onepass assumes that an
// operator is commutative. Any other associative functor can be passed wherever these can.
// Source: G. Blelloch, "Prefix Sums and Their Applications" (1990), sections 1.2 (monoids), 1.4 (recurrences: affine)
// and 1.5 (segmented).
#pragma once

#include <cuda/std/limits>

#include <type_traits>

#include "config.hpp"

namespace onepass {

// A namespace of their own, so that a call of Thrust's on them, unqualified inside Thrust, does not find onepass's
// function of the same name by argument-dependent look-up. Users say onepass::sum.
namespace operators {

// The arithmetic ones are transparent, as std::plus<> is: the result has the type that the built-in operator gives,
// which is int for bytes. A call converts it to the type that it computes in (onepass/scan.hpp). Sums and products of
// floats are associative only nearly, so their last bits depend on the grouping; a call groups in the same way on every
// run. Signed integers wrap around: a group of items may overflow where the whole does not.
struct sum {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE auto operator()(const A& a, const B& b) const -> decltype(a + b) {
    using result = decltype(a + b);
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
      using bits = std::make_unsigned_t<result>;
      return static_cast<result>(static_cast<bits>(a) + static_cast<bits>(b));
    } else {
      return a + b;
    }
  }
};
struct product {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE auto operator()(const A& a, const B& b) const -> decltype(a * b) {
    using result = decltype(a * b);
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
      using bits = std::make_unsigned_t<result>;
      return static_cast<result>(static_cast<bits>(a) * static_cast<bits>(b));
    } else {
      return a * b;
    }
  }
};
// The smaller or the larger one; the first of equal ones. With a NaN these are not associative, as in Thrust: the
// result then depends on the grouping. Of +0 and -0, which are equal, the CPU's vectors may give either.
struct minimum {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  constexpr ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct maximum {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  constexpr ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
// On the values as bool.
struct logical_or {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE bool operator()(const A& a, const B& b) const {
    return a || b;
  }
};
struct logical_and {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE bool operator()(const A& a, const B& b) const {
    return a && b;
  }
};
// On the bits of integers.
struct bit_and {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE auto operator()(const A& a, const B& b) const -> decltype(a & b) {
    return a & b;
  }
};
struct bit_or {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE auto operator()(const A& a, const B& b) const -> decltype(a | b) {
    return a | b;
  }
};
struct bit_xor {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE auto operator()(const A& a, const B& b) const -> decltype(a ^ b) {
    return a ^ b;
  }
};

// The map x -> a x + b. An inclusive scan of maps with `affine` solves y[i] = a[i] y[i-1] + b[i]: the b of result i is
// y[i] for y[-1] = 0; for another y[-1] it is a y[-1] + b of that result. Not commutative. Factors are multiplied with
// each other, too. Where a product of neighbours is too large for a float, or so small that it is 0, results may differ
// from a loop's: infinite, NaN, or without what came before.
//
//   std::vector<onepass::affine_map<int>> x = {{2, 1}, {3, 0}, {1, 5}};
//   onepass::inclusive_scan(x.begin(), x.end(), x.begin(), onepass::affine{});
//   const int last = x[2].b;  // last = 8
template <class T>
struct affine_map {
  T a, b;
  friend constexpr ONEPASS_HOST_DEVICE bool operator==(const affine_map& x, const affine_map& y) {
    return x.a == y.a && x.b == y.b;
  }
};
struct affine {  // first f, then g
  template <class T>
  constexpr ONEPASS_HOST_DEVICE affine_map<T> operator()(const affine_map<T>& f, const affine_map<T>& g) const {
    return {static_cast<T>(g.a * f.a), static_cast<T>(g.a * f.b + g.b)};
  }
};

// A value and whether a segment starts at it. `segmented<Op>` makes one scan of many: it starts anew at every head
// flag, and is associative when Op is. Not commutative.
template <class T>
struct flagged {
  // As wide as the value up to 4 bytes: bytes that pad a pair would have to be moved, too, and one by one.
  using flag = std::conditional_t<alignof(T) == 1, std::uint8_t,
                                  std::conditional_t<alignof(T) == 2, std::uint16_t, std::uint32_t>>;
  T value;
  flag head;
};
template <class Op>
struct segmented {
  mutable Op op;  // its operator() may lack the const
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  constexpr ONEPASS_HOST_DEVICE flagged<T> operator()(const flagged<T>& a, const flagged<T>& b) const {
    if (b.head) return b;
    return {static_cast<T>(op(a.value, b.value)), a.head};
  }
};

}  // namespace operators
using namespace operators;

// identity_of<Op, T>::value() is e with op(e, x) == x == op(x, e), for the operators that have one. No call needs it:
// it is there for users, and to be specialised by them.
template <class Op, class T>
struct identity_of;
template <class T>
struct identity_of<sum, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return T(0); }
};
template <class T>
struct identity_of<product, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return T(1); }
};
template <class T>
struct identity_of<minimum, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() {
    using limits = ::cuda::std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
};
template <class T>
struct identity_of<maximum, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() {
    using limits = ::cuda::std::numeric_limits<T>;
    return limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
  }
};
template <class T>
struct identity_of<logical_or, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return T(0); }
};
template <class T>
struct identity_of<logical_and, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return T(1); }
};
template <class T>
struct identity_of<bit_and, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return static_cast<T>(~T(0)); }
};
template <class T>
struct identity_of<bit_or, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return T(0); }
};
template <class T>
struct identity_of<bit_xor, T> {
  static constexpr ONEPASS_HOST_DEVICE T value() { return T(0); }
};
template <class T>
struct identity_of<affine, affine_map<T>> {
  static constexpr ONEPASS_HOST_DEVICE affine_map<T> value() { return {T(1), T(0)}; }
};
template <class Op, class T>
struct identity_of<segmented<Op>, flagged<T>> {
  static constexpr ONEPASS_HOST_DEVICE flagged<T> value() { return {identity_of<Op, T>::value(), false}; }
};

}  // namespace onepass
