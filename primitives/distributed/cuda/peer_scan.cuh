// SPDX-License-Identifier: Apache-2.0
// A scan across ranks that are peers, of as many items as some blocks hold in registers: by one kernel, in which the
// blocks wait for the other ranks with their tiles in hand. So each item is read once, and the host enqueues one kernel.
//   - each block scans its tile, and publishes the tile's aggregate to the rank's other blocks;
//   - the last tile's block knows the rank's total by that, and sends it to all ranks;
//   - each block waits for the totals of all ranks, folds those before its own, and stores its results.
// Blocks that wait need room beside other kernels that wait. A communicator that has no right to that
// (waiting_kernels in core/exchange/peer_mailboxes.cuh) does the same by two kernels: the last block of the first one
// waits, and the second one reads the items again. The association is the same, so floats have the same bits.
#pragma once

#include "../../../core/cuda/tile_driver/scan_tile.cuh"
#include "../../../core/cuda/tile_driver/tile_driver.cuh"
#include "../local_call.hpp"
#include "carried_gather.cuh"

namespace onepass::detail {

// A thread has 32 small items, or 128 bytes. A block with these may have all registers of a multiprocessor. Not measured.
constexpr tile_tuning peer_scan_tuning(std::size_t value_size) {
  return {512, value_size < 4 ? 32 * static_cast<int>(value_size) : 128, 1};
}
constexpr std::size_t most_peer_scan_value = 16;  // bytes: wider values spill, and are scanned by two launches

// What the blocks of one launch share, beside the mailboxes.
template <class Stored>
struct peer_tiles {
  slot* slots;
  Stored* values;  // for values that stand apart (core/lookback/descriptor.hpp)
  bool sends, stores;
};

// The epoch of an exchange's descriptors: not 0, and another one than that of the exchange before.
inline __device__ epoch_t epoch_of(std::uint64_t exchange) {
  constexpr epoch_t most = ~epoch_t{0};
  return static_cast<epoch_t>(exchange % most) + 1;
}

template <class Tile, class Job>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    peer_scan_kernel(const __grid_constant__ Job given, item_count size, const __grid_constant__ peer_exchange peers,
                     const peer_tiles<typename Job::stored_type> tiles) {
  using types = driver_types<Tile, Job>;
  using value = typename types::value;
  using total = rank_total<value>;
  __shared__ typename Tile::shared tile_shared;
  __shared__ typename types::group::shared look_back;
  __shared__ raw_value<::cuda::std::optional<value>> carry;
  __shared__ raw_value<value> own_total;
  __shared__ bool is_complete;
  wait_for_previous_kernel();
  Job job = given;
  job.n = size.get();
  const auto count = static_cast<tile_t>(divide_up(job.n, static_cast<index_t>(Tile::items))), tile = blockIdx.x;
  if (tile >= count && tile > 0) return;
  const bool is_last = tile + 1 >= count;
  // No descriptor keeps an old epoch, which would come again after 2^32 exchanges.
  if (tile == 0 && threadIdx.x >= count && threadIdx.x < most_peer_tiles) tiles.slots[threadIdx.x].tag = 0;

  Tile work;
  ::cuda::std::optional<value> prefix;
  const index_t begin = static_cast<index_t>(tile) * Tile::items;
  if (tile < count) {
    const typename types::table table(tiles.slots, tiles.values, epoch_of(peers.number));
    typename types::group group(look_back, warp_id());
    const typename types::stored aggregate = work.begin(job, begin, tile_shared);
    if (threadIdx.x == 0) table.publish(tile, aggregate);
    prefix = typename types::prefix(job.op).advance(table, group, tile);
    auto op = job.op;
    if (tiles.sends && is_last) {
      // What fills up a tile is part of the aggregate.
      work.with_last(job, begin, [&](const value& local) {
        own_total.set(prefix ? static_cast<value>(op(*prefix, local)) : local);
      });
      __syncthreads();  // the total is written
      if (warp_id() == 0) peers.send(total{true, own_total});
    }
  } else if (tiles.sends && warp_id() == 0) {
    peers.send(total{false, {}});
  }
  if (!tiles.stores && !is_last) return;

  if (warp_id() == 0) {
    // All blocks wait for all ranks: where one is missing, no block of any rank stores.
    const bool has_come = peers.wait<total>();
    if (lane_id() == 0) {
      is_complete = has_come;
      if (has_come) carry.set(combine_before<value>(peer_contents<total>{peers}, peers.rank, job.initial, job.op));
    }
  }
  __syncthreads();  // the carry is known
  if (!is_complete || !tiles.stores || tile >= count) return;
  if (const ::cuda::std::optional<value>& before = carry.get()) {
    auto op = job.op;
    prefix = prefix ? static_cast<value>(op(*before, *prefix)) : *before;
  }
  work.finish(job, begin, prefix, is_last, tile_shared);
}

template <class Job>
class peer_scan {
  using value = typename Job::value_type;
  using tile = scan_tile<Job, peer_scan_tuning>;

 public:
  static constexpr bool fits = sizeof(value) <= most_peer_scan_value;

  static constexpr std::size_t bytes = most_peer_tiles * sizeof(typename Job::stored_type);  // of `values`

  peer_scan(const char* call, index_t n) : call_(call), n_(n) {}
  // Whether this rank's items are few enough. What other ranks have does not matter: they get the same message.
  bool suits() const {
    if constexpr (!fits) return false;
    const int blocks = std::min(static_cast<int>(most_peer_tiles), multiprocessors(call_) / 2);
    return n_ <= static_cast<index_t>(blocks) * tile::items;
  }
  template <class Policy>
  void launch(const Policy& policy, const Job& job, const peer_exchange& peers, const peer_memory& own,
              void* values) const {
    peer_tiles<typename Job::stored_type> tiles{own.tiles, static_cast<typename Job::stored_type*>(values), true,
                                                own.blocks_may_wait};
    launch(policy, job, peers, tiles);
    if (tiles.stores) return;
    tiles.sends = false, tiles.stores = true;
    launch(policy, job, peers, tiles);
  }

 private:
  template <class Policy>
  void launch(const Policy& policy, const Job& job, const peer_exchange& peers,
              const peer_tiles<typename Job::stored_type>& tiles) const {
    const auto kernel = peer_scan_kernel<tile, Job>;
    const auto grid = static_cast<unsigned>(std::max<index_t>(1, divide_up(n_, static_cast<index_t>(tile::items))));
    kernel_launch::dependent(call_, resident_blocks(kernel, tile::threads, 0), kernel, grid, tile::threads, 0,
                             policy.stream(), job, count_of(policy, n_), peers, tiles);
  }

  const char* call_;
  index_t n_;
};

}  // namespace onepass::detail
