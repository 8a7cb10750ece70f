// SPDX-License-Identifier: Apache-2.0
// What the calls of onepass/c.h share: errors, the execution, and the types that the C++ header checks when it is compiled.
#pragma once

#include <onepass/c.h>

#include <cstdio>
#include <exception>
#include <new>

#include <onepass/library.hpp>

struct onepass_execution {
  onepass::library::execution where;
};

namespace onepass::library {

// ---- errors ---------------------------------------------------------------------------------------------------------
// What this thread's last call that failed has to say. An array, as there may be no memory for a string.
struct failure {
  char message[512];
  int cuda_error;
};
inline thread_local failure last_failure{};

inline onepass_status failed(onepass_status status, const char* message, int cuda_error = 0) noexcept {
  std::snprintf(last_failure.message, sizeof last_failure.message, "%s", message);
  last_failure.cuda_error = cuda_error != 0 ? cuda_error : last_failure.cuda_error;
  return status;
}

// Calls f, and turns an exception into a status.
template <class F>
onepass_status guarded(F f) noexcept {
  try {
    f();
    return ONEPASS_OK;
  } catch (const invalid_argument& e) {
    return failed(ONEPASS_INVALID_ARGUMENT, e.what());
  } catch (const cuda_error& e) {
    return failed(ONEPASS_CUDA_ERROR, e.what(), e.code());
  } catch (const std::bad_alloc& e) {
    return failed(ONEPASS_OUT_OF_MEMORY, e.what());
  } catch (const std::exception& e) {
    return failed(ONEPASS_UNKNOWN_ERROR, e.what());
  } catch (...) {
    return failed(ONEPASS_UNKNOWN_ERROR, "onepass: an exception that is none of the standard library's");
  }
}

inline void require(const char* call, bool is_right, const char* otherwise) {
  if (!is_right) throw invalid_argument(call, otherwise);
}

// A call that leaves a count: f(count) is given null where it is to wait and return it.
template <class F>
onepass_status counted(const char* call, std::size_t* count, F f) noexcept {
  return guarded([&] {
    require(call, count != nullptr, "count is null");
    *count = f(static_cast<std::int64_t*>(nullptr));
  });
}
template <class F>
onepass_status counted(const char* call, std::int64_t* count, F f) noexcept {
  return guarded([&] { (void)f(detail::checked_count(call, count)); });
}

inline const execution& of(const char* call, const onepass_execution* e) {
  require(call, e != nullptr, "execution is null");
  return e->where;
}

// ---- arguments ------------------------------------------------------------------------------------------------------
// What the C++ header checks when it is compiled.
using detail::type;

inline type any_type(const char* call, onepass_type t) {
  require(call, t >= ONEPASS_INT8 && t <= ONEPASS_BFLOAT16, "a type is none of the enumeration");
  return static_cast<type>(t);
}
inline type integer(const char* call, onepass_type t) {
  (void)any_type(call, t);
  require(call, t < ONEPASS_FLOAT32, "the type has to be an integer");
  return static_cast<type>(t);
}
inline type indices_of(const char* call, onepass_type t) {
  (void)any_type(call, t);
  require(call, t >= ONEPASS_INT32 && t < ONEPASS_FLOAT32, "an index has to be an integer of 32 or 64 bits");
  return static_cast<type>(t);
}
inline type word(const char* call, onepass_type t) {
  (void)any_type(call, t);
  require(call, t >= ONEPASS_INT32 && t <= ONEPASS_FLOAT64, "a value's type has to have 32 or 64 bits");
  return static_cast<type>(t);
}
inline type narrow_integer(const char* call, onepass_type t) {
  (void)any_type(call, t);
  require(call, t <= ONEPASS_UINT32, "the type has to be an integer of 8 to 32 bits");
  return static_cast<type>(t);
}
inline type float_type(const char* call, onepass_type t) {
  (void)any_type(call, t);
  require(call, t == ONEPASS_FLOAT32 || t == ONEPASS_FLOAT64, "the type has to be float or double");
  return static_cast<type>(t);
}
inline type float_or_wide(const char* call, onepass_type t) {
  (void)any_type(call, t);
  require(call, t >= ONEPASS_INT64 && t <= ONEPASS_FLOAT64,
          "the type has to be float, double or an integer of 64 bits");
  return static_cast<type>(t);
}
inline op operator_of(onepass_op o) { return static_cast<op>(o); }  // the library checks it
inline const void* or_zero(const void* init) {
  static constexpr std::uint64_t zero = 0;  // of every type
  return init != nullptr ? init : &zero;
}
inline radix_options options_of(const onepass_radix_options* o) {
  if (o == nullptr) return {};
  return {o->descending != 0, o->begin_bit, o->end_bit};
}
inline top_k_options options_of(const onepass_top_k_options* o) {
  if (o == nullptr) return {};
  return {o->smallest != 0, o->input_order != 0};
}
inline detail::segments segments_of(const onepass_segments* s) {
  if (s == nullptr) return {};
  if (s->offsets == nullptr) return rows{s->row_length};
  return offsets{s->offsets, s->offset_count};
}

}  // namespace onepass::library
