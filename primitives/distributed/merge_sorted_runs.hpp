// SPDX-License-Identifier: Apache-2.0
// Merges sorted runs that lie one behind the other: two neighbours at a time, in ceil(log2(runs)) rounds, to and fro
// between the output and scratch. Stable. Bytes moved: each item is read and written once a round.
#pragma once

#include "../../core/support/none.hpp"
#include "key_prefixes.hpp"

namespace onepass::detail {

template <class K, class V>
struct merge_arrays {
  K* keys;
  V* values;  // null, if there are none
};

// Merges the items [begin, middle) and [middle, end) of `in` to `out`, which may be an iterator pair.
template <class Keys, class Values, class K, class V>
void merge_two(const bits_in_order<K>& order, Keys keys, Values values, index_t begin, index_t middle, index_t end,
               const merge_arrays<K, V>& out) {
  index_t a = begin, b = middle;
  for (index_t i = begin; i < end; ++i) {
    const bool takes_second = a == middle || (b < end && order.of(keys[b]) < order.of(keys[a]));
    const index_t from = takes_second ? b++ : a++;
    out.keys[i] = keys[from];
    if constexpr (!std::is_same_v<Values, none>) out.values[i] = values[from];
  }
}

// Where runs of these sizes begin, and the last one ends.
inline std::vector<index_t> checked_runs(const char* call, const std::vector<index_t>& sizes) {
  index_t room = std::numeric_limits<index_t>::max() / 2;
  for (const index_t size : sizes) {
    if (size < 0) throw invalid_argument(call, "the size of a run is negative");
    if (size > room) throw invalid_argument(call, "more items than one call can take");
    room -= size;
  }
  return shares_of(sizes);
}

// The runs' begins, and the end of the last, are in `begins`.
template <class In, class Values, class K, class V>
void merge_sorted_runs(const cpu_policy& policy, In first, Values values, std::vector<index_t> begins,
                       const radix_options& options, const merge_arrays<K, V>& out, const merge_arrays<K, V>& scratch) {
  constexpr bool has_values = !std::is_same_v<Values, none>;
  const bits_in_order<K> order(options);
  int rounds = 1;  // one, at least, as the items have to be copied
  while ((std::size_t{1} << rounds) + 1 < begins.size()) ++rounds;
  for (int round = 0; round < rounds; ++round) {
    const merge_arrays<K, V>& to = (rounds - round) % 2 == 1 ? out : scratch;
    const merge_arrays<K, V>& from = (rounds - round) % 2 == 1 ? scratch : out;
    const auto pairs = static_cast<index_t>(begins.size() / 2);
    const auto bound = [&](index_t i) { return begins[std::min(static_cast<std::size_t>(i), begins.size() - 1)]; };
    share_out_parts(policy, pairs, [&](index_t pair) {
      const index_t begin = bound(2 * pair), middle = bound(2 * pair + 1), end = bound(2 * pair + 2);
      if (round == 0) merge_two(order, first, values, begin, middle, end, to);
      else if constexpr (has_values) merge_two(order, from.keys, from.values, begin, middle, end, to);
      else merge_two(order, from.keys, none{}, begin, middle, end, to);
    });
    std::vector<index_t> merged;
    for (index_t pair = 0; pair <= pairs; ++pair) merged.push_back(bound(2 * pair));
    begins = std::move(merged);
  }
}

}  // namespace onepass::detail
