// SPDX-License-Identifier: Apache-2.0
// Operations of a whole warp: shuffles of values of any size, scans, and combinations in order.
// All 32 lanes have to call each of them.
#pragma once

#include <onepass/operators.hpp>

namespace onepass::detail {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = ~0u;

// The largest power of two that is not above n; 1 for n < 1.
constexpr int power_of_two_up_to(int n) { return n < 2 ? 1 : 2 * power_of_two_up_to(n / 2); }

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % warp_size); }
__device__ inline int warp_id() { return static_cast<int>(threadIdx.x / warp_size); }

// The mask of the lower lanes.
__device__ inline unsigned lanes_below() {
  unsigned lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
  return lanes;
}

// A barrier of some warps of a block. All lanes of these warps call it. Number 0 is the barrier of __syncthreads.
template <int number, int warps>
__device__ void barrier_of_warps() {
  asm volatile("bar.sync %0, %1;" ::"n"(number), "n"(warps * warp_size) : "memory");
}
template <int warps>
__device__ void barrier_of_warps(int number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(warps * warp_size) : "memory");
}

// Shuffles a value of any size as 4-byte words. `move` shuffles one word.
template <class T, class Move>
__device__ T shuffle_words(const T& value, Move move) {
  constexpr int words = (sizeof(T) + 3) / 4;
  if constexpr (words == 1 && sizeof(T) == 4 && std::is_trivially_copyable_v<T>) {
    return ::cuda::std::bit_cast<T>(move(::cuda::std::bit_cast<unsigned>(value)));
  } else {
    unsigned w[words] = {};
    memcpy(w, static_cast<const void*>(object_address(value)), sizeof(T));
#pragma unroll
    for (int i = 0; i < words; ++i) w[i] = move(w[i]);
    alignas(T) alignas(4) unsigned char bytes[words * 4];
    memcpy(bytes, w, sizeof w);
    return *reinterpret_cast<T*>(bytes);
  }
}
// Shuffles a pair field by field. Word by word, its padding bytes would make the compiler put it into local memory.
template <class T, class Move>
__device__ flagged<T> shuffle_words(const flagged<T>& pair, Move move) {
  return {shuffle_words(pair.value, move), static_cast<typename flagged<T>::flag>(move(pair.head))};
}

template <class T>
__device__ T shuffle_up(const T& v, int delta) {
  return shuffle_words(v, [&](unsigned w) { return __shfl_up_sync(all_lanes, w, delta); });
}
template <class T>
__device__ T shuffle_down(const T& v, int delta) {
  return shuffle_words(v, [&](unsigned w) { return __shfl_down_sync(all_lanes, w, delta); });
}
template <class T>
__device__ T shuffle_xor(const T& v, int mask) {
  return shuffle_words(v, [&](unsigned w) { return __shfl_xor_sync(all_lanes, w, mask); });
}
template <class T>
__device__ T shuffle_from(const T& v, int lane) {
  return shuffle_words(v, [&](unsigned w) { return __shfl_sync(all_lanes, w, lane); });
}

// Gives lane l the combination of lanes 0 .. l, in the 5 steps of Kogge and Stone.
template <class T, class Op>
__device__ T warp_inclusive_scan(T value, Op& op) {
  const int lane = lane_id();
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const T before = detail::shuffle_up(value, delta);
    if (lane >= delta) value = static_cast<T>(op(before, value));
  }
  return value;
}

// Gives every lane the combination of lanes 0 .. count - 1. The tree depends on `count` alone.
template <class T, class Op>
__device__ T warp_fold(T value, int count, Op& op) {
  const int lane = lane_id();
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const T after = detail::shuffle_down(value, delta);
    if (lane % (2 * delta) == 0 && lane + delta < count) value = static_cast<T>(op(value, after));
  }
  return detail::shuffle_from(value, 0);
}

// Combines rows of 32 values each: lane l has values l, 32 + l, 64 + l and so on, as v[0], v[1], v[2], and all are
// combined in that order of their numbers. All lanes get the result. A lane first halves its rows log2(rows) times: it
// combines one half of them with its neighbour's, and gives away the other half. So 8 rows take 12 shuffles and not 40.
template <int rows, class T, class Op>
__device__ T warp_fold_rows(T (&v)[rows], Op& op) {
  static_assert(rows <= warp_size && (rows & (rows - 1)) == 0);
  const int lane = lane_id();
  const auto combine = [&](const T& mine, const T& given, int delta) {
    const T other = shuffle_xor(given, delta);
    const bool is_behind = (lane & delta) != 0;
    const T first = is_behind ? other : mine, second = is_behind ? mine : other;
    return static_cast<T>(op(first, second));
  };
#pragma unroll
  for (int left = rows / 2, delta = 1; left > 0; left /= 2, delta *= 2) {
    const bool keeps_upper = (lane & delta) != 0;
#pragma unroll
    for (int r = 0; r < left; ++r) {
      const T lower = v[r], upper = v[r + left];  // `v[keeps_upper ? ...]` would put v into local memory
      v[r] = combine(keeps_upper ? upper : lower, keeps_upper ? lower : upper, delta);
    }
  }
  // Now `rows` neighbours have one row each, its bits in reverse.
  T total = v[0];
#pragma unroll
  for (int delta = rows; delta < warp_size; delta *= 2) total = combine(total, total, delta);
#pragma unroll
  for (int delta = rows / 2; delta > 0; delta /= 2) total = combine(total, total, delta);
  return total;
}

// Every loop that waits for another block calls this. In builds with ONEPASS_BOUND_SPINS a wait that would never end
// becomes a trap.
class spin_guard {
 public:
  __device__ void wait() {
    __nanosleep(20);  // leaves L2 to the blocks that are waited for; 20 ns: not measured
    check();
  }
  __device__ void check() {
#if ONEPASS_BOUND_SPINS
    if (clock64() - start_ > 3000000000ll) __trap();  // cycles: one to two seconds, far longer than any wait
#endif
  }

#if ONEPASS_BOUND_SPINS
  __device__ spin_guard() { start_ = clock64(); }

 private:
  long long start_;
#endif
};

}  // namespace onepass::detail
