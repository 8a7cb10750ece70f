// SPDX-License-Identifier: Apache-2.0
// From the library's run-time arguments (where, type, operator) to the headers' compile-time ones, with as few kernels
// as serve: integers of one size share those of the unsigned one; what is only moved goes by its size.
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
// Items to calculate with or to compare: an unsigned integer may stand for the signed one of its size, also in C++'s
// rules of access.
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

// Items that are only moved. The attribute lets such an item be any of its size.
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

// Items whose sign counts.
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
