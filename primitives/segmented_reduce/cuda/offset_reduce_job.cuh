// SPDX-License-Identifier: Apache-2.0
// The job of a reduction by offsets on CUDA, and the shapes of its tiles, as data.
#pragma once

#include "../../../core/scan/scan_job.hpp"
#include "segment_path.cuh"

namespace onepass::detail {

// Whether items can be copied to shared memory as they are, and asynchronously, which takes no registers.
template <class T, class It>
constexpr bool are_copied =
    std::is_pointer_v<It>&& std::is_same_v<T, std::remove_cv_t<value_of<It>>>&& std::is_trivially_copyable_v<T> &&
    alignof(T) >= 4;

// The job of a reduction by offsets. n is the number of steps of its path.
template <class T, class It, class Offset, class Out, class Init, class Op>
struct offset_reduce_job {
  using value_type = T;
  using offset_type = Offset;
  using stored_type = T;
  using op_type = Op;

  static constexpr ONEPASS_HOST_DEVICE bool ordered() { return false; }
  ONEPASS_HOST_DEVICE void end_empty() const {}

  static constexpr bool copies_items = are_copied<T, It>;

  It items;
  segment_path<Offset> path;
  const index_t* starts;  // the first segment of each tile; null in short paths
  Out out;
  Init init;
  Op op;
  index_t n;

  // Stores the result of segment s, which is not empty.
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE void store(index_t s, const T& total) const {
    Op o = op;
    out[s] = static_cast<T>(o(static_cast<T>(init), total));
  }
};
// The size in memory is the number of items.
template <class T, class It, class Offset, class Out, class Init, class Op>
ONEPASS_HOST_DEVICE void complete_sized(offset_reduce_job<T, It, Offset, Out, Init, Op>& job) {
  if (job.n < job.path.items) job.path.items = job.n;
  job.n = job.path.steps();
}

struct offset_tuning {
  int threads;  // of a block
  int strip;    // items of a thread
  int strips;   // as many as there are threads, unless items are so large that they do not fit
  int blocks;   // of a multiprocessor, at least
};

// A strip is an odd number of items, so that the threads of a warp read theirs without bank conflicts.
constexpr int strip_of(std::size_t size, int bytes) {
  return size < 4 ? strip_of(4, bytes) : bytes / static_cast<int>(size) | 1;
}
constexpr int strips_of(std::size_t size, int strip, int threads) {
  const int fit = 40 * 1024 / (static_cast<int>(size) * strip);  // sm_75 has 64 KB
  return fit < threads ? fit : threads;
}
// From docs/history/performance-log.md, "Reductions by offsets on CUDA". Items that are not copied go through
// registers: "Sums of products by offsets".
constexpr offset_tuning offset_reduce_tuning(std::size_t size, bool copies_items) {
  const int strip = strip_of(size, 116);
  if (!copies_items && size <= 8) return {128, strip, strips_of(size, strip, 128), 8};
  return {256, strip, strips_of(size, strip, 256), size <= 8 ? 6 : 2};
}
// A tile has half of these items, and room for those of segments that begin before it. Same file, "Short reductions by offsets
// without a look-back".
constexpr offset_tuning short_offset_reduce_tuning(std::size_t size) {
  offset_tuning tuning = offset_reduce_tuning(size, true);
  tuning.blocks = size <= 8 ? 4 : 2;
  return tuning;
}

}  // namespace onepass::detail
