// SPDX-License-Identifier: Apache-2.0
// Segment offsets, such as those of a matrix in compressed-row form. On CUDA they become one head bit an item, either
// in each tile of the scan (cuda_offset_heads.cuh) or by a kernel before the scan, which takes n / 8 bytes of scratch.
// The CPU reads the offsets themselves (cpu_offset_heads.hpp).
#pragma once

#include "segment_bounds.hpp"
#include "segmented_source.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda_offset_heads.cuh"
#endif

namespace onepass::detail {

inline ONEPASS_HOST_DEVICE index_t head_words(index_t n) { return divide_up(n, index_t{32}); }

#if ONEPASS_HAS_CUDA
template <class Policy, class It>
heads_from_flags<bit_iterator> mark_heads(const char* call, const Policy& policy, const offsets_range<It>& offsets,
                                          void* memory, index_t n) {
  auto* words = static_cast<std::uint32_t*>(memory);
  const auto count = static_cast<index_t>(offsets.end - offsets.begin);
  mark_heads(call, policy.stream(), heads_from_offsets(unwrap(offsets.begin), count, n), words, n);
  return {bits(words)};
}
#endif

}  // namespace onepass::detail
