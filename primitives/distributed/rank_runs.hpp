// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other of their first and last runs, and what a rank makes of it. A run belongs to the rank that
// has its first item.
#pragma once

#include "rank_segments.hpp"

namespace onepass::detail {

// Whether the first items of this rank belong to a run that begins on an earlier rank. ends[q] is rank q's; continues
// (a, b) says whether the first run of end b continues the last one of end a.
ONEPASS_EXEC_CHECK_DISABLE
template <class Ends, class Continues>
ONEPASS_HOST_DEVICE bool first_run_is_anothers(const Ends& ends, int rank, const Continues& continues) {
  const auto mine = static_cast<std::size_t>(rank);
  for (std::size_t q = mine; ends[mine].has_items && q-- > 0;) {
    if (ends[q].has_items) return continues(ends[q], ends[mine]);
  }
  return false;
}
// The first index of this rank from which on runs begin here: 0, or the end of a run that an earlier rank's last item
// begins.
template <class End, class Segments>
index_t first_own_run(const std::vector<End>& ends, int rank, const Segments& segments) {
  const auto continues = [&](const End& a, const End& b) { return segments.continues(a, b); };
  return first_run_is_anothers(ends, rank, continues) ? segments.first_head() : 0;
}

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

// The last run of rank `rank`, joined with what later ranks of `ranks` have of it; empty if they have nothing.
ONEPASS_EXEC_CHECK_DISABLE
template <class T, class Key, class Ends, class Continues, class Op>
ONEPASS_HOST_DEVICE ::cuda::std::optional<T> joined_last_run(const Ends& ends, int rank, int ranks,
                                                             const Continues& continues, Op op) {
  const border_runs<T, Key>& mine = ends[static_cast<std::size_t>(rank)];
  ::cuda::std::optional<T> joined;
  for (int q = rank + 1; mine.has_items && q < ranks; ++q) {
    const border_runs<T, Key>& next = ends[static_cast<std::size_t>(q)];
    if (!next.has_items) continue;
    if (!continues(mine, next)) break;
    const T total = static_cast<T>(op(joined ? *joined : mine.total.get(), next.first_total.get()));
    joined.emplace(total);
    if (next.has_inner_head) break;
  }
  return joined;
}

// Throws if outputs overlap inputs.
template <class Keys, class Values, class KeysOut, class ValuesOut>
void check_runs(const char* call, Keys first, Values values, index_t n, KeysOut out_keys, ValuesOut out_values) {
  detail::check_begin(call, "the keys", first, n, "out_keys", out_keys, false);
  detail::check_begin(call, "the keys", first, n, "out_values", out_values, false);
  detail::check_begin(call, "the values", values, n, "out_keys", out_keys, false);
  detail::check_begin(call, "the values", values, n, "out_values", out_values, false);
}

}  // namespace onepass::detail
