// SPDX-License-Identifier: Apache-2.0
// A rank's part of a sort on its GPU. Its items are put in the order of their classes (partition_items.hpp) by one
// stable pass of the radix sort, whose digit is the class. Large values, and those that are no array, are gathered after it
// by their index. Bytes
// moved: keys are read twice, values once, and both are written once; large values also by index.
#pragma once

#include <thrust/iterator/permutation_iterator.h>

#include <onepass/split.hpp>

#include "../moved_items.hpp"
#include "../partition_items.hpp"
#include "count_digits.cuh"

namespace onepass::detail {

// The class of a key, as a digit. `keys` are the different keys of the borders, ascending.
template <class K>
struct border_digit {
  bits_in_order<K> order;
  const key_bits_t<K>* keys;
  int size;
  ONEPASS_HOST_DEVICE int positions() const { return 1; }
  ONEPASS_HOST_DEVICE border_digit at(int) const { return *this; }
  ONEPASS_HOST_DEVICE unsigned operator()(const K& key) const {
    const key_bits_t<K> b = order.of(key);
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (keys[middle] < b) low = middle + 1;
      else high = middle;
    }
    return static_cast<unsigned>(2 * low + (low < size && keys[low] == b ? 1 : 0));
  }
};
constexpr std::size_t most_border_keys = digit_values / 2 - 1;  // 2 x + 1 classes are values of one digit

template <class In, class Out, class Values>
class cuda_rank_sort : public moved_items<In, Out, Values, device_items> {
  using base = moved_items<In, Out, Values, device_items>;
  using base::first_, base::values_, base::keys_, base::other_values_;
  using key = value_of<In>;
  using value = typename Values::item;

 public:
  using base::base;

  template <class Comm>
  std::vector<index_t> partition(rank_call<Comm>& ranks, const cuda_policy& policy, index_t n, index_t share,
                                 const distributed::splitter_set<key>& splitters) {
    const char* const call = ranks.name();
    const stream_t stream = policy.stream();
    const border_classes<key> classes(splitters);
    if (classes.keys().size() > most_border_keys) throw invalid_argument(call, "more than 128 ranks with GPUs");
    keys_.allocate(call, std::max(n, share), stream);
    if constexpr (Values::exist) other_values_.allocate(call, std::max(n, share), stream);
    const workspace_size size =
        onepass::measure(policy, [&](const auto& p) { this->sort_now(p, share, splitters.options); });
    sort_memory_.emplace(call, size.bytes(), stream);
    workspace_ = std::make_unique<workspace>(policy, size, sort_memory_->get());

    std::vector<unsigned long long> starts(digit_values, 0);
    if (n > 0) {
      device_items<key_bits_t<key>> keys;
      device_items<unsigned long long> found;
      keys.allocate(call, static_cast<index_t>(classes.keys().size()), stream);
      found.allocate(call, digit_values, stream);
      if (!classes.keys().empty()) {
        check_cuda(call, cudaMemcpyAsync(keys.data(), classes.keys().data(),
                                         classes.keys().size() * sizeof(key_bits_t<key>), cudaMemcpyDefault, stream));
      }
      const bits_in_order<key> order(splitters.options);
      split(call, policy, n, border_digit<key>{order, keys.data(), static_cast<int>(classes.keys().size())},
            found.data());
      read_from_device(ranks, stream, found.data(), starts.data(), starts.size() * sizeof starts[0]);
    }
    return sizes_for_ranks(splitters, n, [&](auto b) { return static_cast<index_t>(starts[classes.of_bits(b)]); });
  }

  void sort(const cuda_policy& policy, const radix_options& options, index_t share) const {
    this->sort_now(policy.with(*workspace_), share, options);
  }

 private:
  void split(const char* call, const cuda_policy& policy, index_t n, const border_digit<key>& digit,
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

  std::optional<device_block> sort_memory_;
  std::unique_ptr<workspace> workspace_;
};

}  // namespace onepass::detail
