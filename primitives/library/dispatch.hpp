// SPDX-License-Identifier: Apache-2.0
// From the library's run-time arguments (where, type, operator) to the headers' compile-time ones, with as few kernels
// as serve: integers of one size share those of the unsigned one; what is only moved or compared goes by its size.
#pragma once

#include <cstring>

#include "../../core/policy.hpp"
#include "../include/onepass/library.hpp"

namespace onepass::library::detail {

// ---- checks ---------------------------------------------------------------------------------------------------------
inline index_t checked_size(const char* call, std::size_t n) {
  if (n > static_cast<std::size_t>(PTRDIFF_MAX) / 8) throw invalid_argument(call, "n is more than memory can hold");
  return static_cast<index_t>(n);
}
// Before anything is added to the pointer.
inline void check_pointer(const char* call, const char* name, const void* data, std::size_t n) {
  if (data == nullptr && n > 0) throw invalid_argument(call, std::string(name) + " is null and the range is not empty");
}

// ---- where: calls f(policy) -----------------------------------------------------------------------------------------
template <class F>
auto with_policy([[maybe_unused]] const char* call, const execution& where, F f) {
  if (!where.on_cuda()) return f(onepass::cpu(where.threads()));
#if ONEPASS_HAS_CUDA
  return f(onepass::cuda(static_cast<stream_t>(where.stream())));
#else
  throw invalid_argument(call, "execution::cuda() was asked for, but this library was built without CUDA");
#endif
}

// ---- types: call f(a pointer to an item of the engine's type) -------------------------------------------------------
// Items to calculate with. An unsigned integer may stand for the signed one of its size, in C++'s rules for access too.
template <class F>
auto with_number(type kind, F f) {
  switch (kind) {
    case type::int32:
    case type::uint32: return f(static_cast<std::uint32_t*>(nullptr));
    case type::int64:
    case type::uint64: return f(static_cast<std::uint64_t*>(nullptr));
    case type::float32: return f(static_cast<float*>(nullptr));
    default: return f(static_cast<double*>(nullptr));
  }
}

// Items that are only moved or compared. The attribute lets such an item be any of its size.
template <class Bits>
struct __attribute__((may_alias)) raw {
  Bits bits;
};
constexpr bool is_wide(type kind) { return kind == type::int64 || kind == type::uint64 || kind == type::float64; }
template <class F>
auto with_raw(type kind, F f) {
  if (is_wide(kind)) return f(static_cast<raw<std::uint64_t>*>(nullptr));
  return f(static_cast<raw<std::uint32_t>*>(nullptr));
}

// Whether two raw items are equal as what they stand for.
struct raw_equal {
  bool floats;
  template <class Bits>
  ONEPASS_HOST_DEVICE bool operator()(const raw<Bits>& a, const raw<Bits>& b) const {
    if (!floats) return a.bits == b.bits;
    std::conditional_t<sizeof(Bits) == 4, float, double> x, y;
    memcpy(&x, &a.bits, sizeof x);
    memcpy(&y, &b.bits, sizeof y);
    return x == y;
  }
};
inline raw_equal equality_of(type kind) { return {kind == type::float32 || kind == type::float64}; }

template <class T>
const T* as(T*, const void* data) {
  return static_cast<const T*>(data);
}
template <class T>
T* as(T*, void* data) {
  return static_cast<T*>(data);
}
template <class T>
T value_at(T*, const void* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

// ---- operators ------------------------------------------------------------------------------------------------------
// Any of the enumeration, chosen at run time: one kernel serves all. The choice is the same in all threads.
template <class T>
struct any_operator {
  op by;
  bool is_signed;  // T is an unsigned integer that stands for a signed one
  ONEPASS_HOST_DEVICE T operator()(T a, T b) const {
    switch (by) {
      case op::sum: return a + b;
      case op::product: return a * b;
      case op::minimum: return less(b, a) ? b : a;
      case op::maximum: return less(a, b) ? b : a;
      default: return bitwise(a, b);
    }
  }

 private:
  ONEPASS_HOST_DEVICE bool less(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      const T sign = is_signed ? T(1) << (8 * sizeof(T) - 1) : T(0);
      return (a ^ sign) < (b ^ sign);
    } else {
      return a < b;
    }
  }
  ONEPASS_HOST_DEVICE T bitwise(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return by == op::bit_and ? a & b : by == op::bit_or ? a | b : a ^ b;
    } else {
      return a;  // checked_operator lets none through
    }
  }
};

template <class T>
any_operator<T> checked_operator(const char* call, op by, type kind) {
  if (by < op::sum || by > op::bit_xor) throw invalid_argument(call, "the operator is none of the enumeration");
  if (!std::is_integral_v<T> && by >= op::bit_and) throw invalid_argument(call, "operators on bits are for integers");
  return {by, kind == type::int32 || kind == type::int64};
}

}  // namespace onepass::library::detail
