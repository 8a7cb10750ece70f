// SPDX-License-Identifier: Apache-2.0
// What reductions by offsets do with a tile's items in shared memory. Each thread has a strip of consecutive items, and has
// combined those from its last head on, or all; here these are scanned, and what precedes a strip is added to its first
// segment. So each segment's result stands in its last item.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <onepass/operators.hpp>

#include "../../../core/cuda/io/warp.cuh"
#include "../../../core/support/construct.hpp"
#include "../../../core/support/iterator.hpp"

namespace onepass::detail {

// What a thread knows of its strip.
template <class T>
struct strip_state {
  T open;     // the combination from the last head on
  T before;   // what precedes the strip in the warp comes to, from the last head on; lane 0 has nothing
  bool ends;  // whether there is such a head
};

// What each warp's items from its last head on come to, and whether it has a head. In shared memory.
template <class T, int warps>
struct warp_totals {
  alignas(flagged<T>) unsigned char bytes[warps * sizeof(flagged<T>)];
  __device__ flagged<T>* data() { return reinterpret_cast<flagged<T>*>(bytes); }

  // Of the warps before this one, from their last head on.
  template <class Op>
  __device__ T before(const Op& op) {
    segmented<Op> combine{op};
    flagged<T> all = data()[0];
    for (int w = 1; w < warp_id(); ++w) all = combine(all, data()[w]);
    return all.value;
  }
};

// A scan over the strips of a warp that starts anew at heads. Writes the warp's total.
template <class T, int warps, class Op>
__device__ strip_state<T> scan_strips(const T& open, bool has_head, Op& op, warp_totals<T, warps>& totals) {
  const int lane = lane_id();
  const unsigned with_head = __ballot_sync(all_lanes, has_head);
  const int last_head = 31 - __clz(static_cast<int>(with_head & ((2u << lane) - 1)));
  T inclusive = open;
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const T left = detail::shuffle_up(inclusive, delta);
    if (lane - delta >= max(last_head, 0)) inclusive = static_cast<T>(op(left, inclusive));
  }
  if (lane == warp_size - 1) detail::construct(totals.data() + warp_id(), flagged<T>{inclusive, with_head != 0});
  return {open, detail::shuffle_up(inclusive, 1), (with_head & ((1u << lane) - 1)) != 0};
}

// When all totals are written: adds what precedes the strip x, of `items` items, to its first segment. heads: a bit an item.
template <class T, int warps, class Op>
__device__ void add_before(T* x, int items, unsigned heads, const strip_state<T>& state, Op& op,
                           warp_totals<T, warps>& totals) {
  T open = state.open;
  if (threadIdx.x > 0 && !(heads & 1)) {
    T before = state.before;
    if (!state.ends && warp_id() > 0) {
      const T warps_before = totals.before(op);
      before = lane_id() > 0 ? static_cast<T>(op(warps_before, before)) : warps_before;
    }
    if (heads != 0) {
      T& result = x[__ffs(static_cast<int>(heads)) - 2];
      result = static_cast<T>(op(before, result));
    } else {
      open = static_cast<T>(op(before, open));
    }
  }
  x[items - 1] = open;
}

// A block of `threads` threads begins to copy `count` items, `most` at most, to an address that is the same modulo 16: by
// words up to the first 16 bytes that are aligned, and behind the last.
template <int threads, int most, class T>
__device__ void copy_items(const T* from, int count, T* to) {
  const auto thread = static_cast<int>(threadIdx.x), bytes = count * static_cast<int>(sizeof(T));
  const auto* const source = reinterpret_cast<const unsigned char*>(from);
  auto* const target = reinterpret_cast<unsigned char*>(to);
  const int head = min(bytes, static_cast<int>(-reinterpret_cast<std::uintptr_t>(from) % 16));
  const int tail = head + (bytes - head) / 16 * 16;
#pragma unroll
  for (int k = 0; k < divide_up(most * static_cast<int>(sizeof(T)), threads * 16); ++k) {
    const int at = head + (thread + k * threads) * 16;
    if (at < tail) __pipeline_memcpy_async(target + at, source + at, 16);
  }
  const int edge = thread * 4 < head ? thread * 4 : tail + thread * 4 - head;
  if (edge < bytes) __pipeline_memcpy_async(target + edge, source + edge, 4);
}

// The same for other items, which are there when each thread has returned: neighbours are loaded by neighbouring threads, up
// to `at_once` by a thread before it needs the first. A warp's 32 items begin at a multiple of 32: in an array that begins at a
// line these are whole lines. So up to 31 items before `first` are loaded, too. meanwhile() is called when the first loads
// are on their way.
template <int threads, int at_once, class It, class T, class Meanwhile>
__device__ void load_items(const It& items, index_t first, int count, T* to, Meanwhile meanwhile) {
  const int before = static_cast<int>(first % warp_size), begin = static_cast<int>(threadIdx.x) - before;
  int from = begin;
#pragma unroll 1
  do {
    T x[at_once];
    if (count > 0) {
      // Each load's own condition would take a predicate until its item is there, and there are few predicates.
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        x[k] = static_cast<T>(static_cast<value_of<It>>(items[first + min(from + k * threads, count - 1)]));
    }
    if (from == begin) meanwhile();
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int i = from + k * threads;
      if (static_cast<unsigned>(i) < static_cast<unsigned>(count)) detail::construct(to + i, x[k]);
    }
    from += at_once * threads;
  } while (from - begin < count + before);
}

}  // namespace onepass::detail
