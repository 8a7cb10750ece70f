// SPDX-License-Identifier: Apache-2.0
// A radix sort across ranks: find the splitters, partition each rank's items for the ranks that they go to, exchange
// them, and sort what has come. Items arrive by rank, then by position, and the sort is stable; so the whole is. Bytes
// moved: the splitters' and the partition's, each item once between ranks, and one sort of the rank's share.
#pragma once

#include <onepass/shares.hpp>

#include "compact_over_ranks.hpp"
#include "find_splitters.hpp"
#include "moved_items.hpp"
#include "partition_items.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/count_digits.cuh"
#include "cuda/rank_sort_on_cuda.cuh"
#endif

namespace onepass::detail {

// The begins of the wanted shares, of ranks that have given these sizes.
inline std::vector<index_t> wanted_shares(distributed::shares wanted, const std::vector<index_t>& sizes) {
  if (wanted == distributed::shares::as_given) return shares_of(sizes);
  return even_shares(std::accumulate(sizes.begin(), sizes.end(), index_t{0}), static_cast<int>(sizes.size()));
}
// How far below its even share a loose one may begin.
inline index_t slack_of(distributed::shares wanted, const std::vector<index_t>& begins) {
  constexpr index_t parts = 64;  // of a share; not measured
  const auto size = static_cast<index_t>(begins.size()) - 1;
  return wanted == distributed::shares::loose ? begins.back() / size / parts : 0;
}

// The splitters of keys of which each rank has given `sizes`. `policy` is the rank's own. `counts`, if it is not null, gets
// what was counted.
template <class Comm, class Policy, class In>
auto find_splitters(rank_call<Comm>& ranks, const Policy& policy, In first, const std::vector<index_t>& sizes,
                    const radix_options& options, distributed::shares wanted, splitter_counts* counts = nullptr) {
  using key = value_of<In>;
  const std::vector<index_t> begins = wanted_shares(wanted, sizes);
  const index_t n = sizes[static_cast<std::size_t>(ranks.rank())];
  const auto search = [&](auto counter) {
    splitter_search<Comm, key, decltype(counter)> descent(ranks, counter, n, options, begins, slack_of(wanted, begins));
    auto found = descent.run();
    if (counts != nullptr) *counts = descent.counts();
    return found;
  };
  const bits_in_order<key> order(options);
  if constexpr (!is_on_cuda<Comm>) {
    return search(cpu_digit_counter<In>(policy, first, n, order));
  } else {
#if ONEPASS_HAS_CUDA
    return search(cuda_digit_counter<Comm, In>(ranks, policy, first, n, order));
#endif
  }
}

// What moves in a sort on the CPU; cuda_rank_sort (cuda/rank_sort_on_cuda.cuh) has the same members.
template <class In, class Out, class Values>
class rank_sort : public moved_items<In, Out, Values, owned_array> {
  using base = moved_items<In, Out, Values, owned_array>;
  using key = value_of<In>;

 public:
  using base::base;
  // Takes memory, and partitions the rank's n items.
  template <class Comm>
  void partition(rank_call<Comm>&, const cpu_policy& policy, index_t n, const distributed::splitter_set<key>& splitters,
                 index_t share, const splitter_counts&) {
    options_ = splitters.options, share_ = share;
    this->keys_.allocate(std::max(n, share));
    if constexpr (Values::exist) this->other_values_.allocate(std::max(n, share));
    memory_ = memory_for(policy, [&](const cpu_policy& p) { this->sort_now(p, share, options_); });
    sent_ = partition_items(policy, this->first_, n, this->values_.in, splitters, this->keys_.data(),
                            this->other_values_.data());
  }
  // Exchanges the items, and sorts what has come.
  template <class Comm>
  void exchange_and_sort(rank_call<Comm>& ranks, const cpu_policy& policy) {
    this->exchange(ranks, policy, sent_, ranks.swap_counts(sent_));
    this->sort_now(policy.with(*memory_), share_, options_);
  }

 private:
  radix_options options_;
  index_t share_ = 0;
  std::vector<index_t> sent_;
  std::unique_ptr<workspace> memory_;
};

// Checks the arguments of a rank with n items and room for `capacity`.
template <class In, class Out, class Values>
void check_sort_arguments(const char* call, In first, index_t n, Out out, const Values& values, index_t capacity) {
  check_not_null(call, "first", first, n);
  check_room(call, out, capacity);
  if constexpr (Values::exist) {
    check_not_null(call, "values", values.in, n);
    check_room(call, values.out, capacity);
    check_overlap(call, "out", out, capacity, "values_out", values.out, capacity, false);
  }
}

// The rank's own policy, without memory of the caller's, and what moves its items.
template <class In, class Out, class Values>
rank_sort<In, Out, Values> rank_sort_on(const cpu_policy&, In first, Out out, Values values) {
  return {first, out, values};
}
inline cpu_policy plain_policy(const cpu_policy& given) { return cpu_policy(given.threads()); }
#if ONEPASS_HAS_CUDA
template <class In, class Out, class Values>
cuda_rank_sort<In, Out, Values> rank_sort_on(const cuda_policy&, In first, Out out, Values values) {
  return {first, out, values};
}
inline cuda_policy plain_policy(const cuda_policy& given) { return cuda_policy(given.stream()); }
#endif

template <class Comm, class Policy, class In, class Out, class Values>
distributed::slice sort_over_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out,
                                   Values values, index_t capacity, const radix_options& asked,
                                   distributed::shares wanted) {
  check_memory<Comm, Policy>();
  const auto given = as_policy(any_policy);
  const auto policy = plain_policy(given);
  rank_call<Comm> ranks(comm, call);
  const auto rank = static_cast<std::size_t>(ranks.rank());
  auto own = rank_sort_on(policy, first, out, values);
  radix_options options;
  const auto rooms = ranks.gather([&] {
    options = checked_options<value_of<In>, whole_key>(call, asked);
    const index_t n = checked_size<Comm>(call, given, first, last);
    check_sort_arguments(call, first, n, out, values, capacity);
    return rank_room{n, capacity};
  });
  const std::vector<index_t> sizes = sizes_of(rooms);
  if (wanted != distributed::shares::loose) check_capacity(ranks, rooms, wanted_shares(wanted, sizes));
  splitter_counts counts;
  const auto splitters = find_splitters(ranks, policy, first, sizes, options, wanted, &counts);
  check_capacity(ranks, rooms, splitters.begins);
  const index_t begin = splitters.begins[rank], share = splitters.begins[rank + 1] - begin;
  ranks.agree([&] { own.partition(ranks, policy, sizes[rank], splitters, share, counts); });
  own.exchange_and_sort(ranks, policy);
  wait_for_ranks<In, Out>(ranks, given);
  return {share, begin, splitters.begins.back()};
}

}  // namespace onepass::detail
