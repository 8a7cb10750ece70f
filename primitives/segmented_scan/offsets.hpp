// SPDX-License-Identifier: Apache-2.0
// Segment offsets, as of a matrix in compressed-row form, turned into one bit an item: n / 8 bytes of scratch, and before
// the scan a clearing and a small kernel, or that kernel alone where one block can do both.
#pragma once

#include "../../core/workspace.hpp"
#include "sources.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/launch.cuh"
#endif

namespace onepass {

// Segment i starts at item begin[i]. Empty segments may be there, as may be a last offset that is n, as in compressed-row
// form; offsets outside [0, n) start nothing.
template <class It>
struct offsets_range {
  It begin, end;
};
template <class It>
offsets_range<It> offsets(It begin, It end) {
  return {begin, end};
}

namespace detail {

inline ONEPASS_HOST_DEVICE index_t head_words(index_t n) { return divide_up(n, index_t{32}); }

#if ONEPASS_HAS_CUDA
constexpr int mark_threads = 1024;
// What one block clears and marks sooner than two launches would. From docs/performance.md, "Segmented scan".
constexpr index_t one_block_words = index_t{1} << 15, one_block_offsets = index_t{1} << 14;

template <class It>
__global__ void __launch_bounds__(mark_threads)
    mark_heads_kernel(It offsets, index_t count, std::uint32_t* words, index_t n, bool clears) {
  join_previous_kernel();
  if (clears) {  // there is one block
    for (index_t w = threadIdx.x; w < head_words(n); w += mark_threads) words[w] = 0;
    __syncthreads();
  }
  const index_t step = static_cast<index_t>(gridDim.x) * mark_threads;
  for (index_t i = static_cast<index_t>(blockIdx.x) * mark_threads + threadIdx.x; i < count; i += step) {
    const auto at = static_cast<index_t>(offsets[i]);
    if (at >= 0 && at < n) atomicOr(words + at / 32, 1u << (at % 32));
  }
}
#endif

template <class Policy, class It>
heads_by_flag<bit_iterator> mark_heads(const char* call, const Policy& policy, const offsets_range<It>& offsets,
                                       void* memory, index_t n) {
  auto* words = static_cast<std::uint32_t*>(memory);
  const auto count = static_cast<index_t>(offsets.end - offsets.begin);
  const std::size_t bytes = static_cast<std::size_t>(head_words(n)) * sizeof(std::uint32_t);
  const auto begin = unwrap(offsets.begin);
  if constexpr (!on_cuda<Policy>) {
    (void)call, (void)policy;
    if (bytes > 0) std::memset(words, 0, bytes);  // without items there may be no memory
    for (index_t i = 0; i < count; ++i) {
      const auto at = static_cast<index_t>(begin[i]);
      if (at >= 0 && at < n) words[at / 32] |= 1u << (at % 32);
    }
  } else {
#if ONEPASS_HAS_CUDA
    static resident_blocks blocks(mark_heads_kernel<decltype(begin)>, mark_threads, 0);
    const bool one_block = head_words(n) <= one_block_words && count <= one_block_offsets;
    if (!one_block) check_cuda(call, cudaMemsetAsync(words, 0, bytes, policy.stream()));
    const index_t grid = one_block ? 1 : std::min<index_t>(divide_up(count, index_t{mark_threads}), 1024);
    if (one_block || count > 0) {
      launch_dependent(call, blocks, mark_heads_kernel<decltype(begin)>, static_cast<unsigned>(grid), mark_threads, 0,
                       policy.stream(), begin, count, words, n, one_block);
    }
#endif
  }
  return {bits(words)};
}

}  // namespace detail
}  // namespace onepass
