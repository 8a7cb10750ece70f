// SPDX-License-Identifier: Apache-2.0
// Segment offsets, as of a matrix in compressed-row form, turned into one bit an item: n / 8 bytes of scratch, and on CUDA a
// kernel before the scan, unless the scan makes the bits of each tile itself (cuda_offsets.cuh).
#pragma once

#include "../../core/segments.hpp"
#include "../../core/workspace.hpp"
#include "sources.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda_offsets.cuh"
#endif

namespace onepass {
namespace detail {

inline ONEPASS_HOST_DEVICE index_t head_words(index_t n) { return divide_up(n, index_t{32}); }

template <class Policy, class It>
heads_by_flag<bit_iterator> mark_heads(const char* call, const Policy& policy, const offsets_range<It>& offsets,
                                       void* memory, index_t n) {
  auto* words = static_cast<std::uint32_t*>(memory);
  const auto count = static_cast<index_t>(offsets.end - offsets.begin);
  const auto begin = unwrap(offsets.begin);
  if constexpr (!on_cuda<Policy>) {
    (void)call, (void)policy;
    const std::size_t bytes = static_cast<std::size_t>(head_words(n)) * sizeof(std::uint32_t);
    if (bytes > 0) std::memset(words, 0, bytes);  // without items there may be no memory
    for (index_t i = 0; i < count; ++i) {
      const auto at = static_cast<index_t>(begin[i]);
      if (at >= 0 && at < n) words[at / 32] |= 1u << (at % 32);
    }
  } else {
#if ONEPASS_HAS_CUDA
    mark_heads(call, policy.stream(), heads_by_offset(begin, count, n), words, n);
#endif
  }
  return {bits(words)};
}

}  // namespace detail
}  // namespace onepass
