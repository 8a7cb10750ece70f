// SPDX-License-Identifier: Apache-2.0
// Turns the library's run-time arguments (where, type, operator) into the headers' compile-time ones, with as few
// kernels as possible: signed and unsigned integers of a size share kernels, and so do all items of a size that are
// only moved.
#pragma once

#include <cstring>

#include "../../core/execution/resolve_policy.hpp"
#include <onepass/library.hpp>

namespace onepass::library::detail {

// ---- checks ---------------------------------------------------------------------------------------------------------
inline index_t checked_size(const char* call, std::size_t n) {
  if (n > static_cast<std::size_t>(PTRDIFF_MAX) / 8) throw invalid_argument(call, "n is more than memory can hold");
  return static_cast<index_t>(n);
}
// To be called before anything is added to the pointer.
inline void check_pointer(const char* call, const char* name, const void* data, std::size_t n) {
  if (data == nullptr && n > 0) throw invalid_argument(call, std::string(name) + " is null and the range is not empty");
}

// ---- where a call runs ----------------------------------------------------------------------------------------------
// Calls f(policy).
template <class F>
auto with_policy([[maybe_unused]] const char* call, const execution& where, F f) {
  if (!where.on_cuda()) return f(onepass::cpu(where.threads()));
#if ONEPASS_HAS_CUDA
  return f(onepass::cuda(static_cast<stream_t>(where.stream())));
#else
  throw invalid_argument(call, "execution::cuda() was asked for, but this library was built without CUDA");
#endif
}

// ---- types ----------------------------------------------------------------------------------------------------------
// These call f(a null pointer to the type of items that the headers are given).

// For items that are calculated with, or compared for equality. An unsigned integer stands for the signed one of its
// size; C++ allows that one is read as the other.
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

// For items that are only moved. The attribute allows such an item to stand for any other of its size.
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

// For items whose sign counts.
template <class F>
auto with_type(type kind, F f) {
  switch (kind) {
    case type::int32: return f(static_cast<std::int32_t*>(nullptr));
    case type::int64: return f(static_cast<std::int64_t*>(nullptr));
    default: return with_number(kind, f);
  }
}

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
template <class T>
void check_operator(const char* call, op by) {
  if (by < op::sum || by > op::bit_xor) throw invalid_argument(call, "the operator is none of the enumeration");
  if (!std::is_integral_v<T> && by >= op::bit_and) throw invalid_argument(call, "operators on bits are for integers");
}

}  // namespace onepass::library::detail
