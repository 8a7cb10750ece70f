// SPDX-License-Identifier: Apache-2.0
// The function object for a == b, of any two types. Calls compare by it where the caller gives no comparison.
#pragma once

#include <functional>
#include <type_traits>

#include <cuda/std/functional>
#include <thrust/functional.h>

#include <onepass/config.hpp>

namespace onepass::detail {

struct equal_to {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};

// Whether F compares numbers, and computes nothing that could be rounded.
template <class F, class Item>
constexpr bool compares_numbers = false;
template <class Item>
constexpr bool compares_numbers<equal_to, Item> = std::is_arithmetic_v<Item>;
template <class T, class Item>
constexpr bool compares_numbers<std::equal_to<T>, Item> = std::is_arithmetic_v<Item>;
template <class T, class Item>
constexpr bool compares_numbers<::cuda::std::equal_to<T>, Item> = std::is_arithmetic_v<Item>;
#if THRUST_VERSION < 300000  // later it is another name of the one above
template <class T, class Item>
constexpr bool compares_numbers<thrust::equal_to<T>, Item> = std::is_arithmetic_v<Item>;
#endif

}  // namespace onepass::detail
