// SPDX-License-Identifier: Apache-2.0
// onepass/iterator_system.hpp: where an iterator's items live, which decides where a call without a policy runs.
#pragma once

#include "config.hpp"  // first: it says what is not supported before CCCL does

#if defined(_LIBCPP_VERSION)
#include <thrust/version.h>
#if THRUST_VERSION < 300500
#error "onepass: with libc++ the headers of CCCL have to be 3.5 or newer, as those of CUDA 13.0 do not compile with it"
#endif
#endif

#include <thrust/iterator/detail/any_system_tag.h>
#include <thrust/iterator/iterator_traits.h>

#include <type_traits>

namespace onepass {

// Where items live: on the CPU, on CUDA, or, in any_system, nowhere, as they are computed (by a counting iterator,
// say). A call without a policy does not compile if some of its iterators belong to the CPU and some to CUDA.
struct cpu_system {};
struct cuda_system {};
struct any_system {};
struct no_system {};  // of a thing that has parts on the CPU and on CUDA

namespace detail {
template <class Tag>
auto system_of_tag() {
#if ONEPASS_HAS_CUDA
  if constexpr (std::is_convertible_v<Tag, thrust::any_system_tag> && std::is_same_v<Tag, thrust::any_system_tag>) {
    return any_system{};
  } else if constexpr (std::is_convertible_v<Tag, thrust::system::cuda::tag>) {
    return cuda_system{};
  } else {
    return cpu_system{};
  }
#else
  if constexpr (std::is_same_v<Tag, thrust::any_system_tag>) return any_system{};
  else return cpu_system{};
#endif
}

}  // namespace detail

// iterator_system<It>::type is one of them. Specialise it for an iterator of your own for which
// `thrust::iterator_system` is not right:
//   template <> struct onepass::iterator_system<my_iterator> { using type = onepass::cuda_system; };
template <class It, class = void>
struct iterator_system {
  using type = decltype(detail::system_of_tag<typename thrust::iterator_system<It>::type>());
};

}  // namespace onepass
