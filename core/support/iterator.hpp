// SPDX-License-Identifier: Apache-2.0
// What the engine has to know about an iterator: its value type, whether there is a pointer behind it, and on which
// system its items are.
#pragma once

#include <cuda/std/iterator>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#if __has_include(<thrust/type_traits/unwrap_contiguous_iterator.h>)  // before CCCL 3 it is a part of the header above
#include <thrust/type_traits/unwrap_contiguous_iterator.h>
#endif

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <onepass/errors.hpp>
#include <onepass/iterator_system.hpp>

#if defined(__GLIBCXX__)
namespace __gnu_debug {
template <class, class, class>
class _Safe_iterator;
}
#endif

namespace onepass::detail {

template <class It>
using value_of = typename ::cuda::std::iterator_traits<It>::value_type;

template <class It, class = void>
constexpr bool is_iterator = false;
template <class It>
constexpr bool is_iterator<It, std::void_t<value_of<It>>> = true;
// Converts x to what is stored at an item of Out. Numbers are converted to the item's type, as compilers may warn of an
// implicit conversion. Other outputs, such as those of a transform-output iterator, get x itself.
template <class Out, class T>
ONEPASS_HOST_DEVICE decltype(auto) as_item_of(T&& x) {
  using reference = decltype(std::declval<Out>()[0]);
  using item = std::remove_reference_t<reference>;
  if constexpr (std::is_lvalue_reference_v<reference> && std::is_arithmetic_v<item> &&
                std::is_arithmetic_v<std::decay_t<T>>) {
    return static_cast<item>(x);
  } else {
    return std::forward<T>(x);
  }
}

template <class It>
constexpr bool is_contiguous = thrust::is_contiguous_iterator_v<It>;
// CCCL 3.5 cannot be asked of one that reverses a device_ptr.
template <class It>
constexpr bool is_contiguous<thrust::reverse_iterator<It>> = false;
#if defined(__GLIBCXX__)
// libstdc++'s checked iterators (_GLIBCXX_DEBUG) are what they wrap.
template <class It, class Sequence, class Category>
constexpr bool is_contiguous<__gnu_debug::_Safe_iterator<It, Sequence, Category>> = is_contiguous<It>;
#endif

template <class It, class = void>
constexpr bool has_base = false;
template <class It>
constexpr bool has_base<It, std::void_t<decltype(std::declval<It>().base())>> = true;

// Returns the raw pointer behind a contiguous iterator, and any other iterator unchanged. It takes wrappers off and
// does not dereference them, as the iterator of an empty range refers to nothing. It is an object, and not a function,
// so that a call does not find a function of the same name in the namespace of the items' type.
struct unwrap_iterator {
  template <class It>
  auto operator()(It it) const {
    if constexpr (!is_contiguous<It> || std::is_pointer_v<It>) return it;
    else if constexpr (has_base<It>) return (*this)(it.base());
    else return thrust::unwrap_contiguous_iterator(it);
  }
};
inline constexpr unwrap_iterator unwrap{};
template <class It>
using unwrapped = decltype(unwrap(std::declval<It>()));

template <class... Its>
constexpr bool any_on_cuda = ((std::is_same_v<typename iterator_system<Its>::type, cuda_system> ||
                               std::is_same_v<typename iterator_system<Its>::type, no_system>) ||
                              ...);
template <class... Its>
constexpr bool any_on_cpu = ((std::is_same_v<typename iterator_system<Its>::type, cpu_system> ||
                              std::is_same_v<typename iterator_system<Its>::type, no_system>) ||
                             ...);
template <class... Its>
constexpr bool live_together = !(any_on_cuda<Its...> && any_on_cpu<Its...>);

// Whether a type is a plain reference, or a tuple with one, which CCCL's newer zip iterator (cuda::zip_iterator) gives.
template <class T>
constexpr bool has_plain_reference = std::is_lvalue_reference_v<T>;
template <class... Ts>
constexpr bool has_plain_reference<thrust::tuple<Ts...>> = (has_plain_reference<Ts> || ...);

// Whether the host may be able to read an iterator's items on CUDA, as in managed memory. That is so where its
// references are plain ones. What has iterators, such as segments, tells it of these by any_host_readable.
template <class It>
constexpr bool is_host_readable();
template <class It>
constexpr bool any_host_readable = false;
template <class... Its>
constexpr bool any_host_readable<thrust::zip_iterator<thrust::tuple<Its...>>> = (is_host_readable<Its>() || ...);
template <class It>
constexpr bool is_host_readable() {
  if constexpr (!any_on_cuda<It>) return false;
  else if constexpr (any_host_readable<It>) return true;
  else if constexpr (!is_iterator<It>) return false;
  else if constexpr (has_plain_reference<typename ::cuda::std::iterator_traits<It>::reference>) return true;
  else if constexpr (has_base<It>) return is_host_readable<std::decay_t<decltype(std::declval<It>().base())>>();
  else return false;
}

}  // namespace onepass::detail
