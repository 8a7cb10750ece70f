// SPDX-License-Identifier: Apache-2.0
// A block's counters of digits on CUDA, by themselves: what their columns add up to, also where that has more than 32 bits.
// So many keys of one digit has a block of a small device with much memory.
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include "../../../primitives/radix_sort/cuda/onesweep/digit_counts.cuh"

namespace {

template <int positions, int threads>
__global__ void add_up_kernel(const unsigned* words, unsigned long long* sums) {
  for (int c = static_cast<int>(threadIdx.x); c < positions * onepass::detail::digit_values; c += threads)
    sums[c] = onepass::detail::histogram_columns<positions, threads>::sum(words, c);
}

// Each word of each column has the same number. A packed word counts two digits in its lower half, and one of them in its
// upper half.
template <int positions, int threads>
void check_columns(const test::cuda_backend& backend, unsigned word) {
  using columns = onepass::detail::histogram_columns<positions, threads>;
  const test::buffer<unsigned> words(backend, std::vector<unsigned>(columns::words, word));
  const test::buffer<unsigned long long> sums(backend, positions * onepass::detail::digit_values);
  add_up_kernel<positions, threads><<<1, threads>>>(words.data(), sums.data());
  test::check_cuda(cudaGetLastError(), "add_up_kernel");
  const std::vector<unsigned long long> found = sums.to_host();
  const unsigned long long upper = word >> 16, lower = (word & 0xFFFF) - upper;
  for (std::size_t c = 0; c < found.size(); ++c) {
    const bool is_upper = c % onepass::detail::digit_values >= 128;
    const unsigned long long count = !columns::is_packed ? word : is_upper ? upper : lower;
    ASSERT_EQ(found[c], count * columns::columns) << "counter " << c << " of " << positions << " positions";
  }
}

}  // namespace

ONEPASS_GPU_TEST(digit_counts, columns_of_more_than_32_bits) {
  constexpr int usual = onepass::detail::histogram_threads, few = onepass::detail::short_histogram_threads;
  for (const unsigned word : {3u, 1u << 28, ~0u}) {
    check_columns<1, usual>(backend, word);
    check_columns<4, usual>(backend, word);
    check_columns<1, few>(backend, word);
    check_columns<4, few>(backend, word);
  }
  check_columns<8, usual>(backend, 0x7FFF'FFFF);
  check_columns<8, few>(backend, 0x7FFF'FFFF);
  check_columns<16, few>(backend, 0x1234'5678);
}
#endif
