// SPDX-License-Identifier: Apache-2.0
// Constructs values in memory where no objects are yet, such as shared memory and scratch. To assign there would be
// wrong, as a type's own assignment may use the object that it replaces.
#pragma once

#include <new>
#include <type_traits>

#include <onepass/config.hpp>

namespace onepass::detail {

ONEPASS_EXEC_CHECK_DISABLE
template <class T>
ONEPASS_HOST_DEVICE void construct(T* to, const T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) *to = value;
  else ::new (static_cast<void*>(to)) T(value);
}

// Such memory as an output: a plain array if assignment is enough, else one that constructs what is assigned to an
// item.
template <class T>
struct raw_array {
  T* items;
  struct reference {
    T* item;
    ONEPASS_HOST_DEVICE void operator=(const T& value) const { detail::construct(item, value); }
  };
  ONEPASS_HOST_DEVICE reference operator[](std::int64_t i) const { return {items + i}; }
};
template <class T>
using raw_output = std::conditional_t<std::is_trivially_copyable_v<T>, T*, raw_array<T>>;

}  // namespace onepass::detail
