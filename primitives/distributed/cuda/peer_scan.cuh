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

// A block with one tile of the rank's items, or with none where the rank has none. All threads call each function.
template <class Tile, class Job>
class peer_scan_block {
  using types = driver_types<Tile, Job>;
  using value = typename types::value;
  using total = rank_total<value>;

 public:
  struct shared {
    typename Tile::shared tile;
    typename types::group::shared look_back;
    raw_value<value> own_total;
    raw_value<::cuda::std::optional<value>> carry;
    bool is_complete;
  };

  __device__ peer_scan_block(shared& s, const Job& job, const peer_exchange& peers)
      : s_(s), job_(job), peers_(peers), begin_(static_cast<index_t>(blockIdx.x) * Tile::items) {}
  __device__ bool has_items() const { return begin_ < job_.n; }
  __device__ bool is_last() const { return begin_ + Tile::items >= job_.n; }

  // Scans the tile, publishes its aggregate, and learns its prefix from the rank's tiles before it.
  __device__ void scan(const peer_tiles<typename Job::stored_type>& tiles) {
    const typename types::table table(tiles.slots, tiles.values, epoch_of(peers_.number));
    typename types::group group(s_.look_back, warp_id());
    const typename types::stored aggregate = work_.begin(job_, begin_, s_.tile);
    if (threadIdx.x == 0) table.publish(blockIdx.x, aggregate);
    prefix_ = typename types::prefix(job_.op).advance(table, group, blockIdx.x);
  }
  // Sends the rank's total, where this is the last block. That is not the aggregates' total: what fills up a tile is part
  // of its aggregate.
  __device__ void send() {
    if (!has_items()) {
      if (warp_id() == 0) peers_.send(total{false, {}});
      return;
    }
    auto op = job_.op;
    work_.with_last(job_, begin_, [&](const value& local) {
      s_.own_total.set(prefix_ ? static_cast<value>(op(*prefix_, local)) : local);
    });
    __syncthreads();  // the total is written
    if (warp_id() == 0) peers_.send(total{true, s_.own_total});
  }
  // Waits for all ranks' totals. Where one is missing, no block of any rank stores. Returns whether all have come.
  __device__ bool wait() {
    if (warp_id() == 0) {
      const bool has_come = peers_.wait<total>();
      if (lane_id() == 0) {
        s_.is_complete = has_come;
        const peer_contents<total> totals{peers_};
        if (has_come) s_.carry.set(combine_before<value>(totals, peers_.rank, job_.initial, job_.op));
      }
    }
    __syncthreads();  // the carry is known
    return s_.is_complete;
  }
  __device__ void store() {
    if (const ::cuda::std::optional<value>& carry = s_.carry.get()) {
      auto op = job_.op;
      prefix_ = prefix_ ? static_cast<value>(op(*carry, *prefix_)) : *carry;
    }
    work_.finish(job_, begin_, prefix_, is_last(), s_.tile);
  }

 private:
  shared& s_;
  const Job& job_;
  const peer_exchange& peers_;
  index_t begin_;
  Tile work_;
  ::cuda::std::optional<value> prefix_;
};

template <class Tile, class Job>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    peer_scan_kernel(const __grid_constant__ Job given, item_count size, const __grid_constant__ peer_exchange peers,
                     const peer_tiles<typename Job::stored_type> tiles) {
  __shared__ typename peer_scan_block<Tile, Job>::shared s;
  wait_for_previous_kernel();
  Job job = given;
  job.n = size.get();
  // No descriptor keeps an old epoch, which would come again after 2^32 exchanges.
  const index_t used = divide_up(job.n, static_cast<index_t>(Tile::items));
  if (blockIdx.x == 0 && threadIdx.x >= used && threadIdx.x < most_peer_tiles) tiles.slots[threadIdx.x].tag = 0;
  peer_scan_block<Tile, Job> block(s, job, peers);
  if (!block.has_items() && blockIdx.x > 0) return;
  if (block.has_items()) block.scan(tiles);
  if (tiles.sends && block.is_last()) block.send();
  if ((tiles.stores || block.is_last()) && block.wait() && tiles.stores && block.has_items()) block.store();
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
