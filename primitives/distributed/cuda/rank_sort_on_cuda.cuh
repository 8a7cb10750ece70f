// SPDX-License-Identifier: Apache-2.0
// A rank's part of a sort on its GPU. Its items are put in the order of their classes (key_classes.cuh) by one stable
// pass of the radix sort, whose digit is the class. Large values, and those that are no array, are gathered after it by
// their index. Then items move in groups (share_groups.hpp), and a group is sorted while the next ones move. Bytes moved:
// keys are read twice, values once, and both are written once; large values also by index.
#pragma once

#include <thrust/iterator/permutation_iterator.h>

#include <atomic>
#include <deque>

#include <onepass/split.hpp>

#include "../../../core/exchange/cuda_rank.cuh"
#include "../../../core/exchange/memory_parts.hpp"
#include "../moved_items.hpp"
#include "../partition_items.hpp"
#include "count_digits.cuh"
#include "key_classes.cuh"

namespace onepass::detail {

// A group has at least so many items. At 2^28 keys a share has the most groups. Tests make it smaller.
inline std::atomic<index_t> least_in_group{index_t{1} << 24};
constexpr index_t most_groups = 8;  // of a share

// Whether a communicator can move parts of a memory in a stream of its own.
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
                 const distributed::splitter_set<key>& splitters, index_t share, const top_digit_counts& top) {
    const char* const call = ranks.name();
    const stream_t stream = policy.stream();
    options_ = splitters.options;
    groups_.emplace(splitters, top, least_in_group.load(), most_groups_of<Comm>(ranks.size()));
    key_classes<key> classes(groups_->parts());
    if (!classes.fit()) throw invalid_argument(call, "more than 128 ranks with GPUs");
    const auto rank = static_cast<std::size_t>(ranks.rank());
    index_t longest = 0;  // of this rank's groups
    for (std::size_t k = 0; k < groups_->count_of(rank); ++k)
      longest = std::max(longest, groups_->items_of(groups_->part_of(rank, k)));
    // With one group, what has been sent makes room for the sort.
    const bool is_one = groups_->longest() == 1;
    keys_.allocate(call, is_one ? std::max(n, share) : n, stream);
    if constexpr (Values::exist) other_values_.allocate(call, is_one ? std::max(n, share) : n, stream);
    if (!is_one) second_keys_.allocate(call, longest, stream);
    if constexpr (Values::exist) {
      if (!is_one) second_values_.allocate(call, longest, stream);
    }
    const workspace_size size = onepass::measure(policy, [&](const auto& p) { sort_group(p, 0, longest); });
    sort_memory_.emplace(call, size.bytes(), stream);
    workspace_ = std::make_unique<workspace>(policy, size, sort_memory_->get());

    std::vector<unsigned long long> starts(digit_values, 0);
    if (n > 0) {
      device_items<unsigned long long> found;
      found.allocate(call, digit_values, stream);
      split(call, policy, n, classes.digit(call, stream), found.data());
      read_from_device(ranks, stream, found.data(), starts.data(), starts.size() * sizeof starts[0]);
    }
    sent_ =
        sizes_for_ranks(groups_->parts(), n, [&](auto b) { return static_cast<index_t>(starts[classes.of_bits(b)]); });
  }

  // Exchanges the items, and sorts what has come.
  template <class Comm>
  void exchange_and_sort(rank_call<Comm>& ranks, const cuda_policy& policy) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::size_t parts = sent_.size();
    const auto all = ranks.template gather_array<index_t>(
        parts, [&](index_t* mine) { std::copy(sent_.begin(), sent_.end(), mine); });
    if (groups_->longest() == 1) {
      std::vector<index_t> received;
      for (int q = 0; q < ranks.size(); ++q) received.push_back(all[static_cast<std::size_t>(q) * parts + rank]);
      this->exchange(ranks, policy, sent_, received);
      sort_group(policy.with(*workspace_), 0, std::accumulate(received.begin(), received.end(), index_t{0}));
    } else if constexpr (moves_parts<Comm>) {
      exchange_and_sort_groups(ranks, policy, all);
    }
  }

 private:
  template <class Comm>
  static index_t most_groups_of(int ranks) {
    if (!moves_parts<Comm> || ranks == 1) return 1;
    const auto most = static_cast<int>(key_classes<key>::most_thresholds);  // of which a border takes up to two
    return std::max<index_t>(1, std::min<index_t>(most_groups, 1 + (most - 2 * (ranks - 1)) / ranks));
  }

  // `all`: for each rank, how many items it has for each part.
  template <class Comm>
  void exchange_and_sort_groups(rank_call<Comm>& ranks, const cuda_policy& policy, const std::vector<index_t>& all) {
    const char* const call = ranks.name();
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const stream_t beside = ranks.communicator().transfer_stream(call);
    const stream_beside both(call, policy.stream(), beside);
    std::vector<index_t> begins(1, 0);  // of this rank's groups
    std::deque<cuda_event> has_come;
    const auto sent_before = shares_of(sent_);
    for (std::size_t k = 0; k < groups_->longest(); ++k) {
      std::vector<memory_part> to(size, memory_part{0, 0}), from = to;  // in items
      for (std::size_t q = 0; q < size; ++q) {
        if (k >= groups_->count_of(q)) continue;
        const std::size_t part = groups_->part_of(q, k);
        to[q] = {static_cast<std::size_t>(sent_before[part]), static_cast<std::size_t>(sent_[part])};
      }
      index_t next = begins.back();
      for (std::size_t q = 0; q < size && k < groups_->count_of(rank); ++q) {
        const index_t count = all[q * sent_.size() + groups_->part_of(rank, k)];
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

  void split(const char* call, const cuda_policy& policy, index_t n, const class_digit<key>& digit,
             unsigned long long* starts) const {
    if constexpr (!Values::exist) {
      split_with_values<none>(call, policy, first_, n, digit, keys_.data(), nullptr, nullptr, starts);
    } else if constexpr (is_contiguous<decltype(values_.in)> && sizeof(value) <= most_moved_bytes<cuda_policy>) {
      split_with_values<value>(call, policy, first_, n, digit, keys_.data(), base::array_of(values_.in),
                               other_values_.data(), starts);
    } else {
      device_items<index_t> index;
      index.allocate(call, n, policy.stream());
      split_with_values<index_t>(call, policy, first_, n, digit, keys_.data(), nullptr, index.data(), starts);
      copy_items(call, thrust::make_permutation_iterator(unwrap(values_.in), static_cast<const index_t*>(index.data())),
                 other_values_.data(), n, policy.stream());
    }
  }

  radix_options options_;
  std::optional<share_groups<key>> groups_;
  std::vector<index_t> sent_;  // items for each part
  device_items<key> second_keys_;
  device_items<value> second_values_;
  std::optional<device_block> sort_memory_;
  std::unique_ptr<workspace> workspace_;
};

}  // namespace onepass::detail
