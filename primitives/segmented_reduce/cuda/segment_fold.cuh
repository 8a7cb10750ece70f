// SPDX-License-Identifier: Apache-2.0
// How lanes combine the items of one segment where they lie in memory. Each lane has a strip of a few neighbouring items
// where there are many, and lanes are combined by shuffles. So items keep their order, nothing is staged in shared memory, and
// whatever a lane leaves of a sector its neighbours find in the first-level cache. Where any order will do, a lane has every
// 32nd item.
// The association depends on the number of items and of lanes, on the types and the operator, and on nothing else.
#pragma once

#include <cuda/std/optional>

#include "../../../core/cuda/io/warp.cuh"
#include "../../../core/support/accumulator.hpp"
#include "../../../core/support/construct.hpp"
#include "../../../core/support/iterator.hpp"

namespace onepass::detail {

// Whether the operator is known to commute.
template <class Op, class T>
constexpr bool is_commutative = known_operator<Op>::is_modular&& std::is_arithmetic_v<T>;

// It: the iterator at a segment's first item. T: the type that values are combined in. A lane loads up to `most` items at once.
template <class T, class It, class Op, int most>
class segment_fold {
  static constexpr int size = static_cast<int>(sizeof(T) > sizeof(value_of<It>) ? sizeof(T) : sizeof(value_of<It>));

 public:
  // Items that a lane loads at once, and of a strip where it loads several.
  static constexpr int at_once = power_of_two_up_to(64 / size < most ? 64 / size : most);
  static constexpr int strip = size > 8 ? 1 : size > 2 ? 2 : 4;

  __device__ explicit segment_fold(const Op& op) : op_(op) {}

  __device__ T combined(const T& a, const T& b) { return static_cast<T>(op_(a, b)); }

  // A warp combines any number of items. Its first lane gets the result.
  __device__ T by_warp(It items, int count) {
    if constexpr (is_commutative<Op, T>) {
      return in_any_order(items, count);
    } else {
      constexpr int strips = at_once / strip, all = warp_size * at_once;
      ::cuda::std::optional<T> total;
      for (; count >= all; count -= all) {
        T x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) x[k] = item(items, (k / strip * warp_size + lane_id()) * strip + k % strip);
        T parts[strips];
#pragma unroll
        for (int s = 0; s < strips; ++s) {
          parts[s] = x[s * strip];
#pragma unroll
          for (int i = 1; i < strip; ++i) parts[s] = combined(parts[s], x[s * strip + i]);
        }
        const T next = warp_fold_rows(parts, op_);
        total = total ? combined(*total, next) : next;
        items += all;
      }
      if (count == 0) return *total;
      const T next = by_lanes(items, count);
      return total ? combined(*total, next) : next;
    }
  }

  // A block combines any number of items, and calls use(total) in thread 0. totals: shared memory for a value a warp.
  template <int warps, class Use>
  __device__ void by_block(const It& items, int count, T* totals, Use use) {
    const int share = round_up(divide_up(count, warps), warp_size), before = share * warp_id();
    if (before < count) {
      const T total = by_warp(items + before, min(share, count - before));
      if (lane_id() == 0) detail::construct(totals + warp_id(), total);
    }
    __syncthreads();  // the warps' totals are written
    if (threadIdx.x > 0) return;
    T total = totals[0];
#pragma unroll
    for (int w = 1; w < warps; ++w) {
      if (w * share < count) total = combined(total, totals[w]);
    }
    use(total);
  }

  static __device__ T item(const It& items, int i) { return static_cast<T>(static_cast<value_of<It>>(items[i])); }

 private:
  // Up to at_once items a lane.
  __device__ T by_lanes(const It& items, int count) {
    const int each = divide_up(count, warp_size), begin = lane_id() * each, mine = min(count - begin, each);
    T x[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (i < mine) x[i] = item(items, begin + i);
    }
    T part = x[0];
#pragma unroll
    for (int i = 1; i < at_once; ++i) {
      if (i < mine) part = combined(part, x[i]);
    }
    return warp_fold(part, divide_up(count, each), op_);
  }
  __device__ T in_any_order(const It& items, int count) {
    // A lane without items takes part with the last one, which does not count.
    T part = item(items, min(lane_id(), count - 1));
    int i = lane_id() + warp_size;
    T x[at_once];
    for (; i + warp_size * (at_once - 1) < count; i += warp_size * at_once) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) x[k] = item(items, i + k * warp_size);
#pragma unroll
      for (int k = 0; k < at_once; ++k) part = combined(part, x[k]);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k * warp_size < count) x[k] = item(items, i + k * warp_size);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k * warp_size < count) part = combined(part, x[k]);
    }
    return warp_fold(part, min(count, warp_size), op_);
  }

  Op op_;
};

}  // namespace onepass::detail
