// SPDX-License-Identifier: Apache-2.0
// A rank's own part of a call: the policy that it runs with, its memory, and what it finds out about its items.
#pragma once

#include <cuda/std/optional>

#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include <onepass/segmented_reduce.hpp>
#include <onepass/workspace.hpp>

#include "../../core/exchange/rank_call.hpp"
#include "../../core/execution/host_results.hpp"
#include "../../core/execution/scratch_layout.hpp"
#include "../../core/support/argument_checks.hpp"

namespace onepass::detail {

template <class Comm>
constexpr bool is_on_cuda = std::is_same_v<typename Comm::system, cuda_system>;
// Whether ranks may be able to lend each other memory (core/exchange/cuda_thread_exchange.cuh).
template <class Comm, class = void>
constexpr bool may_lend = false;
template <class Comm>
constexpr bool may_lend<Comm, std::void_t<decltype(std::declval<const Comm&>().reach_each_other())>> = true;
template <class Comm, class Policy>
void check_memory() {
  using policy = decltype(as_policy(std::declval<const Policy&>()));
  static_assert(std::is_same_v<typename policy::system, typename Comm::system>,
                "onepass::distributed: the policy and the communicator belong to different memory");
  check_backend<policy>();
}

template <class Policy>
void check_not_measured(const char* call, const Policy& policy) {
  if (is_measuring(policy)) throw invalid_argument(call, "a call across ranks cannot be measured");
}

// The policy for a rank's own calls on the CPU. They get their memory from memory_for().
template <class Comm, class Policy>
cpu_policy rank_policy(const char* call, const Policy& any_policy) {
  check_memory<Comm, Policy>();
  const auto policy = as_policy(any_policy);
  check_not_measured(call, policy);
  return cpu_policy(policy.threads());
}

#if ONEPASS_HAS_CUDA
// The first thing that a rank's work on CUDA does: throws what is wrong with its policy.
template <class Policy>
void check_rank_policy(const char* call, const Policy& policy) {
  check_not_measured(call, policy);
  if (is_capturing(call, policy.stream())) throw invalid_argument(call, "a call across ranks cannot be captured");
}
#endif

// The number of this rank's items.
template <class Policy, class It>
index_t rank_size(const char* call, const Policy& policy, It first, It last) {
  return items_now(as_policy(policy), checked_distance(call, first, last));
}

// The same after a check of the policy. On CUDA the host waits for a size that stands in memory.
template <class Comm, class Policy, class It>
index_t checked_size(const char* call, const Policy& policy, It first, It last) {
  const index_t n = checked_distance(call, first, last);
  if constexpr (!is_on_cuda<Comm>) {
    (void)rank_policy<Comm>(call, policy);
    return items_now(policy, n);
  } else {
#if ONEPASS_HAS_CUDA
    check_rank_policy(call, policy);
    return items_after(call, policy, n);
#endif
  }
}

// The last step of a call whose ranges other ranks write: waits where the host may read them without waiting itself. And over
// NCCL, where a rank that never sends would otherwise be waited for in the caller's stream, which knows no deadline.
template <class... Its, class Comm, class Policy>
void wait_for_ranks(rank_call<Comm>& ranks, const Policy& policy) {
  if constexpr (is_on_cuda<Comm>) {
#if ONEPASS_HAS_CUDA
    if (!may_lend<Comm> || (policy.waits() && (is_host_readable<Its>() || ...))) {
      ranks.communicator().record(ranks.name(), policy.stream());
      ranks.communicator().wait(ranks.name());
    }
#endif
  }
  (void)ranks, (void)policy;
}

// The memory that f(policy) needs, which makes calls of onepass. Their arguments are checked, too. So what a rank finds
// wrong it finds before the others are told that it is well; and f(policy.with(*memory)) can then fail only by what a
// function object throws.
template <class F>
std::unique_ptr<workspace> memory_for(const cpu_policy& policy, F&& f) {
  return std::make_unique<workspace>(policy, onepass::measure(policy, f));
}

template <class T>
constexpr bool check_travels() {
  static_assert(std::is_trivially_copyable_v<T>,
                "onepass::distributed: what travels between ranks has to be trivially copyable");
  static_assert(alignof(T) <= section_alignment,
                "onepass::distributed: what travels between ranks is aligned to 256 bytes at most");
  return true;
}

// An array of n items in memory of its own, without values.
template <class T>
class owned_array {
  static_assert(check_travels<T>());

 public:
  void allocate(index_t n) {
    if (n > std::numeric_limits<index_t>::max() / index_t{sizeof(T)}) throw std::bad_alloc();
    memory_ = cpu_call_memory::allocate_aligned(static_cast<std::size_t>(n) * sizeof(T));
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  // Never gives the memory back.
  void leave() noexcept { (void)memory_.release(); }

 private:
  cpu_call_memory::aligned_memory memory_;
};

// ---- reductions -----------------------------------------------------------------------------------------------------
// An operator whose results are values of T.
template <class Op, class T>
struct closed_operator {
  Op op;
  T operator()(const T& a, const T& b) const {
    Op o = op;
    return static_cast<T>(o(a, b));
  }
};
template <class T>
struct converted_to {
  template <class U>
  T operator()(const U& x) const {
    return static_cast<T>(x);
  }
};

// Combines n > 0 items, each converted to T before.
template <class T, class It, class Op>
T reduce_items(const cpu_policy& policy, It first, index_t n, Op op) {
  if constexpr (!std::is_same_v<value_of<It>, T>) {
    return reduce_items<T>(policy, thrust::make_transform_iterator(unwrap(first), converted_to<T>{}), n, op);
  } else if constexpr (!std::is_same_v<std::decay_t<std::invoke_result_t<Op&, T&, T&>>, T> &&
                       !(known_operator<Op>::is_modular && is_number<T>)) {
    return reduce_items<T>(policy, first, n, closed_operator<Op, T>{op});
  } else {
    T total = static_cast<T>(first[0]);
    const index_t whole[] = {0, n - 1};
    if (n > 1) {
      onepass::segmented_reduce(policy, first + 1, first + n, onepass::offsets(whole, whole + 2), object_address(total),
                                T(total), op);
    }
    return total;
  }
}

// Whether combining values of T may throw. Of operators that say nothing it is assumed.
template <class Op, class T>
constexpr bool may_throw = !(std::is_arithmetic_v<T> && known_operator<Op>::is_modular) &&
                           !(std::is_arithmetic_v<T> && (std::is_same_v<Op, maximum> || std::is_same_v<Op, minimum>)) &&
                           !std::is_nothrow_invocable_v<Op&, const T&, const T&>;

// What the ranks before this one come to, in rank order, behind `before`. Ranks without items have no total. totals[q]
// is rank q's.
template <class T>
struct rank_total {
  bool has_items;
  raw_value<T> total;
};
ONEPASS_EXEC_CHECK_DISABLE
template <class T, class Totals, class Op>
ONEPASS_HOST_DEVICE ::cuda::std::optional<T> combine_before(const Totals& totals, int rank,
                                                            ::cuda::std::optional<T> before, Op op) {
  for (int q = 0; q < rank; ++q) {
    const rank_total<T>& next = totals[static_cast<std::size_t>(q)];
    if (!next.has_items) continue;
    if (before) before.emplace(static_cast<T>(op(*before, next.total.get())));
    else before.emplace(next.total.get());
  }
  return before;
}

// ---- searches -------------------------------------------------------------------------------------------------------
// Both look at a first block of items, then at one four times as long, and so on: what is near is found by few reads,
// and a long search is shared by the policy's threads. They ask is_wanted(i) for some items more than they need.
constexpr index_t first_search = 1024;      // items; not measured
constexpr index_t shared_search = 1 << 16;  // items that a thread looks at in one go; not measured

// Returns the first index in [begin, end) that is wanted, or `end`.
template <class Wanted>
index_t find_first(const cpu_policy& policy, index_t begin, index_t end, Wanted is_wanted) {
  for (index_t size = first_search; begin < end; begin += size, size *= 4) {
    const index_t block_end = size < end - begin ? begin + size : end;
    std::atomic<index_t> found{end};
    const int threads = policy.threads() > 0 ? policy.threads() : available_threads();
    const index_t parts = divide_up(block_end - begin, shared_search);
    share_out(static_cast<int>(std::min<index_t>(threads, parts)), parts, [&](index_t part, int) {
      const index_t from = begin + part * shared_search, to = std::min(block_end, from + shared_search);
      index_t i = from;
      while (i < to && !is_wanted(i)) ++i;
      if (i == to) return;
      for (index_t best = found.load(); i < best && !found.compare_exchange_weak(best, i);) {
      }
    });
    if (found.load() < end) return found.load();
    if (block_end == end) return end;
  }
  return end;
}
// Returns the last index in [begin, end) that is wanted, or begin - 1. The range may be empty.
template <class Wanted>
index_t find_last(const cpu_policy& policy, index_t begin, index_t end, Wanted is_wanted) {
  if (begin >= end) return begin - 1;
  return end - 1 - find_first(policy, 0, end - begin, [&](index_t i) { return is_wanted(end - 1 - i); });
}

}  // namespace onepass::detail
