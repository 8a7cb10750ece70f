// SPDX-License-Identifier: Apache-2.0
// A rank's part of a sort on its GPU, in one of two ways.
//   by bins    where there are many items, and the keys' top digits spread them well: each rank puts its items in the
//              order of that digit, and then moves and sorts them group by group (sort_bins.cuh)
//   by runs    otherwise. A rank sorts its items. Then each border cuts them at one index (find_cuts.cuh, or, where
//              ranks cannot lend each other memory, ../find_splitters.hpp), and what goes to a rank is a sorted run. A
//              rank merges its runs of all ranks. Large values, and those that are no array, are gathered by their index
//              when the rank's own items are sorted.
// Where GPUs reach each other's memory, bins are copied to it and runs are read out of it, so that items move between
// GPUs while others are sorted or merged; else both are exchanged. Bytes moved: a sort's, and each item is read and
// written once more, by bins also once between GPUs.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <onepass/radix_sort.hpp>

#include "../find_splitters.hpp"
#include "../moved_items.hpp"
#include "device_merge.cuh"
#include "sort_bins.cuh"

namespace onepass::detail {

template <class In, class Out, class Values>
class cuda_rank_sort : public moved_items<In, Out, Values, device_items> {
  using base = moved_items<In, Out, Values, device_items>;
  using base::first_, base::values_, base::keys_, base::other_values_;
  using key = value_of<In>;
  using value = typename Values::item;
  using run = sorted_run<key, value>;
  // Items that a pass of the sort moves.
  static constexpr bool may_be_in_bins() {
    if constexpr (!Values::exist) return sizeof(key) >= 4;
    else
      return sizeof(key) >= 4 && is_contiguous<decltype(Values::in)> && sizeof(value) <= most_moved_bytes<cuda_policy>;
  }
  using by_bins = bins_sort<key, std::conditional_t<Values::exist, value, none>>;
  using arrays = item_arrays<key, std::conditional_t<Values::exist, value, none>>;

 public:
  using base::base;

  // Takes all memory, sorts the rank's items or puts them in bins, and finds where the shares begin.
  template <class Comm>
  found_splitters<key> find(rank_call<Comm>& ranks, const cuda_policy& policy, const std::vector<index_t>& sizes,
                            const radix_options& options, distributed::shares wanted) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::vector<index_t> begins = wanted_shares(wanted, sizes);
    if constexpr (may_be_in_bins()) {
      if (const auto plan = plan_bins(ranks, policy, sizes, options, begins)) {
        ranks.agree([&] {
          bins_.emplace(ranks.name(), policy, *pass_, *plan, ranks.rank(), ranks.size(), options,
                        !lends(ranks.communicator()));
        });
        return {{options, {}, begins}, {}};
      }
    }
    ranks.agree([&] {
      if (ranks.size() > most_merged_runs) throw invalid_argument(ranks.name(), "there are more than 128 ranks");
      sort(ranks.name(), policy, sizes[rank], options);
      take_memory(ranks, policy, begins[rank + 1] - begins[rank] + slack_of(wanted, begins), options);
    });
    if (lends(ranks.communicator())) return {{options, {}, begins}, {}};
    const sorted_digit_counter<Comm, key> counter(ranks, policy, keys_.data(), sizes[rank],
                                                  bits_in_order<key>(options));
    return find_splitters<key>(ranks, counter, sizes, options, wanted);
  }

  // Moves the items, and merges the rank's share.
  template <class Comm>
  void move(rank_call<Comm>& ranks, const cuda_policy& policy, const found_splitters<key>& found,
            const std::vector<index_t>& sizes) {
    if constexpr (may_be_in_bins()) {
      if (bins_) return move_bins(ranks);
    }
    const auto rank = static_cast<std::size_t>(ranks.rank());
    if (!lends(ranks.communicator())) return exchange_runs(ranks, policy, found, sizes);
    if constexpr (may_lend<Comm>) {
      const run mine{keys_.data(), other_values_.data(), sizes[rank], 0};
      ranks.communicator().lend(ranks.name(), policy.stream(), &mine, [&](const std::vector<const void*>& all) {
        std::vector<run> runs;
        for (const void* of : all) runs.push_back(*static_cast<const run*>(of));
        merge_->run_share(policy.stream(), runs, found.set.begins[rank], found.set.begins[rank + 1], this->keys_out(),
                          this->values_out());
      });
    }
  }

 private:
  template <class Comm>
  static bool lends([[maybe_unused]] const Comm& comm) {
    if constexpr (may_lend<Comm>) return comm.reach_each_other();
    else return false;
  }

  // ---- by bins
  // Otherwise runs are as fast or faster (docs/history/performance-log.md, "Sorts across four GPUs", and "Runs that
  // devices cut"): ranks that lend each other memory, items of each; or bytes of keys of each, over NCCL.
  static constexpr int least_ranks_that_lend = 3;
  static constexpr index_t least_that_lend = 16 * least_in_group, least_bytes_in_bins = 32 * least_in_group;
  static constexpr index_t groups_of_share = 8;
  // Puts the rank's items in bins, if they are to go by bins: a sample says whether, and then the counts do.
  template <class Comm>
  std::optional<bin_plan> plan_bins(rank_call<Comm>& ranks, const cuda_policy& policy,
                                    const std::vector<index_t>& sizes, const radix_options& options,
                                    const std::vector<index_t>& begins) {
    const char* const call = ranks.name();
    const bits_in_order<key> order(options);
    const index_t n = sizes[static_cast<std::size_t>(ranks.rank())];
    const index_t share = begins.back() / ranks.size();
    if (order.width < 3 * digit_bits || ranks.size() < 2) return {};
    if (lends(ranks.communicator()) ? ranks.size() < least_ranks_that_lend || share < least_that_lend
                                    : share * index_t{sizeof(key)} < least_bytes_in_bins)
      return {};
    const index_t least = std::max(index_t{least_in_group}, share / groups_of_share);
    const int shift = order.width - digit_bits;
    const auto sampled = ranks.template gather_array<std::uint32_t>(bins_of_keys, [&](std::uint32_t* counts) {
      if (n > 0) sample_bins(ranks, policy, n, order, shift, counts);
    });
    std::vector<index_t> guessed;
    for (std::size_t i = 0; i < sampled.size(); ++i)
      guessed.push_back(keys_of_sample(sampled[i], sizes[i / bins_of_keys]));
    if (!bin_plan(guessed, begins, least).is_even()) return {};
    const auto counted = ranks.template gather_array<std::uint64_t>(bins_of_keys, [&](std::uint64_t* counts) {
      pass_.emplace(call, policy, n, options);
      put_in_bins(ranks, policy, n, counts);
    });
    const bin_plan plan(std::vector<index_t>(counted.begin(), counted.end()), begins, least);
    if (!plan.is_even()) return {};
    return plan;
  }
  // Enqueues all of it. counts: of the keys in each bin; the host waits for these alone.
  template <class Comm>
  void put_in_bins(rank_call<Comm>& ranks, const cuda_policy& policy, index_t n, std::uint64_t* counts) {
    const char* const call = ranks.name();
    const stream_t stream = policy.stream();
    const key* from = nullptr;
    if constexpr (std::is_pointer_v<unwrapped<In>>) {
      from = unwrap(first_);
    } else {
      computed_keys_.allocate(call, n, stream);
      copy_items(call, unwrap(first_), computed_keys_.data(), n, stream);
      from = computed_keys_.data();
    }
    keys_.allocate(call, n, stream);
    if constexpr (Values::exist) other_values_.allocate(call, n, stream);
    constexpr std::size_t bytes = bins_of_keys * sizeof *counts;
    auto* const shared = static_cast<std::uint64_t*>(ranks.communicator().host_memory(call, bytes));
    pass_->count(from, shared);
    ranks.communicator().record(call, stream);
    if constexpr (Values::exist) pass_->move(from, unwrap(values_.in), keys_.data(), other_values_.data());
    else pass_->move(from, nullptr, keys_.data(), nullptr);
    ranks.communicator().wait(call);
    std::memcpy(counts, shared, bytes);
    pass_->to_counts(counts);
  }
  template <class Comm>
  void sample_bins(rank_call<Comm>& ranks, const cuda_policy& policy, index_t n, const bits_in_order<key>& order,
                   int shift, std::uint32_t* counts) const {
    const char* const call = ranks.name();
    const std::size_t bytes = bins_of_keys * sizeof *counts;
    auto* const shared = static_cast<std::uint32_t*>(ranks.communicator().host_memory(call, bytes));
    const auto kernel = sample_bins_kernel<unwrapped<In>, bits_in_order<key>>;
    kernel_launch::dependent(call, resident_blocks(kernel, sample_bins_threads, 0), kernel, 1, sample_bins_threads, 0,
                             policy.stream(), unwrap(first_), n, order, shift, shared);
    ranks.communicator().record(call, policy.stream());
    ranks.communicator().wait(call);
    std::memcpy(counts, shared, bytes);
  }
  template <class Comm>
  void move_bins(rank_call<Comm>& ranks) {
    const arrays own = arrays_of(keys_.data(), other_values_.data()),
                 out = arrays_of(this->keys_out(), this->values_out());
    if (!lends(ranks.communicator())) return bins_->exchange_and_sort(ranks.communicator(), own, out);
    if constexpr (may_lend<Comm>) {
      ranks.communicator().lend(ranks.name(), bins_->sends(), &bins_->mine(),
                                [&](const std::vector<const void*>& all) { bins_->send(all, own); });
      bins_->sort(out);
    }
  }
  static arrays arrays_of(key* keys, [[maybe_unused]] value* values) {
    if constexpr (Values::exist) return {keys, values};
    else return {keys, nullptr};
  }

  // ---- by runs
  // For a share of up to `most` items. Meanwhile the device sorts.
  template <class Comm>
  void take_memory(rank_call<Comm>& ranks, const cuda_policy& policy, index_t most, const radix_options& options) {
    const char* const call = ranks.name();
    merge_.emplace(call, policy.stream(), ranks.size(), most, options);
    if (lends(ranks.communicator())) return;
    received_keys_.allocate(call, most, policy.stream());
    if constexpr (Values::exist) received_values_.allocate(call, most, policy.stream());
  }

  template <class Comm>
  void exchange_runs(rank_call<Comm>& ranks, const cuda_policy& policy, const found_splitters<key>& found,
                     const std::vector<index_t>& sizes) {
    const int rank = ranks.rank();
    const auto items = [&](int from, int to) {
      const index_t n = sizes[static_cast<std::size_t>(from)];
      return found.cut(from, to + 1, n) - found.cut(from, to, n);
    };
    std::vector<index_t> sent, received;
    for (int q = 0; q < ranks.size(); ++q) {
      sent.push_back(items(rank, q));
      received.push_back(items(q, rank));
    }
    key* const keys = received_keys_.data();
    value* const values = received_values_.data();
    this->exchange(ranks, policy, sent, received, keys, values);
    std::vector<run> runs;
    index_t begin = 0;
    for (const index_t n : received) {
      runs.push_back({keys + begin, values == nullptr ? nullptr : values + begin, n, 0});
      begin += n;
    }
    merge_->run(policy.stream(), runs, this->keys_out(), this->values_out());
  }
  void sort(const char* call, const cuda_policy& policy, index_t n, const radix_options& options) {
    keys_.allocate(call, n, policy.stream());
    if constexpr (Values::exist) other_values_.allocate(call, n, policy.stream());
    if constexpr (!Values::exist) {
      onepass::radix_sort_copy(policy, first_, first_ + n, keys_.data(), options);
    } else if constexpr (is_contiguous<decltype(values_.in)> && sizeof(value) <= most_moved_bytes<cuda_policy>) {
      onepass::radix_sort_by_key_copy(policy, first_, first_ + n, values_.in, keys_.data(), other_values_.data(),
                                      options);
    } else {
      device_items<index_t> index;
      index.allocate(call, n, policy.stream());
      onepass::radix_sort_by_key_copy(policy, first_, first_ + n, thrust::counting_iterator<index_t>(0), keys_.data(),
                                      index.data(), options);
      copy_items(call, thrust::make_permutation_iterator(unwrap(values_.in), static_cast<const index_t*>(index.data())),
                 other_values_.data(), n, policy.stream());
    }
  }

  device_items<key> computed_keys_;  // where the input is no array
  std::optional<bins_pass<key, std::conditional_t<Values::exist, value, none>>> pass_;
  std::optional<by_bins> bins_;  // if items go by bins
  std::optional<device_merge<key, value, Values::exist>> merge_;
  device_items<key> received_keys_;  // where ranks cannot lend each other memory
  device_items<value> received_values_;
};

}  // namespace onepass::detail
