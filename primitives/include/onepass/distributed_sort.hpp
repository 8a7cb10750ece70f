// SPDX-License-Identifier: Apache-2.0
// onepass/distributed_sort.hpp: stable radix sort across ranks, and its parts. onepass/distributed.hpp says what all
// calls across ranks share.
//   Keys       integers of 8 to 128 bits, bool, float and double, in the order of onepass/radix_sort.hpp: floats with
//              NaNs at the ends, -0 equal to +0. Values are trivially copyable.
//   Ranges     Each rank gives its keys [first, last), and values beside them; it gets its share in `out` and
//              `values_out`, arrays with room for `capacity` items. These do not overlap each other. Each may overlap
//              the input.
//   Order      stable: equal keys stand by rank, then by their position on it, whatever the direction. After the call
//              rank 0 has the first share of the sorted range, rank 1 the next, and so on.
//   Shares     onepass/shares.hpp; as_given if nothing is said. They are exact for any keys, also where all are equal.
//   Cost       five exchanges, six with values, and one for each 8 bits of the key until the borders are found (with
//              `loose` until they are found nearly). In the last ones each item moves between ranks, once. A rank reads
//              its keys four times, and again for each 8 bits that more than a quarter of them have in common with a
//              border; and it sorts its share once. Memory: as much as the larger of input and share, and what the sort
//              takes.
//              On CUDA, by runs: a rank sorts its items, and then merges its share, which reads and writes each item
//              once. Three exchanges where ranks can read each other's memory; else (NCCL) also one for each 11 bits of
//              the borders. At most 128 ranks. Memory: as much as the input, what the sort takes, and as much as the
//              share where ranks cannot read each other's memory. By bins, from 2^26 items a rank on between three
//              threads' GPUs or more, and from 128 MB of keys a rank on over NCCL, of 4 bytes or more, with values of up
//              to 12 bytes, if the top 8 bits of a sample spread them well: a pass by those 8 bits, then a sort of the
//              share in groups, while others move; five exchanges (NCCL: four, and one a group). Memory: as much as the
//              input and the share, what sorts of two groups take, and over NCCL three groups more.
//   Errors     If the capacity of a rank is too small, or the options or shares that it asks for are not those of rank
//              0, all ranks throw, and nothing is written.
//   Source     Solomonik and Kale, "Highly Scalable Parallel Sorting" (2010), for splitters by histograms.
#pragma once

#include "../../distributed/merge_sorted_runs.hpp"
#include "../../distributed/sort_over_ranks.hpp"
#include "communicator.hpp"
#include "shares.hpp"
#include "splitters.hpp"

namespace onepass::distributed {

// ---- radix_sort -----------------------------------------------------------------------------------------------------
// Sorts the keys of all ranks. Returns this rank's slice.
//
//   std::vector<unsigned> all(4);
//   onepass::distributed::run_ranks(2, [&](onepass::distributed::thread_communicator& comm) {
//     const std::vector<unsigned> x = comm.rank() == 0 ? std::vector<unsigned>{40, 10} : std::vector<unsigned>{30, 20};
//     onepass::distributed::radix_sort(comm, onepass::cpu(1), x.begin(), x.end(), all.begin() + 2 * comm.rank(), 2);
//   });  // all = 10 20 30 40
template <class Comm, class Policy, class In, class Out, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
slice radix_sort(Comm& comm, const Policy& policy, In first, In last, Out out, index_t capacity,
                 const radix_options& options = {}, shares wanted = shares::as_given) {
  return detail::sort_over_ranks("distributed::radix_sort", comm, policy, first, last, out, detail::no_values{},
                                 capacity, options, wanted);
}
template <class Comm, class In, class Out, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
slice radix_sort(Comm& comm, In first, In last, Out out, index_t capacity, const radix_options& options = {},
                 shares wanted = shares::as_given) {
  return distributed::radix_sort(comm, detail::default_policy<In, Out>(), first, last, out, capacity, options, wanted);
}

// The same for keys with values: values[i] moves with key i.
template <class Comm, class Policy, class In, class Values, class Out, class ValuesOut,
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, In> = 0>
slice radix_sort_by_key(Comm& comm, const Policy& policy, In first, In last, Values values, Out out,
                        ValuesOut values_out, index_t capacity, const radix_options& options = {},
                        shares wanted = shares::as_given) {
  return detail::sort_over_ranks("distributed::radix_sort_by_key", comm, policy, first, last, out,
                                 detail::traveling_values<Values, ValuesOut>{values, values_out}, capacity, options,
                                 wanted);
}
template <class Comm, class In, class Values, class Out, class ValuesOut, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
slice radix_sort_by_key(Comm& comm, In first, In last, Values values, Out out, ValuesOut values_out, index_t capacity,
                        const radix_options& options = {}, shares wanted = shares::as_given) {
  return distributed::radix_sort_by_key(comm, detail::default_policy<In, Values, Out, ValuesOut>(), first, last, values,
                                        out, values_out, capacity, options, wanted);
}

// ---- the parts of the sort, for programs that exchange by themselves ------------------------------------------------
// Finds where the sorted range is cut. All ranks call it; nothing moves. On CUDA a rank sorts a copy of its keys for it;
// on the CPU it reads them twice, and then keeps up to a quarter of them. Errors: as in onepass/distributed.hpp.
template <class Comm, class Policy, class In, detail::if_communicator<Comm> = 0, detail::if_policy<Policy, In> = 0>
splitter_set<detail::value_of<In>> splitters(Comm& comm, const Policy& any_policy, In first, In last,
                                             const radix_options& asked = {}, shares wanted = shares::as_given) {
  const char* const call = "distributed::splitters";
  detail::check_memory<Comm, Policy>();
  detail::rank_call<Comm> ranks(comm, call);
  const auto given = detail::as_policy(any_policy);
  const auto policy = detail::plain_policy(given);
  radix_options options;
  const auto rooms = ranks.gather([&] {
    options = detail::checked_options<detail::value_of<In>, detail::whole_key>(call, asked);
    const index_t n = detail::checked_size<Comm>(call, given, first, last);
    detail::check_not_null(call, "first", first, n);
    return detail::sort_room{n, n, options, wanted, sizeof(detail::value_of<In>), 0};
  });
  detail::check_same_request(ranks, rooms);
  return detail::splitters_of(ranks, policy, first, detail::sizes_of(rooms), options, wanted).set;
}
template <class Comm, class In, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
splitter_set<detail::value_of<In>> splitters(Comm& comm, In first, In last, const radix_options& options = {},
                                             shares wanted = shares::as_given) {
  return distributed::splitters(comm, detail::default_policy<In>(), first, last, options, wanted);
}

// Copies this rank's keys to the array `out`, and its values to values_out: first those that go to rank 0, then those
// for rank 1, and so on. Returns how many go to each rank. Among them, equal keys keep their order. `splitters` are
// those of the same keys in any order, made on this rank. Outputs have room for all items, and overlap neither inputs
// nor each other. A rank calls it by itself, with a policy for the host's memory, which may be sized. Errors:
// onepass::invalid_argument, also within onepass::measure; std::bad_alloc.
template <class Policy, class In>
std::vector<index_t> partition_for(const Policy& policy, In first, In last,
                                   const splitter_set<detail::value_of<In>>& splitters, detail::value_of<In>* out) {
  const char* const call = "distributed::partition_for";
  detail::check_not_measured(call, policy);
  const index_t n = detail::items_now(policy, detail::checked_distance(call, first, last));
  detail::check_not_null(call, "first", first, n);
  detail::check_not_null(call, "out", out, n);
  detail::check_overlap(call, "[first, last)", first, n, "out", out, n, false);
  return detail::partition_items(policy, first, n, detail::none{}, splitters, out, static_cast<char*>(nullptr));
}
template <class Policy, class In, class Values>
std::vector<index_t> partition_for(const Policy& policy, In first, In last, Values values,
                                   const splitter_set<detail::value_of<In>>& splitters, detail::value_of<In>* out,
                                   detail::value_of<Values>* values_out) {
  const char* const call = "distributed::partition_for";
  detail::check_not_measured(call, policy);
  const index_t n = detail::items_now(policy, detail::checked_distance(call, first, last));
  detail::check_copied_pairs(call, first, values, n, out, values_out);
  return detail::partition_items(policy, first, n, values, splitters, out, values_out);
}

// Merges sorted runs that lie one behind the other from `first` on, of sizes[0], sizes[1], ... items, into the array
// `out`. It is stable: equal keys of an earlier run come first. Outputs overlap neither inputs nor each other. A rank
// calls it by itself.
//   Cost       ceil(log2(runs)) rounds, each of which reads and writes all items once, and a second array of them. A
//              round has no more threads than pairs of runs. Where runs are not sorted yet, one radix sort of all items
//              is faster.
//   Errors     onepass::invalid_argument; std::bad_alloc.
template <class In>
void merge_runs(const cpu_policy& policy, In first, const std::vector<index_t>& sizes, detail::value_of<In>* out,
                const radix_options& asked = {}) {
  using key = detail::value_of<In>;
  const char* const call = "distributed::merge_runs";
  detail::check_not_measured(call, policy);
  const auto options = detail::checked_options<key, detail::whole_key>(call, asked);
  const std::vector<index_t> begins = detail::checked_runs(call, sizes);
  detail::check_not_null(call, "first", first, begins.back());
  detail::check_not_null(call, "out", out, begins.back());
  detail::check_overlap(call, "the runs", first, begins.back(), "out", out, begins.back(), false);
  detail::owned_array<key> scratch;
  scratch.allocate(begins.back());
  detail::merge_sorted_runs<In, detail::none, key, char>(policy, first, {}, begins, options, {out, nullptr},
                                                         {scratch.data(), nullptr});
}
template <class In, class Values>
void merge_runs(const cpu_policy& policy, In first, Values values, const std::vector<index_t>& sizes,
                detail::value_of<In>* out, detail::value_of<Values>* values_out, const radix_options& asked = {}) {
  using key = detail::value_of<In>;
  using value = detail::value_of<Values>;
  const char* const call = "distributed::merge_runs";
  detail::check_not_measured(call, policy);
  const auto options = detail::checked_options<key, detail::whole_key>(call, asked);
  const std::vector<index_t> begins = detail::checked_runs(call, sizes);
  const index_t n = begins.back();
  detail::check_copied_pairs(call, first, values, n, out, values_out);
  detail::owned_array<key> keys;
  detail::owned_array<value> other_values;
  keys.allocate(n);
  other_values.allocate(n);
  detail::merge_sorted_runs<In, Values, key, value>(policy, first, values, begins, options, {out, values_out},
                                                    {keys.data(), other_values.data()});
}

}  // namespace onepass::distributed
