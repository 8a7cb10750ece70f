// SPDX-License-Identifier: Apache-2.0
// Counts digits of a rank's keys on its GPU, for the search for splitters. All keys are read for the first digit. For
// the second one those with an open prefix are copied; later digits read these alone.
#pragma once

#include <onepass/copy_if.hpp>

#include "../key_prefixes.hpp"
#include "device_gather.cuh"

namespace onepass::detail {

constexpr int prefix_threads = 512, counted_groups = 32;
// Keys that a thread has on their way at once: 64 bytes. Not measured.
template <class Bits>
constexpr int counted_at_once = static_cast<int>(64 / sizeof(Bits));

// Up to counted_groups different prefixes, ascending. With no shift, there is one group: all keys.
template <class Bits>
struct prefix_group {
  Bits prefixes[counted_groups];
  int size, shift;
  bool takes_all;

  // The number of the prefix that the key has, or -1.
  __device__ int find(Bits key) const {
    if (takes_all) return 0;
    const Bits prefix = static_cast<Bits>(key >> shift);
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (prefixes[middle] < prefix) low = middle + 1;
      else high = middle;
    }
    return low < size && prefixes[low] == prefix ? low : -1;
  }
};

// Adds to counts[group * bins + digit] the number of keys with that prefix and digit. Additions of one to shared memory
// do not conflict (docs/decisions.md, "Histograms"), so keys that are all equal cost no more than others.
template <class In, class Order, class Bits>
__global__ void __launch_bounds__(prefix_threads)
    count_digits_kernel(In first, item_count size, const Order order, const __grid_constant__ prefix_group<Bits> group,
                        int left, unsigned bins, unsigned long long* counts) {
  __shared__ unsigned table[counted_groups * digit_values];
  const unsigned used = static_cast<unsigned>(group.size) * bins;
  for (unsigned i = threadIdx.x; i < used; i += prefix_threads) table[i] = 0;
  wait_for_previous_kernel();
  __syncthreads();  // the table is cleared
  constexpr int at_once = counted_at_once<Bits>;
  const index_t n = size.get(), step = static_cast<index_t>(gridDim.x) * prefix_threads * at_once;
  for (index_t begin = static_cast<index_t>(blockIdx.x) * prefix_threads * at_once; begin < n; begin += step) {
    Bits keys[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const index_t i = begin + k * prefix_threads + threadIdx.x;
      keys[k] = i < n ? order.of(first[i]) : Bits{0};
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const bool is_there = begin + k * prefix_threads + threadIdx.x < n;
      const int found = is_there ? group.find(keys[k]) : -1;
      if (found < 0) continue;
      atomicAdd(table + static_cast<unsigned>(found) * bins + (static_cast<unsigned>(keys[k] >> left) & (bins - 1)),
                1u);
    }
  }
  __syncthreads();  // the block has counted all
  for (unsigned i = threadIdx.x; i < used; i += prefix_threads) {
    if (table[i] > 0) atomicAdd(counts + i, static_cast<unsigned long long>(table[i]));
  }
}

// Whether a key has one of `size` prefixes, in device memory.
template <class Order, class Bits>
struct has_open_prefix {
  Order order;
  const Bits* prefixes;
  int size, shift;
  template <class K>
  __device__ bool operator()(const K& key) const {
    const Bits prefix = static_cast<Bits>(order.of(key) >> shift);
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (prefixes[middle] < prefix) low = middle + 1;
      else high = middle;
    }
    return low < size && prefixes[low] == prefix;
  }
};

// Has the members of cpu_digit_counter (find_splitters.hpp).
template <class Comm, class In>
class cuda_digit_counter {
  using key_type = value_of<In>;
  using bits = key_bits_t<key_type>;
  using order_type = bits_in_order<key_type>;

 public:
  cuda_digit_counter(rank_call<Comm>& ranks, const cuda_policy& policy, In first, index_t n, const order_type& order)
      : ranks_(ranks), policy_(policy), first_(first), n_(n), order_(order) {}

  void count_top_digits(std::uint64_t* counts, int left, std::size_t bins) {
    prefix_group<bits> all = {};
    all.size = 1;
    all.takes_all = true;
    count(counts, bins, [&](unsigned long long* to) { launch(unwrap(first_), {n_, nullptr}, all, left, bins, to); });
  }

  void count_digits(std::uint64_t* counts, const prefix_list<bits>& open, int left, std::size_t bins) {
    if (candidates_.data() == nullptr) copy_candidates(open);
    count(counts, open.size() * bins, [&](unsigned long long* to) {
      for (std::size_t begin = 0; begin < open.size(); begin += counted_groups) {
        prefix_group<bits> group = {};
        group.size = static_cast<int>(std::min<std::size_t>(counted_groups, open.size() - begin));
        group.shift = open.shift();
        std::copy_n(open.all().begin() + static_cast<std::ptrdiff_t>(begin), group.size, group.prefixes);
        launch(static_cast<const key_type*>(candidates_.data()), {n_, how_many_.data()}, group, left, bins,
               to + begin * bins);
      }
    });
  }

 private:
  template <class Launch>
  void count(std::uint64_t* counts, std::size_t size, Launch launch_all) {
    const std::size_t bytes = size * sizeof(unsigned long long);
    device_items<unsigned long long> on_device;
    on_device.allocate(ranks_.name(), static_cast<index_t>(size), policy_.stream());
    check_cuda(ranks_.name(), cudaMemsetAsync(on_device.data(), 0, bytes, policy_.stream()));
    launch_all(on_device.data());
    read_from_device(ranks_, policy_.stream(), on_device.data(), counts, bytes);
  }

  template <class It>
  void launch(It first, item_count size, const prefix_group<bits>& group, int left, std::size_t bins,
              unsigned long long* counts) {
    if (n_ == 0) return;
    const auto kernel = count_digits_kernel<It, order_type, bits>;
    const resident_blocks resident(kernel, prefix_threads, 0);
    const auto grid = static_cast<unsigned>(std::min<index_t>(
        divide_up(n_, index_t{prefix_threads} * counted_at_once<bits>), resident.on_this_device(ranks_.name())));
    kernel_launch::dependent(ranks_.name(), resident, kernel, grid, prefix_threads, 0, policy_.stream(), first, size,
                             order_, group, left, static_cast<unsigned>(bins), counts);
  }

  // Keys with an open prefix. There may be as many as there are keys.
  void copy_candidates(const prefix_list<bits>& open) {
    const char* const call = ranks_.name();
    candidates_.allocate(call, n_, policy_.stream());
    how_many_.allocate(call, 1, policy_.stream());
    device_items<bits> prefixes;
    prefixes.allocate(call, static_cast<index_t>(open.size()), policy_.stream());
    check_cuda(call, cudaMemcpyAsync(prefixes.data(), open.all().data(), open.size() * sizeof(bits), cudaMemcpyDefault,
                                     policy_.stream()));
    const has_open_prefix<order_type, bits> is_open{order_, prefixes.data(), static_cast<int>(open.size()),
                                                    open.shift()};
    onepass::copy_if_async(policy_, first_, first_ + n_, candidates_.data(), is_open, how_many_.data());
  }

  rank_call<Comm>& ranks_;
  cuda_policy policy_;
  In first_;
  index_t n_;
  order_type order_;
  device_items<key_type> candidates_;
  device_items<index_t> how_many_;
};

}  // namespace onepass::detail
