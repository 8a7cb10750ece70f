// SPDX-License-Identifier: Apache-2.0
// Reductions by key across ranks, and unique, where the items are on GPUs (reduce_over_ranks.hpp has the steps). The
// device finds the rank's first and last runs and joins those that cross a border. The host waits twice: to learn with
// which item the rank's own runs begin, and how many there are; and, where ranks are no peers, for the exchange between.
#pragma once

#include <onepass/unique.hpp>

#include "../compact_over_ranks.hpp"
#include "../rank_runs.hpp"
#include "segmented_scan_on_cuda_ranks.cuh"

namespace onepass::detail {

constexpr int head_threads = 256, heads_at_once = 8 * head_threads;  // items that a block looks at in one go

// What the device finds of a rank's n items. Both are n at first: there is no head, and there are no own runs. So a rank
// whose exchange does not come to its end reads nothing that does not exist.
struct run_numbers {
  index_t first_head;  // behind item 0
  index_t own_begin;   // with which item the rank's own runs begin
};

// Lowers *found, which is n at first, to the first head behind item 0. Blocks look at the items in rising order, and
// end when an earlier head has been found.
template <class Heads>
__global__ void __launch_bounds__(head_threads)
    find_first_head_kernel(Heads heads, index_t n, unsigned long long* found) {
  wait_for_previous_kernel();
  const index_t step = static_cast<index_t>(gridDim.x) * heads_at_once;
  for (index_t begin = static_cast<index_t>(blockIdx.x) * heads_at_once; begin < n; begin += step) {
    if (*const_cast<volatile unsigned long long*>(found) <= static_cast<unsigned long long>(begin)) return;
    for (index_t i = begin + threadIdx.x; i < min(n, begin + heads_at_once); i += head_threads) {
      if (i > 0 && heads.is_head(i)) {
        atomicMin(found, static_cast<unsigned long long>(i));
        break;
      }
    }
  }
}
template <class T>
__global__ void store_kernel(T* to, T value) {
  wait_for_previous_kernel();
  *to = value;
}
template <class Heads>
void find_first_head(const char* call, const Heads& heads, index_t n, run_numbers* numbers, stream_t stream) {
  const auto store = store_kernel<run_numbers>;
  kernel_launch::dependent(call, resident_blocks(store, 1, 0), store, 1, 1, 0, stream, numbers, run_numbers{n, n});
  if (n == 0) return;
  const auto kernel = find_first_head_kernel<Heads>;
  const resident_blocks resident(kernel, head_threads, 0);
  const auto grid =
      static_cast<unsigned>(std::min<index_t>(divide_up(n, index_t{heads_at_once}), resident.on_this_device(call)));
  kernel_launch::dependent(call, resident, kernel, grid, head_threads, 0, stream, heads, n,
                           reinterpret_cast<unsigned long long*>(&numbers->first_head));
}

// ---- what a rank tells, and what it makes of it ---------------------------------------------------------------------
template <class T, class Key>
struct store_first_total {
  rank_message<border_runs<T, Key>>* to;
  __device__ bool is_needed() const { return true; }
  __device__ void operator()(const T* total, index_t, bool) const {
    if (total != nullptr) to->content.first_total.set(*total);
  }
};

// Writes what a rank tells that has no values, by one thread of a warp. Then all its lanes call end().
template <class Keys, class End>
__global__ void __launch_bounds__(warp_size)
    tell_keys_kernel(rank_message<segment_end<char, typename Keys::key>>* to, Keys keys, index_t n, std::uint32_t call,
                     const __grid_constant__ End end) {
  wait_for_previous_kernel_alone();
  if (threadIdx.x == 0) {
    to->call = call;
    to->state = 0;
    to->content.has_items = n > 0;
    if (n > 0) keys.tell(to->content, n);
  }
  end();
}

// Where this rank's own runs begin; and, if there are values, its last run joined with what later ranks have of it.
template <class T, class Keys, class Op>
struct fold_runs {
  Keys keys;
  Op op;
  int ranks;
  run_numbers* numbers;
  ::cuda::std::optional<T>* joined;
  template <class Ends>
  __device__ void operator()(const Ends& ends, int rank) const {
    numbers->own_begin = first_run_is_anothers(ends, rank, keys) ? numbers->first_head : 0;
    if constexpr (!std::is_same_v<Op, none>) {
      detail::construct(joined, joined_last_run<T, typename Keys::key>(ends, rank, ranks, keys, op));
    }
  }
};
template <class T, class Out>
__global__ void store_joined_kernel(const ::cuda::std::optional<T>* joined, const index_t* count, Out out) {
  wait_for_previous_kernel();
  if (*joined && *count > 0) out[*count - 1] = **joined;
}

// Learns from the device with which of its n items this rank's own runs begin. work(begin, count) has their results and
// their number written. Returns where these stand among the results of all ranks.
template <class Comm, class Work>
distributed::slice count_own_runs(rank_call<Comm>& ranks, const cuda_policy& policy, const index_t* first_of_own,
                                  index_t n, Work work) {
  index_t begin = 0;
  read_from_device(ranks, policy.stream(), first_of_own, &begin, sizeof begin);
  const auto counts = gather_from_device<index_t>(ranks, policy, [&](index_t* count) {
    if (begin < n) work(begin, count);
    else check_cuda(ranks.name(), cudaMemsetAsync(count, 0, sizeof *count, policy.stream()));
  });
  return slice_of(counts, ranks.rank());
}

// Over 40 lines because its steps share the memory and the types of one call.
template <class Comm, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
distributed::slice reduce_on_cuda_ranks(const char* call, Comm& comm, const Policy& any_policy, Keys first, Keys last,
                                        Values values, KeysOut out_keys, ValuesOut out_values, Equal equal, Op op) {
  using value = reduced_type<Op, none, value_of<Values>, unwrapped<ValuesOut>>;
  using heads_type = heads_from_keys<unwrapped<Keys>, Equal>;
  using keys_type = told_keys<unwrapped<Keys>, Equal>;
  using source = segmented_source<value, unwrapped<Values>, heads_type, starts_without_initial<value>>;
  const auto given = as_policy(any_policy);
  const cuda_policy policy(given.stream());
  rank_call<Comm> ranks(comm, call);
  using gather = carried_gather<Comm, border_runs<value, value_of<Keys>>, value>;
  using fold_type = fold_runs<value, keys_type, Op>;
  using end_job = reduce_job<source, segmented<Op>>;
  using store_end = store_segment_end<value, keys_type, border_runs<value, value_of<Keys>>>;
  using first_job = reduce_job<values_source<value, unwrapped<Values>>, Op>;
  using store_first = store_first_total<value, value_of<Keys>>;
  using first_reduction = ordered_reduction<first_job, store_first, typename gather::template end_type<fold_type>>;
  gather gathered(ranks, policy.stream());
  device_items<run_numbers> numbers;
  const keys_type keys{unwrap(first), equal};
  fold_type fold{keys, op, ranks.size(), nullptr, nullptr};
  std::optional<first_reduction> of_first;
  reduce_memory memory = {};
  index_t n = 0;
  const auto prepare = [&] {
    n = checked_size<Comm>(call, given, first, last);
    check_not_null(call, "keys", first, n);
    check_not_null(call, "values", values, n);
    check_runs(call, first, values, n, out_keys, out_values);
    numbers.allocate(call, 1, policy.stream());
    fold.numbers = numbers.data(), fold.joined = gathered.carry();
    const heads_type heads{unwrap(first), equal, 0, true};
    const ordered_reduction<end_job, store_end> of_last(call, n, /*only_last=*/true), of_all(call, n);
    of_first.emplace(call, n);
    memory = gathered.memory_for_reduce(std::max({of_last.bytes(), of_all.bytes(), of_first->bytes()}));
    const end_job ends{{unwrap(values), heads, {}}, {op}, n};
    store_end store{gathered.mine(), gathered.is_open(), keys, number_of_call(call), false};
    of_last.launch(policy, memory, ends, store);
    store.only_if_open = true;
    of_all.launch(policy, memory, ends, store);
    find_first_head(call, heads, n, numbers.data(), policy.stream());
  };
  const auto enqueue = [&](const auto& end) {
    of_first->launch(policy.sized_by(&numbers.data()->first_head), memory, first_job{{unwrap(values), {}}, op, n},
                     store_first{gathered.mine()}, end);
  };
  gathered.exchange(given, prepare, enqueue, fold, [&] { return item_count{n, nullptr}; });
  gathered.finish();
  return count_own_runs(ranks, policy, &numbers.data()->own_begin, n, [&](index_t begin, index_t* count) {
    onepass::reduce_by_key_async(policy, first + begin, first + n, values + begin, out_keys, out_values, equal, op,
                                 count);
    const auto kernel = store_joined_kernel<value, unwrapped<ValuesOut>>;
    kernel_launch::dependent(call, resident_blocks(kernel, 1, 0), kernel, 1, 1, 0, policy.stream(), gathered.carry(),
                             static_cast<const index_t*>(count), unwrap(out_values));
  });
}

template <class Comm, class Policy, class In, class Out, class Equal>
distributed::slice unique_on_cuda_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last,
                                        Out out, Equal equal) {
  using keys_type = told_keys<unwrapped<In>, Equal>;
  const auto given = as_policy(any_policy);
  const cuda_policy policy(given.stream());
  rank_call<Comm> ranks(comm, call);
  using fold_type = fold_runs<char, keys_type, none>;
  using gather = carried_gather<Comm, segment_end<char, value_of<In>>, char>;
  const auto kernel = tell_keys_kernel<keys_type, typename gather::template end_type<fold_type>>;
  gather gathered(ranks, policy.stream());
  device_items<run_numbers> numbers;
  const keys_type keys{unwrap(first), equal};
  fold_type fold{keys, {}, ranks.size(), nullptr, nullptr};
  index_t n = 0;
  const auto prepare = [&] {
    n = checked_size<Comm>(call, given, first, last);
    check_not_null(call, "first", first, n);
    detail::check_begin(call, "[first, last)", first, n, "out", out, false);
    numbers.allocate(call, 1, policy.stream());
    fold.numbers = numbers.data();
    load_waiting_kernel(call, kernel);
    detail::find_first_head(call, heads_from_keys<unwrapped<In>, Equal>{unwrap(first), equal, 0, true}, n,
                            numbers.data(), policy.stream());
  };
  const auto enqueue = [&](const auto& end) {
    kernel_launch::dependent(call, resident_blocks(kernel, warp_size, 0), kernel, 1, warp_size, 0, policy.stream(),
                             gathered.mine(), keys, n, number_of_call(call), end);
  };
  gathered.exchange(given, prepare, enqueue, fold, [&] { return item_count{n, nullptr}; });
  gathered.finish();
  return count_own_runs(ranks, policy, &numbers.data()->own_begin, n, [&](index_t begin, index_t* count) {
    onepass::unique_copy_async(policy, first + begin, first + n, out, equal, count);
  });
}

}  // namespace onepass::detail
