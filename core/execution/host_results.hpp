// SPDX-License-Identifier: Apache-2.0
// Counts that a call writes to memory of its backend, or returns to the host. On CUDA the host has to wait for them.
#pragma once

#include <algorithm>

#include "resolve_policy.hpp"

#if ONEPASS_HAS_CUDA
#include "host_counts.cuh"
#endif

namespace onepass::detail {

// Checks the address for the count of a call with _async.
inline index_t* checked_count(const char* call, index_t* count) {
  if (count == nullptr) throw invalid_argument(call, "count is null");
  return count;
}

// Throws if the call would have to wait for a stream that is being captured. Called before anything is launched.
template <class Policy>
void check_may_wait(const char* call, const Policy& policy) {
  if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
    if (is_capturing(call, policy.stream())) {
      throw invalid_argument(call,
                             "its result is waited for, which a captured stream cannot do; use the form with _async");
    }
#endif
  } else {
    (void)call, (void)policy;
  }
}

template <class Policy>
void clear_counts(const char* call, const Policy& policy, index_t* counts, std::size_t size) {
  if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
    check_cuda(call, cudaMemsetAsync(counts, 0, size * sizeof *counts, policy.stream()));
#endif
  } else {
    (void)call, (void)policy;
    std::fill_n(counts, size, index_t{0});
  }
}

struct local_counts {  // on the CPU
  index_t counts[2] = {};
  index_t* get(const char*) { return counts; }
  template <class Policy>
  const index_t* wait(const char*, const Policy&) const {
    return counts;
  }
};
// The counts of a call that waits for them, for kernels that only store them. On CUDA they are in memory of the host, so
// that nothing is copied: 10 us less (docs/history/performance-log.md, "Counts in memory of the host").
#if ONEPASS_HAS_CUDA
template <class Policy>
using waited_counts = std::conditional_t<on_cuda<Policy>, host_counts, local_counts>;
#else
template <class Policy>
using waited_counts = local_counts;
#endif

// Copies counts to the host, by a kernel: to wait for a copy takes longer.
template <class Policy>
void read_counts(const char* call, const Policy& policy, const index_t* counts, index_t* to, std::size_t size) {
  if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
    host_counts on_host;
    if (!on_host.has_memory()) {
      check_cuda(call, cudaMemcpyAsync(to, counts, size * sizeof *counts, cudaMemcpyDefault, policy.stream()));
      return wait_for_stream(call, policy.stream());
    }
    kernel_launch::in_order(call, copy_counts_kernel<index_t>, dim3(1), static_cast<int>(size), 0, policy.stream(),
                            counts, on_host.get(call));
    std::copy_n(on_host.wait(call, policy), size, to);
#endif
  } else {
    (void)call, (void)policy;
    std::copy_n(counts, size, to);
  }
}

// The number of items of a call that waits for its counts, once it has them.
template <class Policy>
index_t items_after(const char* call, const Policy& policy, index_t most) {
  item_count items = count_of(policy, most);
  index_t size = 0;
  if (on_cuda<Policy> && items.size != nullptr) {
    read_counts(call, policy, items.size, &size, 1);
    items.size = &size;
  }
  return items.get();
}

// The last step of a call that returns no count. `Its` are all ranges of the call. With a Thrust policy that
// synchronises, and without a policy, the host may use managed memory as soon as the call returns, as with Thrust.
// While a stream is captured nothing runs, so there is nothing to wait for. With an allocator a policy that synchronises
// waits in any case, as its memory is given back, and says what went wrong on the device.
template <class... Its, class Policy>
void wait_for_host(const char* call, const Policy& policy) {
#if ONEPASS_HAS_CUDA
  if constexpr (on_cuda<Policy>) {
    const bool is_read = (is_host_readable<Its>() || ...) || policy.allocator().allocate != nullptr;
    if (is_read && policy.waits() && !is_measuring(policy) && !is_capturing(call, policy.stream())) {
      wait_for_stream(call, policy.stream());
    }
  }
#endif
  (void)call, (void)policy;
}

}  // namespace onepass::detail
