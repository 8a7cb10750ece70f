// SPDX-License-Identifier: Apache-2.0
// A rank's part of a sort on its GPU. Its items are partitioned by one stable pass of the radix sort, by the top digit.
// Where a border between two ranks lies among the keys of a top digit, these are sorted, too; then each border cuts the
// items at one index, which the search for splitters has counted. Large values, and those that are no array, are
// gathered by their index. Then items move in groups (share_groups.hpp), and a group is sorted while the next ones move.
// Bytes moved: keys are read twice, values once, and both are written once; large values also by index.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <atomic>
#include <deque>

#include "../../../core/exchange/cuda_rank.cuh"
#include "../../../core/exchange/memory_parts.hpp"
#include "../moved_items.hpp"
#include "../share_groups.hpp"
#include "count_digits.cuh"

namespace onepass::detail {

// A group has at least so many items. At 2^28 keys a share has the most groups. Tests make it smaller.
inline std::atomic<index_t> least_in_group{index_t{1} << 24};
constexpr index_t most_groups = 8;  // of a share

// Whether a communicator can move parts of a memory beside the sort, without multiprocessors.
template <class Comm, class = void>
constexpr bool moves_parts = false;
template <class Comm>
constexpr bool moves_parts<Comm, std::void_t<decltype(std::declval<Comm&>().transfer_stream(""))>> = true;

// Work in `beside` begins when `stream` has come here. The end of this object's life is the other way round.
class stream_beside {
 public:
  stream_beside(const char* call, stream_t stream, stream_t beside) : stream_(stream), beside_(beside), event_(call) {
    event_.record(call, stream);
    event_.hold(call, beside);
  }
  ~stream_beside() {
    try {
      event_.record("", beside_);
      event_.hold("", stream_);
    } catch (const std::exception&) {  // the device has failed: nothing works any more
    }
  }
  stream_beside(const stream_beside&) = delete;
  stream_beside& operator=(const stream_beside&) = delete;

 private:
  stream_t stream_, beside_;
  cuda_event event_;
};

template <class In, class Out, class Values>
class cuda_rank_sort : public moved_items<In, Out, Values, device_items> {
  using base = moved_items<In, Out, Values, device_items>;
  using base::first_, base::values_, base::keys_, base::out_, base::other_values_;
  using key = value_of<In>;
  using value = typename Values::item;

 public:
  using base::base;

  // Takes memory, and partitions the rank's n items.
  template <class Comm>
  void partition(rank_call<Comm>& ranks, const cuda_policy& policy, index_t n,
                 const distributed::splitter_set<key>& splitters, index_t share, const splitter_counts& counts) {
    const char* const call = ranks.name();
    options_ = splitters.options;
    is_counted_ = !counts.all.empty();
    groups_.emplace(splitters.begins, counts, n, least_in_group.load(), moves_parts<Comm> ? most_groups : 1);
    take_memory(call, policy, static_cast<std::size_t>(ranks.rank()), n, share);
    radix_options top = options_;
    top.begin_bit += counts.left;  // where nothing was counted, this sorts
    if constexpr (!Values::exist) {
      onepass::radix_sort_copy(policy, first_, first_ + n, keys_.data(), top);
      sort_cut_digits(policy, counts, static_cast<value*>(nullptr));
    } else if constexpr (is_contiguous<decltype(values_.in)> && sizeof(value) <= most_moved_bytes<cuda_policy>) {
      onepass::radix_sort_by_key_copy(policy, first_, first_ + n, values_.in, keys_.data(), other_values_.data(), top);
      sort_cut_digits(policy, counts, other_values_.data());
    } else {
      device_items<index_t> index;
      index.allocate(call, n, policy.stream());
      onepass::radix_sort_by_key_copy(policy, first_, first_ + n, thrust::counting_iterator<index_t>(0), keys_.data(),
                                      index.data(), top);
      sort_cut_digits(policy, counts, index.data());
      copy_items(call, thrust::make_permutation_iterator(unwrap(values_.in), static_cast<const index_t*>(index.data())),
                 other_values_.data(), n, policy.stream());
    }
  }

  // Exchanges the items, and sorts what has come.
  template <class Comm>
  void exchange_and_sort(rank_call<Comm>& ranks, const cuda_policy& policy) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::size_t groups = groups_->size();
    const auto all = ranks.template gather_array<index_t>(groups, [&](index_t* mine) {
      for (std::size_t g = 0; g < groups; ++g) mine[g] = own_items_of(g);
    });
    if (groups_->longest() == 1) {
      std::vector<index_t> sent, received;
      for (std::size_t q = 0; q < groups; ++q) {
        sent.push_back(own_items_of(q));
        received.push_back(all[q * groups + rank]);
      }
      this->exchange(ranks, policy, sent, received);
      if (is_counted_) {
        sort_group(policy.with(*workspace_), 0, std::accumulate(received.begin(), received.end(), index_t{0}));
      }
    } else if constexpr (moves_parts<Comm>) {
      exchange_and_sort_groups(ranks, policy, all);
    }
  }

 private:
  void take_memory(const char* call, const cuda_policy& policy, std::size_t rank, index_t n, index_t share) {
    const stream_t stream = policy.stream();
    index_t longest = 0;  // of this rank's groups
    for (std::size_t k = 0; k < groups_->count_of(rank); ++k)
      longest = std::max(longest, groups_->items_of(groups_->first_of(rank) + k));
    // With one group, what has been sent makes room for the sort.
    const bool is_one = groups_->longest() == 1;
    keys_.allocate(call, is_one ? std::max(n, share) : n, stream);
    if constexpr (Values::exist) other_values_.allocate(call, is_one ? std::max(n, share) : n, stream);
    if (!is_one) {
      second_keys_.allocate(call, longest, stream);
      if constexpr (Values::exist) second_values_.allocate(call, longest, stream);
    }
    const workspace_size size = onepass::measure(policy, [&](const auto& p) { sort_group(p, 0, longest); });
    sort_memory_.emplace(call, size.bytes(), stream);
    workspace_ = std::make_unique<workspace>(policy, size, sort_memory_->get());
  }

  // Sorts the partitioned items of those top digits among which a border lies. `moved`: what goes with the keys.
  template <class V>
  void sort_cut_digits(const cuda_policy& policy, const splitter_counts& counts, [[maybe_unused]] V* moved) const {
    if (counts.left == 0) return;  // the keys of a digit are equal
    radix_options below = options_;
    below.end_bit = below.begin_bit + counts.left;
    const std::vector<index_t> begins = begins_of(counts.own);
    std::size_t sorted = 0;  // digits up to this one have been looked at
    for (const index_t cut : counts.own_cuts) {
      const auto digit = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), cut) - begins.begin());
      if (digit == begins.size() || begins[digit - 1] == cut || digit == sorted) continue;
      sorted = digit;
      key* const first = keys_.data() + begins[digit - 1];
      key* const last = keys_.data() + begins[digit];
      if constexpr (Values::exist) {
        onepass::radix_sort_by_key(policy, first, last, moved + begins[digit - 1], below);
      } else {
        onepass::radix_sort(policy, first, last, below);
      }
    }
  }

  // How many items of this rank belong to a group.
  index_t own_items_of(std::size_t group) const {
    return groups_->own_begins()[group + 1] - groups_->own_begins()[group];
  }

  // `all`: for each rank, how many items it has for each group.
  template <class Comm>
  void exchange_and_sort_groups(rank_call<Comm>& ranks, const cuda_policy& policy, const std::vector<index_t>& all) {
    const char* const call = ranks.name();
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const stream_t beside = ranks.communicator().transfer_stream(call);
    const stream_beside both(call, policy.stream(), beside);
    std::vector<index_t> begins(1, 0);  // of this rank's groups
    std::deque<cuda_event> has_come;
    for (std::size_t k = 0; k < groups_->longest(); ++k) {
      std::vector<memory_part> to(size, memory_part{0, 0}), from = to;  // in items
      for (std::size_t q = 0; q < size; ++q) {
        if (k >= groups_->count_of(q)) continue;
        const std::size_t group = groups_->first_of(q) + k;
        to[q] = {static_cast<std::size_t>(groups_->own_begins()[group]), static_cast<std::size_t>(own_items_of(group))};
      }
      index_t next = begins.back();
      for (std::size_t q = 0; q < size && k < groups_->count_of(rank); ++q) {
        const index_t count = all[q * groups_->size() + groups_->first_of(rank) + k];
        from[q] = {static_cast<std::size_t>(next), static_cast<std::size_t>(count)};
        next += count;
      }
      begins.push_back(next);
      move(ranks, beside, keys_.data(), to, base::array_of(out_), from);
      if constexpr (Values::exist) move(ranks, beside, other_values_.data(), to, base::array_of(values_.out), from);
      has_come.emplace_back(call).record(call, beside);
    }
    for (std::size_t k = 0; k < groups_->count_of(rank); ++k) {
      has_come[k].hold(call, policy.stream());
      sort_group(policy.with(*workspace_), begins[k], begins[k + 1] - begins[k]);
    }
  }

  template <class Comm, class T>
  static void move(rank_call<Comm>& ranks, stream_t stream, const T* send, std::vector<memory_part> to, T* receive,
                   std::vector<memory_part> from) {
    for (std::vector<memory_part>* parts : {&to, &from}) {
      for (memory_part& p : *parts) p = {p.begin * sizeof(T), p.bytes * sizeof(T)};
    }
    ranks.communicator().exchange_parts(ranks.name(), stream, send, to.data(), receive, from.data());
  }

  template <class Policy>
  void sort_group(const Policy& policy, index_t begin, index_t n) const {
    const bool is_one = groups_->longest() == 1;
    this->sort_range(policy, begin, n, options_, is_one ? keys_.data() : second_keys_.data(),
                     is_one ? other_values_.data() : second_values_.data());
  }

  radix_options options_;
  bool is_counted_ = false;  // else the partition has sorted the items, and shares follow each other
  std::optional<share_groups> groups_;
  device_items<key> second_keys_;
  device_items<value> second_values_;
  std::optional<device_block> sort_memory_;
  std::unique_ptr<workspace> workspace_;
};

}  // namespace onepass::detail
