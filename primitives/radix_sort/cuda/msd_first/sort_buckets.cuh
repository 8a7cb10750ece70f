// SPDX-License-Identifier: Apache-2.0
// The end of a sort of 4-byte keys by their upper two digits alone (choose_buckets.cuh): keys with the same highest bits lie
// together, in a bucket, and a block sorts each bucket (bucket_sorter.cuh). So the last two passes over memory become one,
// which reads and writes whole lines. Bytes moved: n items read and written once.
//
// A bucket that comes out of order is sorted again, by ballots and by all bits. Buckets with more items than a block has room
// for are listed (long_ranges.cuh). Keys among which is a -0 are not sorted so, as that one is not made of its bits.
#pragma once

#include "bucket_sorter.cuh"

namespace onepass::detail {

// ---- where buckets start --------------------------------------------------------------------------------------------
// Lanes search together for the start of a bucket, among the keys with its highest digit. The fewer buckets, the more lanes.
constexpr int find_threads = 256;
template <class Digits, class V>
__device__ unsigned bucket_of(const bucket_job<Digits, V>& job, index_t i) {
  const auto bits = to_key_bits(job.keys[i]);
  return (job.digits.at(3)(bits) * digit_values + job.digits.at(2)(bits)) >> (most_bucket_bits - job.buckets.bits);
}
template <class Digits, class V>
__global__ void __launch_bounds__(find_threads) find_buckets_kernel(const __grid_constant__ bucket_job<Digits, V> job) {
  wait_for_previous_kernel();
  if (job.plan->lowest_position == 0) return;
  const index_t n = job.size.get();
  const int low_bits = most_bucket_bits - job.buckets.bits;  // of the lower digit, that are not a bucket's
  const int lanes = 1 << min(low_bits, 5), lane = lane_id() & (lanes - 1);
  const unsigned bucket = (blockIdx.x * find_threads + threadIdx.x) / lanes;
  if (bucket >= job.buckets.count()) return;
  const unsigned first_key = bucket << low_bits, high = first_key / digit_values;
  const unsigned of_warp = lane_id() & ~(lanes - 1), group = (~0u >> (warp_size - lanes)) << of_warp;
  const auto* const starts = job.plan->count[3];
  const auto digit = job.digits.at(2);
  auto begin = static_cast<index_t>(starts[high]);
  index_t end = high + 1 < digit_values ? static_cast<index_t>(starts[high + 1]) : n;
  while (begin < end) {
    const index_t step = divide_up(end - begin, index_t{lanes} + 1), mine = begin + (lane + 1) * step - 1;
    const bool is_before = mine < end && digit(to_key_bits(job.keys[mine])) < first_key % digit_values;
    const int before = __popc(__ballot_sync(group, is_before) & group);
    begin += before * step;
    if (before < lanes) end = min(end, begin + step - 1);
  }
  if (lane == 0) {
    job.starts[bucket] = static_cast<unsigned>(begin);
    const index_t behind = begin + job.buckets.room;
    if (job.output.alone && behind < n && bucket_of(job, behind) == bucket) job.plan->result_is_narrow = true;
  }
  if (bucket == 0 && lane == 0) job.starts[job.buckets.count()] = static_cast<unsigned>(n);
}

template <class Shape, class Digits, class V>
__device__ __noinline__ void sort_bucket_by_ballots(const bucket_job<Digits, V>& job, unsigned bucket, index_t begin,
                                                    int size) {
  // With values there may be buckets of many ties; keys alone are not ranked again on any known hardware.
  using ranking = std::conditional_t<stored_size<V> == 0, rare_ballot_ranking, ballot_ranking>;
  using sorter = bucket_sorter<ranking, Shape, Digits, V>;
  (void)sorter(job, shared_of_block<typename sorter::shared>(), bucket, begin, size).run();
}

template <class AtomicRanking, class Shape, class Digits, class V>
__device__ __forceinline__ void sort_bucket(const bucket_job<Digits, V>& job, unsigned bucket, index_t begin,
                                            int size) {
  using sorter = bucket_sorter<AtomicRanking, Shape, Digits, V>;
  if (sorter(job, shared_of_block<typename sorter::shared>(), bucket, begin, size).run()) return;
  __syncthreads();  // shared memory may be overwritten
  if (threadIdx.x == 0) atomicAdd(&job.plan->tiles_redone, 1u);
  sort_bucket_by_ballots<Shape>(job, bucket, begin, size);
}

template <class AtomicRanking, class Shape, class Digits, class V>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_buckets_kernel(const __grid_constant__ bucket_job<Digits, V> job) {
  wait_for_previous_kernel();
  if (job.plan->lowest_position == 0) return;
  const index_t n = job.size.get();
  for (unsigned bucket = blockIdx.x; bucket < job.buckets.count(); bucket += gridDim.x) {
    const index_t begin = job.starts[bucket], size = job.starts[bucket + 1] - begin;
    if (size <= 1 && (size == 0 || !job.makes_indices())) continue;
    if (size > Shape::items) {
      if (threadIdx.x == 0) add_to_range(job.ranges, begin, begin + size, n);
      continue;
    }
    sort_bucket<AtomicRanking, Shape>(job, bucket, begin, static_cast<int>(size));
    __syncthreads();  // the bucket is stored
  }
  if (grid_sync(job.head).is_last_block(gridDim.x)) list_ranges(job.ranges, job.lists, n);
}

// ---- the launches ---------------------------------------------------------------------------------------------------
template <class AtomicRanking, class Shape, class Digits, class V>
void launch_sort_buckets_of(const char* call, const bucket_job<Digits, V>& job, cudaStream_t stream) {
  const auto kernel = sort_buckets_kernel<AtomicRanking, Shape, Digits, V>;
  constexpr std::size_t shared = sizeof(bucket_shared<Shape, V>);
  const resident_blocks resident(kernel, Shape::threads, shared);
  const unsigned grid = std::min(resident.on_this_device(call), job.buckets.count());
  kernel_launch::dependent(call, resident, kernel, dim3(grid), Shape::threads, shared, stream, job);
}

// Calls `use` with the shape of the blocks for these buckets. The more rows a warp has, the fewer counters an item. Keys alone
// are never so few that their buckets are small.
template <class V, class Use>
auto with_bucket_block(const bucket_shape& buckets, Use use) {
  constexpr bool alone = stored_size<V> == 0;
  constexpr int rows = alone ? 18 : 20;
  static_assert((alone || 128 * rows >= small_bucket) && 256 * rows >= medium_bucket && 512 * rows >= large_bucket);
  if constexpr (!alone) {
    if (buckets.room == small_bucket) return use(pass_shape<128, rows, 8>());
  }
  return buckets.room <= medium_bucket ? use(pass_shape<256, rows, 4>()) : use(pass_shape<512, rows, 2>());
}

// Whether the mean bucket of n keys fits a block of this device.
template <class V>
bool suits_buckets(const char* call, const bucket_shape& buckets, index_t n) {
  const std::size_t needed =
      with_bucket_block<V>(buckets, [](auto shape) { return sizeof(bucket_shared<decltype(shape), V>); });
  return n <= most_in_buckets && needed < most_shared_memory(call);
}

// AtomicRanking: atomic_ranking, except in tests.
template <class AtomicRanking, class Digits, class V>
void launch_sort_buckets(const char* call, const bucket_job<Digits, V>& job, cudaStream_t stream) {
  const auto find = find_buckets_kernel<Digits, V>;
  kernel_launch::dependent(call, resident_blocks(find, find_threads, 0), find,
                           dim3((1u << most_bucket_bits) / find_threads), find_threads, 0, stream, job);
  with_bucket_block<V>(job.buckets,
                       [&](auto shape) { launch_sort_buckets_of<AtomicRanking, decltype(shape)>(call, job, stream); });
}

}  // namespace onepass::detail
