// SPDX-License-Identifier: Apache-2.0
// Rungs of many blocks and several passes. Blocks of one launch do not wait for each other, so what one part needs of those
// before it comes from a launch before. Bytes an item, of 4-byte items: scan_then_fan 16 (read, write, read, write),
// reduce_then_scan 12 (read, read, write); the sums of parts are a thousandth of that.
// Source: D. Merrill, A. Grimshaw, "Parallel Scan for Stream Architectures" (2009), for both orders of the passes.
#pragma once

#include "warp_scans.cuh"

namespace ladder {

// ---- scan each part, scan the parts' sums, add to each part the sums before it
template <class Scan>
__global__ void __launch_bounds__(Scan::threads)
    scan_parts_and_sums_kernel(const item* in, item* out, index_t n, item* sums) {
  __shared__ item shared[Scan::words];
  const index_t first = static_cast<index_t>(blockIdx.x) * part_items;
  const index_t left = n - first;
  const int count = left < part_items ? static_cast<int>(left) : part_items;
  Scan::scan(in + first, out + first, count, shared);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = out[first + count - 1];
}

static __global__ void __launch_bounds__(part_items) fan_kernel(item* out, index_t n, const item* sums) {
  const index_t part = static_cast<index_t>(blockIdx.x) + 1;  // nothing lies before the first
  const index_t i = part * part_items + threadIdx.x;
  if (i < n) out[i] += sums[part - 1];
}

template <class Scan>
unsigned scan_parts_and_sums(const item* in, item* out, index_t n, item* sums, cudaStream_t stream) {
  const auto parts = static_cast<unsigned>(divide_up<index_t>(n, part_items));
  scan_parts_and_sums_kernel<Scan><<<parts, Scan::threads, 0, stream>>>(in, out, n, sums);
  return parts;
}
inline void fan(item* out, index_t n, const item* sums, unsigned parts, cudaStream_t stream) {
  if (parts > 1) fan_kernel<<<parts - 1, part_items, 0, stream>>>(out, n, sums);
}

// The parts' sums by one thread. Limited by that thread: at 2^28 items it adds 2^18 sums while all others wait.
inline void scan_then_fan(const item* in, item* out, index_t n, void* scratch, cudaStream_t stream) {
  const auto sums = static_cast<item*>(scratch);
  const unsigned parts = scan_parts_and_sums<blelloch_conflict_free>(in, out, n, sums, stream);
  sequential(sums, sums, parts, nullptr, stream);
  fan(out, n, sums, parts, stream);
}

// The parts' sums are scanned as the input is. Limited by the barriers of its block scan.
template <class Scan>
void scan_then_fan_recursive(const item* in, item* out, index_t n, void* scratch, cudaStream_t stream) {
  const auto sums = static_cast<item*>(scratch);
  const unsigned parts = scan_parts_and_sums<Scan>(in, out, n, sums, stream);
  if (parts == 1) return;
  scan_then_fan_recursive<Scan>(sums, sums, parts, sums + round_up<index_t>(parts, 4), stream);
  fan(out, n, sums, parts, stream);
}

// The sums of all levels, each a thousandth of the one before.
inline std::size_t scratch_of_sums(index_t n) {
  index_t items = 0;
  do {
    n = divide_up<index_t>(n, part_items);
    items += round_up<index_t>(n, 4);
  } while (n > 1);
  return static_cast<std::size_t>(items) * sizeof(item);
}

// ---- reduce each part, scan the parts' sums, scan each part from what lies before it
static __device__ item block_reduction(item mine, item* totals) {
  const item sum = __reduce_add_sync(all_lanes, mine);
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  if (lane_id() == 0) totals[warp] = sum;
  __syncthreads();
  return warp == 0 ? __reduce_add_sync(all_lanes, totals[lane_id()]) : 0;  // of the block, in warp 0
}

// The items [part * length, (part + 1) * length) of a block, in rounds of a thousand.
static __global__ void __launch_bounds__(part_items)
    reduce_parts_kernel(const item* in, index_t n, index_t length, item* sums) {
  __shared__ item totals[lanes];
  const index_t first = blockIdx.x * length, end = first + length < n ? first + length : n;
  item mine = 0;
  for (index_t i = first + threadIdx.x; i < end; i += part_items) mine += in[i];
  const item sum = block_reduction(mine, totals);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(part_items)
    scan_parts_from_sums_kernel(const item* in, item* out, index_t n, index_t length, const item* sums) {
  __shared__ item totals[lanes];
  const index_t first = blockIdx.x * length, end = first + length < n ? first + length : n;
  item before = blockIdx.x == 0 ? 0 : sums[blockIdx.x - 1];
  for (index_t round = first; round < end; round += part_items) {
    const index_t i = round + threadIdx.x;
    const item sum = block_sum<part_items>(i < end ? in[i] : 0, totals);
    if (i < end) out[i] = before + sum;
    before += totals[lanes - 1];
    __syncthreads();  // the next round writes totals
  }
}

// Parts of 1,024, and sums by recursion. Limited by small parts: a block starts, reads 4 KB, waits for it, and ends.
inline void reduce_then_scan(const item* in, item* out, index_t n, void* scratch, cudaStream_t stream) {
  const auto sums = static_cast<item*>(scratch);
  const auto parts = static_cast<unsigned>(divide_up<index_t>(n, part_items));
  if (parts > 1) {
    reduce_parts_kernel<<<parts, part_items, 0, stream>>>(in, n, part_items, sums);
    reduce_then_scan(sums, sums, parts, sums + round_up<index_t>(parts, 4), stream);
  }
  scan_parts_from_sums_kernel<<<parts, part_items, 0, stream>>>(in, out, n, part_items, sums);
}

// At most 1,024 parts, so that one block scans their sums. Limited by reading the input twice: 12 bytes an item, not 8.
inline void reduce_then_scan_two_pass(const item* in, item* out, index_t n, void* scratch, cudaStream_t stream) {
  const auto sums = static_cast<item*>(scratch);
  const index_t length = round_up<index_t>(divide_up<index_t>(n, part_items), part_items);
  const auto parts = static_cast<unsigned>(divide_up<index_t>(n, length));
  reduce_parts_kernel<<<parts, part_items, 0, stream>>>(in, n, length, sums);
  scan_parts<block_of_warps>(sums, sums, parts, nullptr, stream);
  scan_parts_from_sums_kernel<<<parts, part_items, 0, stream>>>(in, out, n, length, sums);
}

}  // namespace ladder
