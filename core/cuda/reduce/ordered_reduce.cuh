// SPDX-License-Identifier: Apache-2.0
// Combines the items of a source in their order to one value, in one kernel. A warp reads a tile in rows, 16 bytes a
// lane, combines them in order, and goes on to the next; the last block to end folds what the blocks have found. So the
// operator need not be commutative, and the association depends on the number of items, their type and the device
// alone. Each item is read once; nothing is written but the result.
#pragma once

#include "../../scan/source.hpp"
#include "../../support/construct.hpp"
#include "../io/vector_access.cuh"
#include "../runtime/cuda_call_memory.cuh"
#include "../runtime/grid_sync.cuh"

namespace onepass::detail {

constexpr int reduce_threads = 256, reduce_warps = reduce_threads / warp_size;
constexpr int lane_bytes = 128;  // of a tile, read at once by a lane; not measured

template <class Source, class Op>
struct reduce_job {
  using source_type = Source;
  using value_type = typename Source::value_type;
  using op_type = Op;
  static constexpr int vector = items_per_vector<typename Source::read_type>;
  static constexpr int rows =
      power_of_two_up_to(lane_bytes / (vector * static_cast<int>(sizeof(typename Source::read_type))));
  static constexpr int strip = rows * vector;      // items of a lane
  static constexpr int items = warp_size * strip;  // of a warp's tile
  Source source;
  Op op;
  index_t n;
};

// Combines a tile. All lanes get the result.
template <class Job>
__device__ typename Job::value_type reduce_warp_tile(const Job& job, index_t tile) {
  using value = typename Job::value_type;
  auto op = job.op;
  const index_t tile_begin = tile * Job::items;
  if (tile_begin + Job::items <= job.n) {
    value sums[Job::rows];
#pragma unroll
    for (int r = 0; r < Job::rows; ++r) {
      value v[Job::vector];
      job.source.template row<Job::vector>(tile_begin + (r * warp_size + lane_id()) * Job::vector, v);
      sums[r] = v[0];
#pragma unroll
      for (int j = 1; j < Job::vector; ++j) sums[r] = static_cast<value>(op(sums[r], v[j]));
    }
    return warp_fold_rows(sums, op);
  }
  // The last tile, in strips of consecutive items. A lane without items takes part with the last one, which does not
  // count.
  const index_t begin = tile_begin + lane_id() * Job::strip;
  const index_t end = begin + Job::strip < job.n ? begin + Job::strip : job.n;
  value total = job.source.at(begin < job.n ? begin : job.n - 1);
  for (index_t i = begin + 1; i < end; ++i) total = static_cast<value>(op(total, job.source.at(i)));
  const auto lanes = static_cast<int>(divide_up(job.n - tile_begin, index_t{Job::strip}));
  return warp_fold(total, lanes, op);
}

template <class T>
struct reduce_shared {
  alignas(T) unsigned char totals[reduce_warps * sizeof(T)];
};
// Combines the tiles [first, last) of a job, at least one. The first warp of the block gets the result. Contains a
// barrier.
template <class Job>
__device__ typename Job::value_type reduce_tiles(const Job& job, index_t first, index_t last,
                                                 reduce_shared<typename Job::value_type>& s) {
  using value = typename Job::value_type;
  value* const totals = reinterpret_cast<value*>(s.totals);
  auto op = job.op;
  const index_t count = last - first, warp = warp_id();
  const int warps = static_cast<int>(count < reduce_warps ? count : reduce_warps);
  if (warp < warps) {
    const index_t begin = first + count * warp / warps, end = first + count * (warp + 1) / warps;
    value total = reduce_warp_tile(job, begin);
#pragma unroll 1
    for (index_t tile = begin + 1; tile < end; ++tile)
      total = static_cast<value>(op(total, reduce_warp_tile(job, tile)));
    if (lane_id() == 0) detail::construct(totals + warp, total);
  }
  __syncthreads();  // the warps' totals are written
  if (warp > 0) return totals[0];
  return warp_fold(totals[lane_id() < warps ? lane_id() : warps - 1], warps, op);
}

// What a reduction does at its end; anything else may wait for other devices.
struct nothing_at_end {
  __device__ void operator()() const {}
};

// store(total, n, is_all) is called by one thread. `total` points to the combination of the last tiles' items, or is
// null if there is no item; is_all says whether these tiles are all. If store.is_needed() is false, nothing is reduced
// and stored. In any case all lanes of one warp call end() in the end.
template <class Job, class Store, class End>
__global__ void __launch_bounds__(reduce_threads)
    ordered_reduce_kernel(const __grid_constant__ Job given, typename Job::value_type* totals, control* head,
                          item_count size, index_t most, const __grid_constant__ Store store,
                          const __grid_constant__ End end) {
  using value = typename Job::value_type;
  using totals_job = reduce_job<values_source<value, const value*>, typename Job::op_type>;
  __shared__ reduce_shared<value> s;
  if constexpr (std::is_same_v<End, nothing_at_end>) wait_for_previous_kernel();
  else wait_for_previous_kernel_alone();
  if (!store.is_needed()) {
    if (blockIdx.x == 0 && warp_id() == 0) end();
    return;
  }
  Job job = given;
  job.n = size.get();
  const index_t all = divide_up(job.n, index_t{Job::items}), tiles = min(all, most), begin = all - tiles;
  const index_t blocks = min(divide_up(tiles, index_t{reduce_warps}), static_cast<index_t>(gridDim.x));
  if (blockIdx.x < blocks) {
    const value total =
        detail::reduce_tiles(job, begin + tiles * blockIdx.x / blocks, begin + tiles * (blockIdx.x + 1) / blocks, s);
    if (threadIdx.x == 0) detail::construct(totals + blockIdx.x, total);
  }
  if (!grid_sync(head).is_last_block(gridDim.x)) return;
  if (blocks == 0) {
    if (threadIdx.x == 0) store(static_cast<const value*>(nullptr), job.n, true);
    if (warp_id() == 0) end();
    return;
  }
  const totals_job of_totals{{totals, {}}, job.op, blocks};
  const value total = detail::reduce_tiles(of_totals, 0, divide_up(blocks, index_t{totals_job::items}), s);
  if (threadIdx.x == 0) store(object_address(total), job.n, tiles == all);
  if (warp_id() == 0) end();
}

// Where a reduction works: room for what the blocks find, and counters that are zero between launches.
struct reduce_memory {
  void* totals;
  control* head;
};

// The launch of the kernel for n items at most. With `only_last` it combines a few tiles, the last ones: as many as
// there can be blocks.
template <class Job, class Store, class End = nothing_at_end>
class ordered_reduction {
  using value = typename Job::value_type;

 public:
  ordered_reduction(const char* call, index_t n, bool only_last = false)
      : call_(call), resident_(ordered_reduce_kernel<Job, Store, End>, reduce_threads, 0) {
    const index_t at_once = resident_.on_this_device(call), tiles = divide_up(n, index_t{Job::items});
    const index_t combined = only_last ? std::min(at_once, tiles) : tiles;
    most_ = only_last ? at_once : tiles;
    grid_ = static_cast<unsigned>(std::max<index_t>(1, std::min(divide_up(combined, index_t{reduce_warps}), at_once)));
  }
  // Of reduce_memory::totals.
  std::size_t bytes() const {
    layout scratch;
    scratch.add<value>(grid_);
    return scratch.bytes();
  }
  template <class Policy>
  void launch(const Policy& policy, const reduce_memory& memory, const Job& job, const Store& store,
              const End& end = {}) const {
    kernel_launch::dependent(call_, resident_, ordered_reduce_kernel<Job, Store, End>, grid_, reduce_threads, 0,
                             policy.stream(), job, static_cast<value*>(memory.totals), memory.head,
                             count_of(policy, job.n), most_, store, end);
  }

 private:
  const char* call_;
  resident_blocks resident_;
  index_t most_ = 0;
  unsigned grid_ = 0;
};

// Enqueues a reduction in memory of its own.
template <class Policy, class Job, class Store>
void ordered_reduce(const char* call, const Policy& policy, const Job& job, const Store& store,
                    bool only_last = false) {
  const ordered_reduction<Job, Store> reduction(call, job.n, only_last);
  const cuda_call_memory memory(call, cuda_policy(policy.stream()), {1, reduction.bytes()});
  reduction.launch(policy, {memory.scratch(), memory.tiles().head}, job, store);
}

}  // namespace onepass::detail
