// SPDX-License-Identifier: Apache-2.0
// Finds onepass's policy for a call: the given one, the one that a Thrust policy stands for, or the one that the
// iterators of a call without a policy ask for. Also says how many items a policy lets a call work on.
#pragma once

// These headers say what a Thrust policy is. <thrust/execution_policy.h> would bring in every algorithm of every
// system, which is half of the time to compile a small file. A caller who passes thrust::device includes that one.
#include <thrust/detail/execute_with_allocator.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/detail/seq.h>

#include <onepass/workspace.hpp>
#if ONEPASS_HAS_CUDA
#include <thrust/system/cuda/detail/execution_policy.h>
#endif

#include <cstddef>
#include <type_traits>

#include "../support/iterator.hpp"

namespace onepass::detail {

template <class P>
constexpr bool is_sized = false;
template <class P>
constexpr bool is_sized<sized_policy<P>> = true;
template <class P>
constexpr bool is_onepass_policy = std::is_same_v<P, cuda_policy> || std::is_same_v<P, cpu_policy> || is_sized<P>;
template <class P>
constexpr bool is_thrust_policy = std::is_base_of_v<thrust::detail::execution_policy_marker, P>;
template <class P>
constexpr bool is_policy = is_onepass_policy<std::decay_t<P>> || is_thrust_policy<std::decay_t<P>>;

// For overloads: P is a policy and Its are iterators; or the call has no policy and its first argument is an iterator.
template <class P, class... Its>
using if_policy = std::enable_if_t<is_policy<P> && (is_iterator<Its> && ...), int>;
template <class It>
using if_not_policy = std::enable_if_t<!is_policy<It> && is_iterator<It>, int>;

// Whether a Thrust policy has an allocator, as par(allocator) gives it one.
template <class P>
constexpr bool has_allocator = false;
template <class Allocator, template <class> class Base>
constexpr bool has_allocator<thrust::detail::execute_with_allocator<Allocator, Base>> = true;
template <class P>
policy_allocator allocator_of(P& policy) {
  if constexpr (has_allocator<P>) {
    using byte = unsigned char;
    return {&policy,
            [](void* p, std::size_t bytes) -> void* {
              return thrust::detail::get_temporary_buffer<byte>(*static_cast<P*>(p), static_cast<std::ptrdiff_t>(bytes))
                  .first;
            },
            [](void* p, void* memory, std::size_t bytes) {
              thrust::detail::return_temporary_buffer(*static_cast<P*>(p), static_cast<byte*>(memory),
                                                      static_cast<std::ptrdiff_t>(bytes));
            }};
  } else {
    return {};
  }
}

template <class P>
constexpr bool is_sequential = std::is_same_v<P, thrust::detail::seq_t>;
template <class Allocator>
constexpr bool is_sequential<
    thrust::detail::execute_with_allocator<Allocator, thrust::system::detail::sequential::execution_policy>> = true;

// Whether the call is only being measured (onepass::measure), so that it must not launch, read or write anything.
template <class Policy>
bool is_measuring(const Policy& policy) {
  if constexpr (is_onepass_policy<Policy>) return policy.memory() != nullptr && policy.memory()->measuring();
  else return false;
}

// Returns onepass's policy for a Thrust policy, which has to outlive it. Policies of the CPU systems (cpp, omp, tbb,
// host) run on all cores, and `seq` on one. Reads a size in memory on the CPU.
template <class P>
auto as_policy(const P& policy) {
  if constexpr (std::is_same_v<P, sized_policy<cpu_policy>>) {
    return is_measuring(policy) ? policy : policy.with_size_read();
  } else if constexpr (is_onepass_policy<P>) {
    return policy;
  } else {
    P& own = const_cast<P&>(policy);  // Thrust's functions take it so, and do the same themselves
#if ONEPASS_HAS_CUDA
    if constexpr (std::is_same_v<P, thrust::system::cuda::tag>) {
      return cuda_policy(nullptr).as_thrusts(true, {});
    } else if constexpr (std::is_convertible_v<P, thrust::system::cuda::tag>) {
      // Found by the argument's type: whoever has such a policy has included Thrust's header that declares them. That
      // header takes a second to compile.
      const bool waits = must_perform_optional_synchronization(own);
      return cuda_policy(stream(own)).as_thrusts(waits, allocator_of(own));
    } else
#endif
    {
      return cpu_policy(is_sequential<P> ? 1 : 0).as_thrusts(allocator_of(own));
    }
  }
}

// The policy of a call without one: CUDA if the items of any iterator are there. If all items are computed, Thrust's
// device system decides. `Its` are all iterators of a call, those of flags and segments, too.
template <class... Its>
auto default_policy() {
  static_assert(live_together<Its...>,
                "onepass: some iterators belong to the CPU and some to CUDA; pass an execution policy");
#if ONEPASS_HAS_CUDA
  constexpr bool on_cuda =
      any_on_cuda<Its...> ||
      (!any_on_cpu<Its...> && std::is_same_v<decltype(system_of_tag<thrust::device_system_tag>()), cuda_system>);
  if constexpr (on_cuda) return cuda_policy(nullptr).as_thrusts(true, {});
  else return cpu_policy(0);
#else
  return cpu_policy(0);
#endif
}

// How many items a call works on: `most`, or the number that stands in memory when the call runs.
struct item_count {
  index_t most;
  const index_t* size;  // null if there is no such number

  ONEPASS_HOST_DEVICE index_t get() const {
    if (size == nullptr || *size > most) return most;
    return *size < 0 ? 0 : *size;
  }
};
template <class Policy>
item_count count_of(const Policy& policy, index_t most) {
  if constexpr (is_sized<Policy>) return {most, policy.size()};
  else return {most, nullptr};
}

// Throws if a call would write its count where the policy's size stands, which a late block would then read.
template <class Policy>
void check_not_size(const char* call, const Policy& policy, const index_t* count) {
  if constexpr (is_sized<Policy>) {
    if (policy.has_size_at(count)) throw invalid_argument(call, "count is where the policy's size is");
  }
}

template <class P>
constexpr bool on_cuda = std::is_same_v<typename P::system, cuda_system>;
template <class Policy>
void check_backend() {
  static_assert(ONEPASS_HAS_CUDA || !on_cuda<Policy>, "onepass: compile this file with nvcc to run it on CUDA");
}

}  // namespace onepass::detail
