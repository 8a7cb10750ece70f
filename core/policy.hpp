// SPDX-License-Identifier: Apache-2.0
// Execution policies: where a call runs. onepass's own, and how Thrust's are read as one of them.
#pragma once

#include "config.hpp"

// What a Thrust policy is, and not <thrust/execution_policy.h>, which brings in every algorithm of every system: half of the
// time to compile a small file. Who passes thrust::device includes that one.
#include <thrust/detail/execute_with_allocator.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/detail/seq.h>
#if ONEPASS_HAS_CUDA
#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/cuda/detail/util.h>
#endif

#include <cstddef>
#include <type_traits>

#include "iterator.hpp"

namespace onepass {

class workspace;  // core/workspace.hpp

namespace detail {
// The allocator that a Thrust policy carries: temporary memory comes from it. Empty: the library's.
struct lent_memory {
  void* policy = nullptr;
  void* (*allocate)(void* policy, std::size_t bytes) = nullptr;
  void (*release)(void* policy, void* memory, std::size_t bytes) = nullptr;
};
}  // namespace detail

// The same as Policy, for a range whose size is not known to who calls: [first, last) is what there is room for, and the
// call works on the first *size of its items. On CUDA `size` lies where the device can read it, and is read when the call's
// turn comes, so that calls can be chained without the host's waiting for a count; iterators that a call returns are those
// of the whole room. *size below 0 counts as 0, above the room as the room.
template <class Policy>
class sized_policy : public Policy {
 public:
  sized_policy(const Policy& policy, const index_t* size) : Policy(policy), size_(size) {}
  sized_policy with(workspace& memory) const { return {Policy::with(memory), size_}; }
  const index_t* size() const { return size_; }

 private:
  const index_t* size_;
};

// Runs on the current CUDA device, in `stream`'s order.
class cuda_policy {
 public:
  using system = cuda_system;
  explicit cuda_policy(stream_t stream) : stream_(stream) {}
  // The same, with memory for the call: then it never allocates. The workspace belongs to one stream at a time.
  cuda_policy with(workspace& memory) const {
    cuda_policy p = *this;
    p.memory_ = &memory;
    return p;
  }
  // The same, with the number of items in memory.
  sized_policy<cuda_policy> sized_by(const index_t* size) const { return {*this, size}; }
  stream_t stream() const { return stream_; }
  workspace* memory() const { return memory_; }

  // ---- for the engine
  // In a call with a Thrust policy that synchronises, or without a policy: where the host can read the items, it waits.
  cuda_policy as_thrusts(bool waits, detail::lent_memory lent) const {
    cuda_policy p = *this;
    p.waits_ = waits;
    p.lent_ = lent;
    return p;
  }
  bool waits() const { return waits_; }
  const detail::lent_memory& lent() const { return lent_; }

 private:
  stream_t stream_;
  workspace* memory_ = nullptr;
  bool waits_ = false;
  detail::lent_memory lent_;
};

// Runs on the calling thread and up to `threads` - 1 others; 0: as many as there are cores; below 0 is an error. It returns
// when all is done.
class cpu_policy {
 public:
  using system = cpu_system;
  explicit cpu_policy(int threads) : threads_(threads) {
    if (threads < 0) throw invalid_argument("cpu", "threads is negative");
  }
  cpu_policy with(workspace& memory) const {
    cpu_policy p = *this;
    p.memory_ = &memory;
    return p;
  }
  sized_policy<cpu_policy> sized_by(const index_t* size) const { return {*this, size}; }
  int threads() const { return threads_; }
  workspace* memory() const { return memory_; }

  // ---- for the engine
  cpu_policy as_thrusts(detail::lent_memory lent) const {
    cpu_policy p = *this;
    p.lent_ = lent;
    return p;
  }
  const detail::lent_memory& lent() const { return lent_; }

 private:
  int threads_;
  workspace* memory_ = nullptr;
  detail::lent_memory lent_;
};

// The default stream is the legacy one, or the thread's own where the program is compiled so, as in Thrust.
inline cuda_policy cuda(stream_t stream = nullptr) { return cuda_policy(stream); }
inline cpu_policy cpu(int threads = 0) { return cpu_policy(threads); }

namespace detail {

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

// For overloads: P is a policy, and Its are iterators; or the first argument is an iterator itself.
template <class P, class... Its>
using if_policy = std::enable_if_t<is_policy<P> && (is_iterator<Its> && ...), int>;
template <class It>
using if_not_policy = std::enable_if_t<!is_policy<It> && is_iterator<It>, int>;

// Thrust policies with an allocator, as par(allocator) makes them.
template <class P>
constexpr bool has_allocator = false;
template <class Allocator, template <class> class Base>
constexpr bool has_allocator<thrust::detail::execute_with_allocator<Allocator, Base>> = true;
template <class P>
lent_memory lent_by(P& policy) {
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

// A Thrust policy as one of onepass's, for as long as it lives. Those of the CPU systems (cpp, omp, tbb, host) run on all
// cores, `seq` on one.
template <class P>
auto as_policy(const P& policy) {
  if constexpr (is_onepass_policy<P>) {
    return policy;
  } else {
    P& own = const_cast<P&>(policy);  // what Thrust's functions take; they do the same
#if ONEPASS_HAS_CUDA
    if constexpr (std::is_convertible_v<P, thrust::system::cuda::tag>) {
      const bool waits = thrust::cuda_cub::must_perform_optional_synchronization(own);
      return cuda_policy(thrust::cuda_cub::stream(own)).as_thrusts(waits, lent_by(own));
    } else
#endif
    {
      return cpu_policy(is_sequential<P> ? 1 : 0).as_thrusts(lent_by(own));
    }
  }
}

// What a call without a policy uses: CUDA if any iterator's items live there; if all are computed, where Thrust's
// device system is. Its: all that a call is given, also flags and what says where segments are.
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

// How many items a call works on: `most`, or what is found in memory when it runs.
struct item_count {
  index_t most;
  const index_t* size;  // null: there is none

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

// A count written where the size is read would be read as the size by who comes late.
template <class Policy>
void check_not_size(const char* call, const Policy& policy, const index_t* count) {
  if constexpr (is_sized<Policy>) {
    if (policy.size() == count) throw invalid_argument(call, "count is where the policy's size is");
  }
}

template <class P>
constexpr bool on_cuda = std::is_same_v<typename P::system, cuda_system>;

}  // namespace detail
}  // namespace onepass
