// SPDX-License-Identifier: Apache-2.0
// A warp copies consecutive items from shared memory to consecutive items of an output, at any address.
#pragma once

#include <cstring>

#include "vector_access.cuh"
#include "warp.cuh"

namespace onepass::detail {

constexpr std::size_t line_bytes = 128;
// How many items `p` stands behind the beginning of its line. A warp that starts at the line's beginning, with idle
// lanes in front, stores whole lines from then on: L2 has fewer partial sectors to merge. Measured:
// docs/history/performance-log.md, "Compaction: the pipeline".
template <class T>
__device__ int items_into_line(const T* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % line_bytes / sizeof(T));
}

// Copies items of 1 or 2 bytes, four bytes at a time. The bytes of one word of the output lie in two words of the
// input.
template <class T>
__device__ void copy_small_run(const T* from, int count, T* to) {
  constexpr int per_word = 4 / sizeof(T);
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  const int head = min(count, static_cast<int>((4 - address % 4) % 4 / sizeof(T)));
  const int words = (count - head) / per_word;
  if (lane_id() < head) to[lane_id()] = from[lane_id()];
  const auto source = reinterpret_cast<std::uintptr_t>(from + head);
  const auto* first = reinterpret_cast<const unsigned*>(source - source % 4);
  const auto shift = static_cast<unsigned>(source % 4 * 8);
  auto* out = reinterpret_cast<unsigned*>(to + head);
#pragma unroll 4
  for (int i = lane_id() - detail::items_into_line(out); i < words; i += warp_size) {
    if (i >= 0) out[i] = shift == 0 ? first[i] : __funnelshift_r(first[i], first[i + 1], shift);
  }
  const int tail = head + words * per_word + lane_id();
  if (tail < count) to[tail] = from[tail];
}

// Copies: out[at + i] = from[i] for all i < count.
template <class T, class Out>
__device__ void copy_run(const T* from, int count, const Out& out, std::int64_t at) {
  if constexpr (std::is_same_v<Out, T*> && moves_by_words<T>) {
    copy_small_run(from, count, out + at);
  } else if constexpr (std::is_pointer_v<Out>) {
#pragma unroll 4
    for (int i = lane_id() - detail::items_into_line(out + at); i < count; i += warp_size) {
      if (i >= 0) out[at + i] = from[i];
    }
  } else {
#pragma unroll 4
    for (int i = lane_id(); i < count; i += warp_size) out[at + i] = from[i];
  }
}

}  // namespace onepass::detail
