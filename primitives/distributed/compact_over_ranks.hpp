// SPDX-License-Identifier: Apache-2.0
// Compaction across ranks: each rank compacts its own items, and all exchange how many they have kept. And what moves
// items between ranks so that each has an even share.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/shares.hpp>

#include "local_call.hpp"

namespace onepass::detail {

// Where this rank's items lie among those of all ranks.
inline distributed::slice slice_of(const std::vector<index_t>& sizes, int rank) {
  const auto first = sizes.begin(), mine = first + rank;
  return {*mine, std::accumulate(first, mine, index_t{0}), std::accumulate(first, sizes.end(), index_t{0})};
}

// keep(policy, n) stores the kept ones of this rank's n items, and returns how many they are.
template <class Comm, class Policy, class In, class Keep>
distributed::slice compact_over_ranks(const char* call, Comm& comm, const Policy& policy, In first, In last,
                                      Keep keep) {
  rank_call<Comm> ranks(comm, call);
  const auto kept = ranks.gather(
      [&]() -> index_t { return keep(rank_policy<Comm>(call, policy), rank_size(call, policy, first, last)); });
  return slice_of(kept, ranks.rank());
}

// ---- even shares ----------------------------------------------------------------------------------------------------
// How many of the items [begin, end) lie in each rank's part, which is [shares[r], shares[r + 1]).
inline std::vector<index_t> counts_within(index_t begin, index_t end, const std::vector<index_t>& shares) {
  std::vector<index_t> counts(shares.size() - 1);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    counts[r] = std::max<index_t>(0, std::min(end, shares[r + 1]) - std::max(begin, shares[r]));
  }
  return counts;
}

// What each rank says of itself before items move.
struct rank_room {
  index_t size, capacity;
};
inline std::vector<index_t> sizes_of(const std::vector<rank_room>& rooms) {
  std::vector<index_t> sizes(rooms.size());
  for (std::size_t r = 0; r < rooms.size(); ++r) sizes[r] = rooms[r].size;
  return sizes;
}
// Throws on all ranks if the share of one is larger than its capacity. Every rank finds the same.
template <class Comm>
void check_capacity(rank_call<Comm>& ranks, const std::vector<rank_room>& rooms, const std::vector<index_t>& shares) {
  for (std::size_t r = 0; r < rooms.size(); ++r) {
    const index_t needed = shares[r + 1] - shares[r];
    if (needed > rooms[r].capacity) {
      ranks.refuse(static_cast<int>(r), "capacity is too small: its share is " + std::to_string(needed) +
                                            " items, it has room for " + std::to_string(rooms[r].capacity));
    }
  }
}
template <class Out>
void check_room(const char* call, Out out, index_t capacity) {
  static_assert(is_contiguous<Out>, "onepass::distributed: what other ranks send has to go to a plain array");
  if (capacity < 0) throw invalid_argument(call, "capacity is negative");
  check_not_null(call, "out", out, capacity);
}

template <class Comm, class Policy, class In, class Out>
distributed::slice rebalance_over_ranks(const char* call, Comm& comm, const Policy& policy, In first, In last, Out out,
                                        index_t capacity) {
  using item = value_of<In>;
  static_assert(std::is_same_v<item, value_of<Out>>, "onepass::distributed: out has items of another type");
  rank_call<Comm> ranks(comm, call);
  owned_array<item> copy;  // of items that are no array
  const item* items = nullptr;
  const auto rooms = ranks.gather([&] {
    (void)rank_policy<Comm>(call, policy);
    const index_t n = rank_size(call, policy, first, last);
    check_not_null(call, "first", first, n);
    check_room(call, out, capacity);
    check_overlap(call, "[first, last)", first, n, "out", out, capacity, false);
    if constexpr (is_contiguous<In>) {
      items = thrust::raw_pointer_cast(unwrap(first));
    } else {
      copy.allocate(n);
      items = std::uninitialized_copy_n(first, n, copy.data()) - n;
    }
    return rank_room{n, capacity};
  });
  const distributed::slice given = slice_of(sizes_of(rooms), ranks.rank());
  const std::vector<index_t> shares = even_shares(given.total, ranks.size());
  check_capacity(ranks, rooms, shares);
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const index_t begin = shares[rank], end = shares[rank + 1];
  ranks.all_to_all(items, counts_within(given.offset, given.offset + given.size, shares),
                   thrust::raw_pointer_cast(unwrap(out)), counts_within(begin, end, shares_of(sizes_of(rooms))));
  return {end - begin, begin, given.total};
}

}  // namespace onepass::detail
