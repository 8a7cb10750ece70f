// SPDX-License-Identifier: Apache-2.0
// A rank's part of a sort on its GPU. It sorts its items. Then each border cuts them at one index, and what goes to a
// rank is a sorted run. A rank merges its runs of all ranks: out of the other GPUs' memory, where its GPU can read
// that, so that each item moves between GPUs while the merge needs it; else the runs are exchanged before. Large
// values, and those that are no array, are gathered by their index when the rank's own items are sorted. Bytes moved: a
// sort's, and each item is read once and written once by the merge.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <onepass/radix_sort.hpp>

#include "../find_splitters.hpp"
#include "../moved_items.hpp"
#include "merge_runs.cuh"

namespace onepass::detail {

// Whether ranks may be able to lend each other memory (core/exchange/cuda_thread_exchange.cuh).
template <class Comm, class = void>
constexpr bool may_lend = false;
template <class Comm>
constexpr bool may_lend<Comm, std::void_t<decltype(std::declval<const Comm&>().reach_each_other())>> = true;

template <class In, class Out, class Values>
class cuda_rank_sort : public moved_items<In, Out, Values, device_items> {
  using base = moved_items<In, Out, Values, device_items>;
  using base::first_, base::values_, base::keys_, base::other_values_;
  using key = value_of<In>;
  using value = typename Values::item;
  using run = sorted_run<key, value>;

 public:
  using base::base;

  // Takes all memory, sorts the rank's items, and finds the splitters.
  template <class Comm>
  found_splitters<key> find(rank_call<Comm>& ranks, const cuda_policy& policy, const std::vector<index_t>& sizes,
                            const radix_options& options, distributed::shares wanted) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::vector<index_t> begins = wanted_shares(wanted, sizes);
    ranks.agree([&] {
      if (ranks.size() > most_merged_runs) throw invalid_argument(ranks.name(), "there are more than 128 ranks");
      sort(ranks.name(), policy, sizes[rank], options);
      take_memory(ranks, policy, begins[rank + 1] - begins[rank] + slack_of(wanted, begins), options);
    });
    const sorted_digit_counter<Comm, key> counter(ranks, policy, keys_.data(), sizes[rank],
                                                  bits_in_order<key>(options));
    return find_splitters<key>(ranks, counter, sizes, options, wanted);
  }

  // Moves the items, and merges the rank's share.
  template <class Comm>
  void move(rank_call<Comm>& ranks, const cuda_policy& policy, const found_splitters<key>& found,
            const std::vector<index_t>& sizes) {
    const char* const call = ranks.name();
    const int rank = ranks.rank();
    const auto cut = [&](int q, int r) { return found.cut(q, r, sizes[static_cast<std::size_t>(q)]); };
    const auto merge = [&](auto run_of) {
      std::vector<run> runs;
      for (int q = 0; q < ranks.size(); ++q) {
        runs.push_back(run_of(static_cast<std::size_t>(q), cut(q, rank), cut(q, rank + 1) - cut(q, rank)));
      }
      merge_->run(policy.stream(), std::move(runs), this->keys_out(), this->values_out());
    };
    if (lends(ranks.communicator())) {
      if constexpr (may_lend<Comm>) {
        const run mine{keys_.data(), other_values_.data(), sizes[static_cast<std::size_t>(rank)], 0};
        ranks.communicator().lend(call, policy.stream(), &mine, [&](const std::vector<const void*>& all) {
          merge([&](std::size_t q, index_t begin, index_t size) {
            return part(*static_cast<const run*>(all[q]), begin, size);
          });
        });
      }
      return;
    }
    std::vector<index_t> sent, received;
    for (int q = 0; q < ranks.size(); ++q) {
      sent.push_back(cut(rank, q + 1) - cut(rank, q));
      received.push_back(cut(q, rank + 1) - cut(q, rank));
    }
    this->exchange(ranks, policy, sent, received, received_keys_.data(), received_values_.data());
    index_t next = 0;
    merge([&](std::size_t, index_t, index_t size) {
      next += size;
      return part({received_keys_.data(), received_values_.data(), next, 0}, next - size, size);
    });
  }

 private:
  template <class Comm>
  static bool lends([[maybe_unused]] const Comm& comm) {
    if constexpr (may_lend<Comm>) return comm.reach_each_other();
    else return false;
  }
  static run part(const run& whole, index_t begin, index_t size) {
    return {whole.keys + begin, whole.values == nullptr ? nullptr : whole.values + begin, size, 0};
  }

  // For a share of up to `most` items. Meanwhile the device sorts.
  template <class Comm>
  void take_memory(rank_call<Comm>& ranks, const cuda_policy& policy, index_t most, const radix_options& options) {
    const char* const call = ranks.name();
    merge_.emplace(call, policy.stream(), ranks.size(), most, options);
    if (lends(ranks.communicator())) return;
    received_keys_.allocate(call, most, policy.stream());
    if constexpr (Values::exist) received_values_.allocate(call, most, policy.stream());
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

  std::optional<device_merge<key, value, Values::exist>> merge_;
  device_items<key> received_keys_;  // where ranks cannot lend each other memory
  device_items<value> received_values_;
};

}  // namespace onepass::detail
