// SPDX-License-Identifier: Apache-2.0
// The path of a reduction by offsets: one step for each item and one for the end of each segment, in their order. An
// end comes behind the items of its segment. So equal parts of the path are equal amounts of work, however long the
// segments are and however many of them are empty.
// Bytes moved: a few offsets for each part; of long paths the number of each part's first segment, written and read.
// Source: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication" (2016), section 3.
#pragma once

#include "../../../core/cuda/io/warp.cuh"
#include "../../../core/cuda/runtime/launch.cuh"
#include "../../../core/execution/resolve_policy.hpp"
#include "../../../core/segments/offset_index.hpp"

namespace onepass::detail {

template <class Offset>
struct segment_path {
  Offset offsets;
  index_t segments, items;

  ONEPASS_HOST_DEVICE index_t steps() const { return segments + items; }
  // Where segment s begins, which is where the one before ends. The items before segment 0 are passed on the way to its
  // end, and those behind the last segment after all ends.
  __device__ index_t begin(index_t s) const {
    const index_t i = offset_index(offsets[s]);
    return i < 0 ? 0 : i < items ? i : items;
  }

  // How many ends are among the first `count` steps, or up to `few` less. Their steps grow from segment to segment. A thread
  // calls it, or all lanes of a warp together (lanes = 32).
  template <int lanes, int each>
  __device__ index_t ends_within(index_t count, index_t few = 0) const {
    return leading<lanes, each>(segments, few, [&](index_t s) { return begin(s + 1) + s < count; });
  }
  // The segment that an item is in, if it is in any. All lanes of a warp call it together.
  __device__ index_t segment_at(index_t item) const {
    return leading<warp_size, 1>(segments, 0, [&](index_t s) { return begin(s + 1) <= item; });
  }

 private:
  // For how many of the numbers below n holds(s) is true, or up to `few` less: it is true up to one of them, and then no
  // more. Each thread looks at `each` offsets at once, as a look waits for memory.
  template <int lanes, int each, class Holds>
  static __device__ index_t leading(index_t n, index_t few, Holds holds) {
    static_assert(lanes == 1 || lanes == warp_size);
    constexpr int looks = lanes * each;
    const int lane = lane_id() % lanes;
    index_t low = 0, high = n;  // whatever is looked for, all look at the same offsets first
    while (high - low > few) {
      const index_t stride = divide_up(high - low, index_t{looks + 1});
      int mine = 0;
#pragma unroll
      for (int j = 1; j <= each; ++j) {
        const index_t s = low + (lane * each + j) * stride - 1;
        mine += s < high && holds(s);
      }
      int before = mine;
      if constexpr (lanes > 1) {  // a lane alone must not vote: all of a warp would take turns
        const int full = __popc(__ballot_sync(all_lanes, mine == each));
        before = full < lanes ? full * each + __shfl_sync(all_lanes, mine, full) : looks;
      }
      low += before * stride;
      if (before < looks && low + stride - 1 < high) high = low + stride - 1;
    }
    return low;
  }
};

// Stores the number of the first segment of each part of `step` steps, and behind them that of the path's end.
constexpr int part_starts_threads = 128;
template <class Offset>
__global__ void __launch_bounds__(part_starts_threads)
    part_starts_kernel(segment_path<Offset> path, item_count size, index_t step, index_t* starts, index_t parts) {
  wait_for_previous_kernel();
  path.items = size.get();
  const index_t part = static_cast<index_t>(blockIdx.x) * part_starts_threads + threadIdx.x;
  if (part > parts) return;
  const index_t first = part * step, all = path.steps();
  // 16 lanes a part were slower at 2^26 items: docs/history/performance-log.md, "Short reductions by offsets".
  starts[part] = path.template ends_within<1, 7>(first < all ? first : all);
}

template <class Policy, class Offset>
void find_part_starts(const char* call, const Policy& policy, const segment_path<Offset>& path, index_t step,
                      index_t* starts, index_t parts) {
  const resident_blocks resident(part_starts_kernel<Offset>, part_starts_threads, 0);
  const auto grid = static_cast<unsigned>(divide_up(parts + 1, index_t{part_starts_threads}));
  kernel_launch::dependent(call, resident, part_starts_kernel<Offset>, grid, part_starts_threads, 0, policy.stream(),
                           path, count_of(policy, path.items), step, starts, parts);
}

}  // namespace onepass::detail
