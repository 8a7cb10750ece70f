// SPDX-License-Identifier: Apache-2.0
// Segment offsets, as of a matrix in compressed-row form, turned into one bit an item: n / 8 bytes of scratch, one
// clearing and one small kernel before the scan.
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

inline index_t head_words(index_t n) { return divide_up(n, index_t{32}); }

#if ONEPASS_HAS_CUDA
constexpr int mark_threads = 256;

template <class It>
__global__ void __launch_bounds__(mark_threads)
    mark_heads_kernel(It offsets, index_t count, std::uint32_t* words, index_t n) {
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
    check_cuda(call, cudaMemsetAsync(words, 0, bytes, policy.stream()));
    if (count > 0) {
      const auto grid = static_cast<unsigned>(std::min<index_t>(divide_up(count, index_t{mark_threads}), 4096));
      launch_kernel(call, mark_heads_kernel<decltype(begin)>, grid, mark_threads, 0, policy.stream(), begin, count,
                    words, n);
    }
#endif
  }
  return {bits(words)};
}

}  // namespace detail
}  // namespace onepass
