// SPDX-License-Identifier: Apache-2.0
// Turns the library's run-time arguments (where, type, operator) into the headers' compile-time ones, with as few
// kernels as possible: signed and unsigned integers of a size share kernels, and so do all items of a size that are
// only moved.
#pragma once

#include <cuda/std/functional>

#include <cstring>

#include "../../core/execution/resolve_policy.hpp"
#include <onepass/library.hpp>
#include <onepass/operators.hpp>
#include "library_half.hpp"

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

// Indices of n items that are written as a type.
constexpr index_t most_narrow = index_t{1} << 32;  // indices that 32 bits can say
inline void check_indices(const char* call, type kind, index_t n) {
  if ((kind == type::int32 && n > most_narrow / 2) || (kind == type::uint32 && n > most_narrow))
    throw invalid_argument(call, "n is more than an index can say");
}
// How many flags are set, or how many are not, for the call of that name.
std::size_t count_set(const char* call, const execution& where, const std::uint8_t* flags, std::size_t size, bool set);

// ---- where a call runs ----------------------------------------------------------------------------------------------
// The caller's allocator, as the engine asks one of Thrust's.
struct named_source {
  const char* call;
  allocator source;

  onepass::detail::policy_allocator as_policys() {
    if ((source.allocate == nullptr) != (source.release == nullptr))
      throw invalid_argument(call, "the allocator has one of its two functions");
    if (source.allocate == nullptr) return {};
    return {this,
            [](void* self, std::size_t bytes) -> void* {
              const auto& of = *static_cast<named_source*>(self);
              void* memory = of.source.allocate(of.source.context, bytes);
              if (memory == nullptr) throw bad_alloc(of.call);
              return memory;
            },
            [](void* self, void* memory, std::size_t bytes) {
              const auto& of = *static_cast<named_source*>(self);
              of.source.release(of.source.context, memory, bytes);
            }};
  }
};

// Calls f(policy), where the policy has no size in memory.
template <class F>
auto with_plain_policy(const char* call, const execution& where, F f) {
  named_source source{call, where.source()};
  if (!where.on_cuda()) return f(onepass::cpu(where.threads()).as_thrusts(source.as_policys()));
#if ONEPASS_HAS_CUDA
  return f(onepass::cuda(static_cast<stream_t>(where.stream())).as_thrusts(false, source.as_policys()));
#else
  throw invalid_argument(call, "execution::cuda() was asked for, but this library was built without CUDA");
#endif
}

// Calls f(policy). A size in memory is the policy's on CUDA, null or not, so that plain calls need no kernels of their own; on
// the CPU items_of has read it.
template <class F>
auto with_policy(const char* call, const execution& where, F f) {
  return with_plain_policy(call, where, [&](const auto& policy) {
    if constexpr (onepass::detail::on_cuda<std::decay_t<decltype(policy)>>) return f(policy.sized_by(where.size()));
    else return f(policy);
  });
}

inline bool device_knows_size(const execution& where) { return where.on_cuda() && where.size() != nullptr; }
// How many items a call works on, of n that there is room for: on the CPU no more than a size in memory says, on CUDA n.
inline index_t items_of(const execution& where, index_t n) {
  return where.on_cuda() ? n : onepass::detail::item_count{n, where.size()}.get();
}
inline index_t checked_items(const char* call, const execution& where, std::size_t n) {
  return items_of(where, checked_size(call, n));
}
// Throws if a call would write its count where its size stands.
inline void check_count(const char* call, const execution& where, const std::int64_t* count) {
  if (count != nullptr && count == where.size()) throw invalid_argument(call, "count is where the execution's size is");
}

// ---- types ----------------------------------------------------------------------------------------------------------
// These call f(a null pointer to the type of items that the headers are given).

// For integers whose sign does not count. An unsigned integer stands for the signed one of its size; C++ allows that one
// is read as the other.
template <class F>
auto with_unsigned(type kind, F f) {
  switch (kind) {
    case type::int8:
    case type::uint8: return f(static_cast<std::uint8_t*>(nullptr));
    case type::int16:
    case type::uint16: return f(static_cast<std::uint16_t*>(nullptr));
    case type::int32:
    case type::uint32: return f(static_cast<std::uint32_t*>(nullptr));
    default: return f(static_cast<std::uint64_t*>(nullptr));
  }
}

// For items that are calculated with where the sign does not count, or that are compared for equality.
template <class F>
auto with_number(type kind, F f) {
  switch (kind) {
    case type::float32: return f(static_cast<float*>(nullptr));
    case type::float64: return f(static_cast<double*>(nullptr));
    case type::float16: return f(static_cast<stored_half*>(nullptr));
    case type::bfloat16: return f(static_cast<stored_bfloat16*>(nullptr));
    default: return with_unsigned(kind, f);
  }
}

template <class F>
auto with_float(type kind, F f) {
  if (kind == type::float32) return f(static_cast<float*>(nullptr));
  return f(static_cast<double*>(nullptr));
}

// For items that are only moved. The attribute allows such an item to stand for any other of its size.
template <class Bits>
struct __attribute__((may_alias)) raw {
  Bits bits;
};
constexpr bool is_half_kind(type kind) { return kind == type::float16 || kind == type::bfloat16; }
constexpr bool is_narrow(type kind) { return kind <= type::uint16; }  // an integer of 8 or 16 bits
constexpr bool is_wide(type kind) { return kind == type::int64 || kind == type::uint64 || kind == type::float64; }
template <class F>
auto with_raw(type kind, F f) {
  switch (kind) {
    case type::int8:
    case type::uint8: return f(static_cast<raw<std::uint8_t>*>(nullptr));
    case type::int16:
    case type::uint16:
    case type::float16:
    case type::bfloat16: return f(static_cast<raw<std::uint16_t>*>(nullptr));
    default: break;
  }
  if (is_wide(kind)) return f(static_cast<raw<std::uint64_t>*>(nullptr));
  return f(static_cast<raw<std::uint32_t>*>(nullptr));
}
// For integers of 8 and 16 bits whose sign counts.
template <class F>
auto with_short(type kind, F f) {
  switch (kind) {
    case type::int8: return f(static_cast<std::int8_t*>(nullptr));
    case type::uint8: return f(static_cast<std::uint8_t*>(nullptr));
    case type::int16: return f(static_cast<std::int16_t*>(nullptr));
    default: return f(static_cast<std::uint16_t*>(nullptr));
  }
}

// For integers of 4 or 8 bytes whose sign does not count.
template <class F>
auto with_word(type kind, F f) {
  if (is_wide(kind)) return f(static_cast<std::uint64_t*>(nullptr));
  return f(static_cast<std::uint32_t*>(nullptr));
}

// For items whose sign counts.
template <class F>
auto with_type(type kind, F f) {
  switch (kind) {
    case type::int8: return f(static_cast<std::int8_t*>(nullptr));
    case type::int16: return f(static_cast<std::int16_t*>(nullptr));
    case type::int32: return f(static_cast<std::int32_t*>(nullptr));
    case type::int64: return f(static_cast<std::int64_t*>(nullptr));
    default: return with_number(kind, f);
  }
}

// For keys of a sort. Floats of 16 bits are ordered by their bits in one way, whichever they are.
template <class F>
auto with_key(type kind, F f) {
  return with_type(is_half_kind(kind) ? type::float16 : kind, f);
}

constexpr bool is_signed(type kind) {
  return kind == type::int8 || kind == type::int16 || kind == type::int32 || kind == type::int64;
}
constexpr int bytes_of(type kind) {
  if (kind <= type::uint8) return 1;
  if (kind <= type::uint16 || is_half_kind(kind)) return 2;
  return is_wide(kind) ? 8 : 4;
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
constexpr bool is_narrow_integer = std::is_integral_v<T> && sizeof(T) < 4;

// Sums of items. Those of narrow integers are made in 32 bits without a sign, which may wrap around.
template <class T>
using sum_of = std::conditional_t<is_narrow_integer<T>, ::cuda::std::plus<std::uint32_t>, sum>;

template <class T>
void check_operator(const char* call, op by) {
  if (by < op::sum || by > op::bit_xor) throw invalid_argument(call, "the operator is none of the enumeration");
  if (!std::is_integral_v<T> && by >= op::bit_and) throw invalid_argument(call, "operators on bits are for integers");
}

// Minimum and maximum of floats. A NaN wins over numbers: otherwise the operators would not be associative.
struct float_minimum {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(T a, T b) const {
    return a <= b || a != a ? a : b;
  }
};
struct float_maximum {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(T a, T b) const {
    return a >= b || a != a ? a : b;
  }
};

// Any operator of the enumeration, chosen at run time, so that all operators share one kernel. On an H200 a maximum by
// key takes 1.3 to 1.4 times as long as with a kernel of its own; a plain scan would take twice as long.
template <class T>
struct any_operator {
  op by;
  bool is_signed;  // T is an unsigned integer that stands for a signed one
  ONEPASS_HOST_DEVICE T operator()(T a, T b) const {
    switch (by) {
      case op::sum: return static_cast<T>(wide(a) + wide(b));
      case op::product: return static_cast<T>(wide(a) * wide(b));
      case op::minimum: return smaller(a, b);
      case op::maximum: return larger(a, b);
      default: return bitwise(a, b);
    }
  }

 private:
  using wide = std::conditional_t<is_narrow_integer<T>, std::uint32_t, T>;  // C++ would take int, which may overflow
  ONEPASS_HOST_DEVICE T smaller(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return less(b, a) ? b : a;
    else return float_minimum{}(a, b);
  }
  ONEPASS_HOST_DEVICE T larger(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return less(a, b) ? b : a;
    else return float_maximum{}(a, b);
  }
  ONEPASS_HOST_DEVICE bool less(T a, T b) const {
    const wide sign = is_signed ? wide(1) << (8 * sizeof(T) - 1) : wide(0);
    return (a ^ sign) < (b ^ sign);
  }
  ONEPASS_HOST_DEVICE T bitwise(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(by == op::bit_and ? a & b : by == op::bit_or ? a | b : a ^ b);
    } else {
      return a;  // never called: check_operator refuses it
    }
  }
};

template <class T>
auto any_operator_on(type kind, op by) {
  using number = typename onepass::detail::calculated_as<T>::type;
  return any_operator<number>{by, is_signed(kind)};
}

// Calls f(tag, operator) for the type and the operator of a call. Sums have kernels of their own, because most of these
// calls are sums; all other operators share one.
template <class F>
auto with_number_and_operator(const char* call, type kind, op by, F f) {
  return with_number(kind, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    check_operator<T>(call, by);
    if (by == op::sum) return f(tag, sum_of<T>{});
    return f(tag, any_operator_on<T>(kind, by));
  });
}

}  // namespace onepass::library::detail
