// SPDX-License-Identifier: Apache-2.0
// Segment offsets, as of a matrix in compressed-row form, on CUDA turned into one bit an item: n / 8 bytes of scratch and a
// kernel before the scan, unless the scan makes the bits of each tile itself (cuda_offset_heads.cuh). The CPU reads them as they
// are (cpu_offset_heads.hpp).
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
