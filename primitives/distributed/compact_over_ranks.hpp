// SPDX-License-Identifier: Apache-2.0
// Compaction across ranks: each rank compacts its own items, and all exchange how many they have kept. And what moves
// items between ranks so that each has an even share.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/shares.hpp>

#include "local_call.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/exchange/cuda_rank.cuh"
#include "cuda/device_gather.cuh"
#endif

namespace onepass::detail {

// Where this rank's items lie among those of all ranks.
inline distributed::slice slice_of(const std::vector<index_t>& sizes, int rank) {
  const auto first = sizes.begin(), mine = first + rank;
  return {*mine, std::accumulate(first, mine, index_t{0}), std::accumulate(first, sizes.end(), index_t{0})};
}

// keep(policy, n, count) stores the kept ones of this rank's n items, and how many they are.
template <class Comm, class Policy, class In, class Keep>
distributed::slice compact_over_ranks(const char* call, Comm& comm, const Policy& policy, In first, In last,
                                      Keep keep) {
  check_memory<Comm, Policy>();
  rank_call<Comm> ranks(comm, call);
  std::vector<index_t> kept;
  if constexpr (!is_on_cuda<Comm>) {
    kept = ranks.gather([&] {
      index_t count = 0;
      keep(rank_policy<Comm>(call, policy), rank_size(call, policy, first, last), &count);
      return count;
    });
  } else {
#if ONEPASS_HAS_CUDA
    const auto given = as_policy(policy);
    kept = gather_from_device<index_t>(
        ranks, given, [&](index_t* count) { keep(own_policy(given), checked_distance(call, first, last), count); });
#endif
  }
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
template <class Room>
std::vector<index_t> sizes_of(const std::vector<Room>& rooms) {
  std::vector<index_t> sizes(rooms.size());
  for (std::size_t r = 0; r < rooms.size(); ++r) sizes[r] = rooms[r].size;
  return sizes;
}
// Throws on all ranks if the share of one is larger than its capacity. Every rank finds the same.
template <class Comm, class Room>
void check_capacity(rank_call<Comm>& ranks, const std::vector<Room>& rooms, const std::vector<index_t>& shares) {
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

// A rank's items as an array that other ranks can read: where they are, or a copy.
template <class In>
class host_items {
 public:
  template <class Policy>
  host_items(const char*, const Policy&) {}
  const value_of<In>* get(const char*, In first, index_t n, int) {
    if constexpr (is_contiguous<In>) {
      return thrust::raw_pointer_cast(unwrap(first));
    } else {
      copy_.allocate(n);
      return std::uninitialized_copy_n(first, n, copy_.data()) - n;
    }
  }
  void leave() noexcept { copy_.leave(); }

 private:
  owned_array<value_of<In>> copy_;
};
#if ONEPASS_HAS_CUDA
template <class In>
class cuda_range_items {
 public:
  cuda_range_items(const char*, const cuda_policy& policy) : stream_(policy.stream()) {}
  const value_of<In>* get(const char* call, In first, index_t n, int ranks) {
    if constexpr (is_contiguous<In>) {
      const value_of<In>* const items = thrust::raw_pointer_cast(unwrap(first));
      if (ranks == 1 || n == 0 || is_open_to_peers(items)) return items;
    }
    copy_ = std::make_unique<device_items<value_of<In>>>();
    copy_->allocate(call, n, stream_);
    copy_items(call, unwrap(first), copy_->data(), n, stream_);
    return copy_->data();
  }

 private:
  stream_t stream_;
  std::unique_ptr<device_items<value_of<In>>> copy_;
};
#endif
template <class Comm, class In>
auto items_type() {
#if ONEPASS_HAS_CUDA
  if constexpr (is_on_cuda<Comm>) return static_cast<cuda_range_items<In>*>(nullptr);
  else
#endif
    return static_cast<host_items<In>*>(nullptr);
}
template <class Comm, class In>
using rank_items = std::remove_pointer_t<decltype(items_type<Comm, In>())>;

template <class Comm, class Policy, class In, class Out>
distributed::slice rebalance_over_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last,
                                        Out out, index_t capacity) {
  using item = value_of<In>;
  static_assert(std::is_same_v<item, value_of<Out>>, "onepass::distributed: out has items of another type");
  check_memory<Comm, Policy>();
  const auto policy = as_policy(any_policy);
  rank_call<Comm> ranks(comm, call);
  rank_items<Comm, In> own(call, policy);
  const item* items = nullptr;
  const auto rooms = ranks.gather([&] {
    const index_t n = checked_size<Comm>(call, policy, first, last);
    check_not_null(call, "first", first, n);
    check_room(call, out, capacity);
    check_overlap(call, "[first, last)", first, n, "out", out, capacity, false);
    items = own.get(call, first, n, ranks.size());
    return rank_room{n, capacity};
  });
  const distributed::slice given = slice_of(sizes_of(rooms), ranks.rank());
  const std::vector<index_t> shares = even_shares(given.total, ranks.size());
  check_capacity(ranks, rooms, shares);
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const index_t begin = shares[rank], end = shares[rank + 1];
  const auto move = [&] {
    ranks.all_to_all(policy, items, counts_within(given.offset, given.offset + given.size, shares),
                     thrust::raw_pointer_cast(unwrap(out)), counts_within(begin, end, shares_of(sizes_of(rooms))));
  };
  leaving_on_failure<Comm>(move, own);
  wait_for_ranks<In, Out>(ranks, policy);
  return {end - begin, begin, given.total};
}

}  // namespace onepass::detail
