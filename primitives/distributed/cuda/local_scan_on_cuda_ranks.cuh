// SPDX-License-Identifier: Apache-2.0
// A local scan across ranks whose items are on GPUs (local_scan_over_ranks.hpp has the steps). All of it is enqueued
// at once: the scan, a thread that takes the total from its last result, the exchange, and the fold to the carry.
#pragma once

#include "../local_carry.hpp"
#include "scan_on_cuda_ranks.cuh"

namespace onepass::detail {

// Keeps the last item in the rank's message, before an exclusive scan in place overwrites it.
template <class T, class Source>
__global__ void keep_last_item_kernel(const Source source, item_count count, rank_message<rank_total<T>>* to) {
  wait_for_previous_kernel();
  if (const index_t n = count.get(); n > 0) to->content.total.set(static_cast<T>(source.at(n - 1)));
}

// Takes the rank's total from the last result, by one thread of a warp. Then all its lanes call end().
template <bool inclusive, class T, class Out, class Op>
__device__ void take_total(const Out& out, index_t n, Op op, const store_total<T>& store) {
  if (n == 0) return store(nullptr, 0, true);
  const T last = static_cast<T>(out[n - 1]);
  if constexpr (inclusive) {
    store(object_address(last), n, true);
  } else {
    const T total = static_cast<T>(op(last, store.to->content.total.get()));
    store(object_address(total), n, true);
  }
}
template <bool inclusive, class T, class Out, class Op, class End>
__global__ void __launch_bounds__(warp_size)
    take_total_kernel(const Out out, item_count count, Op op, const store_total<T> store,
                      const __grid_constant__ End end) {
  wait_for_previous_kernel_alone();
  if (threadIdx.x == 0) take_total<inclusive>(out, count.get(), op, store);
  end();
}

template <class T, class Op>
struct fold_to_carry {
  fold_totals<T, Op> fold;
  distributed::rank_carry<T>* to;
  template <class Totals>
  __device__ void operator()(const Totals& totals, int rank) const {
    fold(totals, rank);
    store_carry(*fold.carry, to);
  }
};

// The policy of a rank's own scan: the given one's stream and size alone.
template <class Policy>
auto stream_and_size_of(const Policy& given) {
  const cuda_policy own(given.stream());
  if constexpr (is_sized<Policy>) return own.sized_by(given.size());
  else return own;
}

// Enqueues the scan.
template <class Job, class T, class Policy>
void enqueue_local_scan(const char* call, const Policy& given, const Job& work, const store_total<T>& store) {
  const item_count count = count_of(given, work.n);
  if constexpr (!Job::inclusive) {
    const auto keep = keep_last_item_kernel<T, typename Job::source_type>;
    kernel_launch::dependent(call, resident_blocks(keep, 1, 0), keep, 1, 1, 0, given.stream(), work.source, count,
                             store.to);
  }
  detail::run_scan(call, stream_and_size_of(given), work);
}
template <class Job, class T, class End>
constexpr auto take_total_of = take_total_kernel<Job::inclusive, T, decltype(Job::out), decltype(Job::op), End>;

// Enqueues what takes the total from it.
template <class Job, class T, class Policy, class End>
void enqueue_total(const char* call, const Policy& given, const Job& work, const store_total<T>& store,
                   const End& end) {
  const auto take = take_total_of<Job, T, End>;
  kernel_launch::dependent(call, resident_blocks(take, warp_size, 0), take, 1, warp_size, 0, given.stream(), work.out,
                           count_of(given, work.n), work.op, store, end);
}

template <bool inclusive, class Comm, class Policy, class In, class Out, class T, class Init, class Op>
Out local_scan_on_cuda_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out,
                             distributed::rank_carry<T>* carry, Init init, Op op) {
  using value = scanned_type<inclusive, Op, Init, value_of<In>, unwrapped<Out>>;
  using source = values_source<value, unwrapped<In>>;
  using job = scan_job<source, unwrapped<Out>, Op, emit_value, inclusive>;
  const auto given = as_policy(any_policy);
  rank_call<Comm> ranks(comm, call);
  using gather = carried_gather<Comm, rank_total<T>, T>;
  using end_type = typename gather::template end_type<fold_to_carry<T, Op>>;
  gather gathered(ranks, given.stream());
  fold_to_carry<T, Op> fold{{{}, op, nullptr}, carry};
  std::optional<job> work;
  store_total<T> store{nullptr, number_of_call(call)};
  index_t n = 0;
  const auto prepare = [&] {
    n = checked_distance(call, first, last);
    check_local_scan(call, first, n, out, carry);
    if constexpr (!std::is_same_v<Init, none>) fold.fold.initial.emplace(static_cast<T>(init));
    fold.fold.carry = gathered.carry();
    store.to = gathered.mine();
    work.emplace(job{{unwrap(first), {}}, unwrap(out), op, {}, {}, n});
    if constexpr (!inclusive) work->initial = static_cast<value>(init);
    load_waiting_kernel(call, take_total_of<job, T, end_type>);
    enqueue_local_scan(call, given, *work, store);
  };
  const auto enqueue = [&](const auto& end) { enqueue_total(call, given, *work, store, end); };
  gathered.exchange(given, prepare, enqueue, fold, [&] { return count_of(given, n); });
  gathered.finish();
  wait_for_host<In, Out>(call, given);
  return out + n;
}

}  // namespace onepass::detail
