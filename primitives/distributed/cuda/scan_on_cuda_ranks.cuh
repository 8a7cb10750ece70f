// SPDX-License-Identifier: Apache-2.0
// A scan across ranks whose items are on GPUs (scan_over_ranks.hpp has the steps).
#pragma once

#include "../../../core/cuda/io/cached_access.cuh"
#include "../../../core/scan/run_scan.hpp"
#include "../local_call.hpp"
#include "peer_scan.cuh"

namespace onepass::detail {

// Writes a rank's total to its message.
template <class T>
struct store_total {
  rank_message<rank_total<T>>* to;
  std::uint32_t call;
  __device__ bool is_needed() const { return true; }
  __device__ void operator()(const T* total, index_t, bool) const {
    to->call = call;
    to->state = 0;
    to->content.has_items = total != nullptr;
    if (total != nullptr) to->content.total.set(*total);
  }
};

template <class T, class Op>
struct fold_totals {
  ::cuda::std::optional<T> initial;
  Op op;
  ::cuda::std::optional<T>* carry;
  template <class Totals>
  __device__ void operator()(const Totals& totals, int rank) const {
    detail::construct(carry, combine_before<T>(totals, rank, initial, op));
  }
};

// Items that are reduced, and then scanned: the reduction reads them past the first-level cache. Both together take 63 us and
// not 65 for 2^24 int32 on an H200 (one rank; on an H100 not measured).
template <class T, class It>
struct reduced_source : values_source<T, It> {
  template <int V>
  __device__ void row(index_t i, T (&v)[V]) const {
    value_of<It> items[V];
    load_row_with(this->it, i, items, evict_normal());
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = static_cast<T>(items[j]);
  }
};

// Over 40 lines because its steps share the memory and the types of one call.
template <bool inclusive, class Comm, class Policy, class In, class Out, class Init, class Op>
Out scan_on_cuda_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out, Init init,
                       Op op) {
  using value = scanned_type<inclusive, Op, Init, value_of<In>, unwrapped<Out>>;
  using source = values_source<value, unwrapped<In>>;
  using own_job = scan_job<source, unwrapped<Out>, Op, emit_value, inclusive>;
  using job = carried_job<own_job>;
  const auto given = as_policy(any_policy);
  rank_call<Comm> ranks(comm, call);
  using gather = carried_gather<Comm, rank_total<value>, value>;
  using fold_type = fold_totals<value, Op>;
  using total_source = reduced_source<value, unwrapped<In>>;
  using total_job = reduce_job<total_source, Op>;
  using reduction = ordered_reduction<total_job, store_total<value>, typename gather::template end_type<fold_type>>;
  gather gathered(ranks, given.stream());
  fold_type fold{{}, op, nullptr};
  std::optional<reduction> total;
  own_job work{{unwrap(first), {}}, unwrap(out), op, {}, {}, 0};
  bool is_one_kernel = false;
  reduce_memory memory = {};
  index_t n = 0;
  const auto prepare = [&] {
    n = checked_distance(call, first, last);
    check_not_null(call, "first", first, n);
    check_not_null(call, "out", out, n);
    check_overlap(call, "[first, last)", first, n, "out", out, n, true);
    if constexpr (!std::is_same_v<Init, none>) fold.initial.emplace(static_cast<value>(init));
    fold.carry = gathered.carry();
    work.initial = fold.initial;
    work.n = n;
    is_one_kernel = gathered.are_peers() && peer_scan<own_job>(call, n).suits();
    if constexpr (gather::fits_mailbox && peer_scan<own_job>::fits) {
      if (is_one_kernel) peer_scan<own_job>(call, n).load();
    }
    if (!is_one_kernel) total.emplace(call, n);
    memory = gathered.memory_for_reduce(is_one_kernel ? peer_scan<own_job>::bytes : total->bytes());
  };
  const auto enqueue = [&](const auto& end) {
    if constexpr (gather::fits_mailbox && peer_scan<own_job>::fits) {
      if (is_one_kernel) {
        return peer_scan<own_job>(call, n).launch(given, work, end.peers, gathered.peers(), memory.totals);
      }
    }
    total->launch(given, memory, total_job{total_source{{unwrap(first), {}}}, op, n},
                  store_total<value>{gathered.mine(), number_of_call(call)}, end);
  };
  gathered.exchange(given, prepare, enqueue, fold, [&] { return count_of(given, n); });
  if (gathered.is_well() && !is_one_kernel) {
    detail::run_scan(call, cuda_policy(given.stream()).sized_by(gathered.size()), job{work, gathered.carry()});
  }
  gathered.finish();
  wait_for_host<In, Out>(call, given);
  return out + n;
}

}  // namespace onepass::detail
