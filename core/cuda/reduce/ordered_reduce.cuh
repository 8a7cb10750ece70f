// SPDX-License-Identifier: Apache-2.0
// Combines the items of a source in their order to one value, in one kernel. Each block combines consecutive tiles, and
// the last block to end combines what the blocks have found. Tiles are those of a scan (scan_tile.cuh), so the operator
// need not be commutative, and the association depends on the number of items, their type and the device alone. Each
// item is read once; nothing is written but the result.
#pragma once

#include "../runtime/cuda_call_memory.cuh"
#include "../runtime/grid_sync.cuh"
#include "../tile_driver/scan_tile.cuh"

namespace onepass::detail {

// A job (core/scan/scan_job.hpp) that only combines.
template <class Source, class Op>
struct reduce_job {
  using source_type = Source;
  using value_type = typename Source::value_type;
  using op_type = Op;
  static constexpr bool inclusive = true;
  Source source;
  Op op;
  emit_value emit;
  index_t n;
};

// Combines the tiles [first, last) of a job. All threads get the result. There is one tile, at least.
template <class Tile, class Job>
__device__ typename Job::value_type reduce_tiles(const Job& job, index_t first, index_t last,
                                                 typename Tile::shared& s) {
  using value = typename Job::value_type;
  auto op = job.op;
  const auto total_of = [&](index_t tile) {
    Tile work;
    const value total = work.begin(job, tile * Tile::items, s);
    __syncthreads();  // the next tile uses the same shared memory
    return total;
  };
  value total = total_of(first);
#pragma unroll 1
  for (index_t tile = first + 1; tile < last; ++tile) total = static_cast<value>(op(total, total_of(tile)));
  return total;
}

// store(total, n, is_all) is called by one thread. `total` points to the combination of the last tiles' items, or is
// null if there is no item; is_all says whether these tiles are all. If store.is_needed() is false, nothing happens.
template <class Tile, class Job, class Store>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    ordered_reduce_kernel(const __grid_constant__ Job given, typename Job::value_type* totals, control* head,
                          item_count size, index_t most_tiles, const __grid_constant__ Store store) {
  using value = typename Job::value_type;
  using totals_job = reduce_job<values_source<value, const value*>, typename Job::op_type>;
  using totals_tile = scan_tile<totals_job, scan_tuning>;
  static_assert(totals_tile::threads == Tile::threads);
  __shared__ union {
    typename Tile::shared of_items;
    typename totals_tile::shared of_totals;
  } s;
  wait_for_previous_kernel();
  if (!store.is_needed()) return;
  Job job = given;
  job.n = size.get();
  const index_t all = divide_up(job.n, static_cast<index_t>(Tile::items)), tiles = min(all, most_tiles);
  const index_t blocks = min(tiles, static_cast<index_t>(gridDim.x)), begin = all - tiles;
  if (blockIdx.x < blocks) {
    const value total = reduce_tiles<Tile>(job, begin + tiles * blockIdx.x / blocks,
                                           begin + tiles * (blockIdx.x + 1) / blocks, s.of_items);
    if (threadIdx.x == 0) detail::construct(totals + blockIdx.x, total);
  }
  if (!grid_sync(head).is_last_block(gridDim.x)) return;
  if (blocks == 0) {
    if (threadIdx.x == 0) store(static_cast<const value*>(nullptr), job.n, true);
    return;
  }
  const totals_job of_totals{{totals, {}}, job.op, {}, blocks};
  const value total =
      reduce_tiles<totals_tile>(of_totals, 0, divide_up(blocks, static_cast<index_t>(totals_tile::items)), s.of_totals);
  if (threadIdx.x == 0) store(&total, job.n, tiles == all);
}

// Enqueues the kernel. With `only_last`, it combines no more than a tile a block, the last ones.
template <class Policy, class Job, class Store>
void ordered_reduce(const char* call, const Policy& policy, const Job& job, const Store& store,
                    bool only_last = false) {
  using value = typename Job::value_type;
  using tile = scan_tile<Job, scan_tuning>;
  const auto kernel = ordered_reduce_kernel<tile, Job, Store>;
  const resident_blocks resident(kernel, tile::threads, 0);
  const index_t tiles = divide_up(job.n, static_cast<index_t>(tile::items));
  const auto grid =
      static_cast<unsigned>(std::max<index_t>(1, std::min<index_t>(tiles, resident.on_this_device(call))));
  layout scratch;
  const std::size_t totals = scratch.add<value>(grid);
  const cuda_call_memory memory(call, cuda_policy(policy.stream()), {1, scratch.bytes()});
  kernel_launch::dependent(call, resident, kernel, grid, tile::threads, 0, policy.stream(), job,
                           section<value>(memory.scratch(), totals), memory.tiles().head, count_of(policy, job.n),
                           only_last ? static_cast<index_t>(grid) : index_t{most_tiles}, store);
}

}  // namespace onepass::detail
