// SPDX-License-Identifier: Apache-2.0
// Counts digits of a rank's sorted keys on its GPU, for the search for splitters. Keys with one prefix and one digit
// stand together, so a count is two searches: no key is read but those. Results go to the host's memory directly.
#pragma once

#include "../key_prefixes.hpp"
#include "device_gather.cuh"

namespace onepass::detail {

// The first index in [low, high) that is not before what is looked for, or `high`.
template <class Index, class Before>
__device__ Index first_not_before(Index low, Index high, Before before) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// For each prefix, `bins` + 1 indices of sorted keys: where its digits begin, and where the last one ends. `left`: how
// many bits are below the digit.
constexpr int digit_threads = 256;
template <class K, class Order, class Bits>
__global__ void __launch_bounds__(digit_threads)
    find_digits_kernel(const K* keys, index_t n, const Order order, const Bits* prefixes, std::size_t size, int digit,
                       int left, index_t* begins) {
  wait_for_previous_kernel();
  const std::size_t bins = std::size_t{1} << digit;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * digit_threads + threadIdx.x;
  if (i >= size * (bins + 1)) return;
  const std::size_t d = i % (bins + 1);
  const auto first = static_cast<Bits>(prefixes[i / (bins + 1)] << digit);  // its digit 0
  // The end of the last digit is no begin: the digit above it may not fit the key's bits.
  const auto last = static_cast<Bits>(first + static_cast<Bits>(d == 0 ? 0 : d - 1));
  begins[i] = first_not_before(index_t{0}, n, [&](index_t at) {
    const auto found = static_cast<Bits>(order.of(keys[at]) >> left);
    return d == 0 ? found < first : found <= last;
  });
}

// Has the members of cpu_digit_counter (find_splitters.hpp).
template <class Comm, class K>
class sorted_digit_counter {
  using bits = key_bits_t<K>;
  using order_type = bits_in_order<K>;

 public:
  // Each digit is a wait for the device. Of 11 bits 4-byte keys have three, but then ranks that are threads take longer
  // to read each other's 2,048 counts than a fourth digit does; over NCCL they do not (H200).
  static constexpr int bits_at_once = has_mailboxes<Comm> ? 8 : 11;

  // `keys` are sorted, in device memory.
  sorted_digit_counter(rank_call<Comm>& ranks, const cuda_policy& policy, const K* keys, index_t n,
                       const order_type& order)
      : ranks_(ranks), policy_(policy), keys_(keys), n_(n), order_(order) {}

  void count_top_digits(std::uint64_t* counts, int left, std::size_t bins) { count(counts, {bits{0}}, left, bins); }
  void count_digits(std::uint64_t* counts, const prefix_list<bits>& open, int left, std::size_t bins) {
    count(counts, open.all(), left, bins);
  }

 private:
  void count(std::uint64_t* counts, const std::vector<bits>& prefixes, int left, std::size_t bins) {
    if (n_ == 0) return;
    const char* const call = ranks_.name();
    const std::size_t begin = round_up(prefixes.size() * sizeof(bits), std::size_t{section_alignment});
    const std::size_t found = prefixes.size() * (bins + 1);
    auto* const shared = static_cast<char*>(ranks_.communicator().host_memory(call, begin + found * sizeof(index_t)));
    std::memcpy(shared, prefixes.data(), prefixes.size() * sizeof(bits));
    auto* const begins = reinterpret_cast<index_t*>(shared + begin);
    int digit = 0;
    while (std::size_t{1} << digit < bins) ++digit;
    const auto kernel = find_digits_kernel<K, order_type, bits>;
    const auto grid = static_cast<unsigned>(divide_up(static_cast<index_t>(found), index_t{digit_threads}));
    kernel_launch::dependent(call, resident_blocks(kernel, digit_threads, 0), kernel, grid, digit_threads, 0,
                             policy_.stream(), keys_, n_, order_, reinterpret_cast<const bits*>(shared),
                             prefixes.size(), digit, left, begins);
    ranks_.communicator().record(call, policy_.stream());
    ranks_.communicator().wait(call);
    for (std::size_t i = 0; i < prefixes.size() * bins; ++i) {
      const index_t* const at = begins + i + i / bins;
      counts[i] = static_cast<std::uint64_t>(at[1] - at[0]);
    }
  }

  rank_call<Comm>& ranks_;
  cuda_policy policy_;
  const K* keys_;
  index_t n_;
  order_type order_;
};

}  // namespace onepass::detail
