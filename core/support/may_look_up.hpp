// SPDX-License-Identifier: Apache-2.0
// Whether a function object may look something up in memory, as far as its type tells: whether there is room for a
// pointer in it. The pipeline chooses its sizes by that (core/cuda/pipeline/staged_tile.cuh). Only the time depends on it.
#pragma once

#include <type_traits>
#include <utility>

namespace onepass::detail {

// Convert to any number, and to anything. Only their types are used.
struct any_number {
  template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, int> = 0>
  operator T() const;
};
struct any_value {
  template <class T>
  operator T() const;
};

template <class... Parts>
struct parts {};
// Whether F{parts...} makes an F.
template <class F, class Parts, class = void>
constexpr bool is_made_of = false;
template <class F, class... Parts>
constexpr bool is_made_of<F, parts<Parts...>, std::void_t<decltype(F{std::declval<Parts>()...})>> = true;

// Whether an aggregate has only numbers as members, eight at most.
template <class F, class... Numbers>
constexpr bool has_numbers_alone() {
  if constexpr (sizeof...(Numbers) > 8) return false;
  else if constexpr (is_made_of<F, parts<Numbers..., any_number>>)
    return has_numbers_alone<F, Numbers..., any_number>();
  else return sizeof...(Numbers) > 0 && !is_made_of<F, parts<Numbers..., any_value>>;
}

// Of a closure nobody can say what it has captured, so one of eight bytes may look something up, and with nvcc's
// __host__ __device__ closures any that captures something. Members with constructors of their own are not asked what they
// take. Not seen are handles of textures, which are numbers, unions, and variables of the device.
template <class F>
constexpr bool may_look_up() {
  if constexpr (sizeof(F) < sizeof(void*) || alignof(F) < alignof(void*)) return false;
  else if constexpr (std::is_aggregate_v<F> && std::is_trivially_default_constructible_v<F>)
    return !has_numbers_alone<F>();
  else return true;
}

// The same of a source (core/scan/source.hpp), as far as it says so.
template <class Source, class = void>
constexpr bool source_looks_up = false;
template <class Source>
constexpr bool source_looks_up<Source, std::enable_if_t<Source::looks_up>> = true;

}  // namespace onepass::detail
