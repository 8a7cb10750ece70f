// SPDX-License-Identifier: Apache-2.0
// Reductions by key across ranks, and unique. A run belongs to the rank that has its first item. Before the rank's own
// call, ranks tell each other their first and last runs. So a rank leaves out the items at its begin that belong to an
// earlier rank's run, and joins what later ranks have of its last run. Bytes moved: those of the rank's own call; the
// items of its first and last run are read once more.
#pragma once

#include <onepass/unique.hpp>

#include "compact_over_ranks.hpp"
#include "rank_segments.hpp"

namespace onepass::detail {

// The first index of this rank from which on runs begin here: 0, or the end of a run that an earlier rank's last item
// begins.
template <class End, class Segments>
index_t first_own_run(const std::vector<End>& ends, int rank, const Segments& segments) {
  if (segments.n == 0) return 0;
  const auto mine = static_cast<std::size_t>(rank);
  for (std::size_t q = mine; q-- > 0;) {
    if (ends[q].has_items) return segments.continues(ends[q], ends[mine]) ? segments.first_head() : 0;
  }
  return 0;
}

// ---- reduce by key --------------------------------------------------------------------------------------------------
// A rank's first and last run.
template <class T, class Key>
struct border_runs : segment_end<T, Key> {  // `total` is that of the last run
  raw_value<T> first_total;                 // of the first run
};

template <class T, class Segments, class Values, class Op>
auto border_runs_of(const Segments& segments, Values values, Op op) {
  border_runs<T, typename Segments::key> runs{end_of_segments<T>(segments, values, op), {}};
  if (!runs.has_items) return runs;
  if (runs.has_inner_head) runs.first_total.set(reduce_items<T>(segments.policy, values, segments.first_head(), op));
  else runs.first_total = runs.total;
  return runs;
}

// The last run of rank `rank`, joined with what later ranks have of it; empty if they have nothing.
template <class T, class Key, class Segments, class Op>
std::optional<T> joined_last_run(const std::vector<border_runs<T, Key>>& ends, int rank, const Segments& segments,
                                 Op op) {
  const border_runs<T, Key>& mine = ends[static_cast<std::size_t>(rank)];
  std::optional<T> joined;
  for (std::size_t q = static_cast<std::size_t>(rank) + 1; q < ends.size(); ++q) {
    const border_runs<T, Key>& next = ends[q];
    if (!next.has_items) continue;
    if (!segments.continues(mine, next)) break;
    const T total = static_cast<T>(op(joined ? *joined : mine.total.get(), next.first_total.get()));
    joined.emplace(total);
    if (next.has_inner_head) break;
  }
  return joined;
}

template <class Comm, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
distributed::slice reduce_over_ranks(const char* call, Comm& comm, const Policy& any_policy, Keys first, Keys last,
                                     Values values, KeysOut out_keys, ValuesOut out_values, Equal equal, Op op) {
  using value = reduced_type<Op, none, value_of<Values>, unwrapped<ValuesOut>>;
  rank_call<Comm> ranks(comm, call);
  keyed_segments<Keys, Equal> segments(first, equal);
  const auto reduce_from = [&](const cpu_policy& policy, index_t i) -> index_t {
    return onepass::reduce_by_key(policy, first + i, first + segments.n, values + i, out_keys, out_values, equal, op)
               .second -
           out_values;
  };
  std::unique_ptr<workspace> memory;
  const auto ends = ranks.gather([&] {
    segments.policy = rank_policy<Comm>(call, any_policy);
    const index_t n = segments.n = rank_size(call, any_policy, first, last);
    check_begin(call, "the keys", first, n, "out_keys", out_keys, false);
    check_begin(call, "the keys", first, n, "out_values", out_values, false);
    check_begin(call, "the values", values, n, "out_keys", out_keys, false);
    check_begin(call, "the values", values, n, "out_values", out_values, false);
    memory = memory_for(segments.policy, [&](const cpu_policy& policy) { reduce_from(policy, 0); });
    return border_runs_of<value>(segments, values, op);
  });
  const auto counts = ranks.gather([&]() -> index_t {
    const index_t begin = first_own_run(ends, ranks.rank(), segments);
    if (begin == segments.n) return 0;
    const index_t runs = reduce_from(segments.policy.with(*memory), begin);
    const std::optional<value> joined = joined_last_run(ends, ranks.rank(), segments, op);
    if (joined) out_values[runs - 1] = as_item_of<ValuesOut>(*joined);
    return runs;
  });
  return slice_of(counts, ranks.rank());
}

// ---- unique ---------------------------------------------------------------------------------------------------------
template <class Comm, class Policy, class In, class Out, class Equal>
distributed::slice unique_over_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out,
                                     Equal equal) {
  rank_call<Comm> ranks(comm, call);
  keyed_segments<In, Equal> segments(first, equal);
  const auto unique_from = [&](const cpu_policy& policy, index_t i) -> index_t {
    return onepass::unique_copy(policy, first + i, first + segments.n, out, equal) - out;
  };
  std::unique_ptr<workspace> memory;
  const auto ends = ranks.gather([&] {
    segments.policy = rank_policy<Comm>(call, any_policy);
    segments.n = rank_size(call, any_policy, first, last);
    check_begin(call, "[first, last)", first, segments.n, "out", out, false);
    memory = memory_for(segments.policy, [&](const cpu_policy& policy) { unique_from(policy, 0); });
    segment_end<char, value_of<In>> end{segments.n > 0, false, false, {}, {}, {}};
    segments.tell_keys(end);
    return end;
  });
  const auto counts = ranks.gather([&]() -> index_t {
    const index_t begin = first_own_run(ends, ranks.rank(), segments);
    return begin == segments.n ? 0 : unique_from(segments.policy.with(*memory), begin);
  });
  return slice_of(counts, ranks.rank());
}

}  // namespace onepass::detail
