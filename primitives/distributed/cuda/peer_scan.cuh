// SPDX-License-Identifier: Apache-2.0
// A scan across ranks that are peers, of few items: by one kernel, in which the blocks wait for the other ranks. Up to 64
// tiles are read once. Of more a block has up to four, and reads all but the last one again, out of L2.
//   - each block scans its tiles, keeps the last one in registers, and publishes their aggregate to the rank's blocks;
//   - the last block knows the rank's total by that, and sends it to all ranks;
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
constexpr std::size_t most_peer_scan_value = 16;  // bytes; wider values take a reduction and a scan. Not measured.
// Of four tiles a block, 2^22 int32, it takes as long as a reduction and a scan (19 us on two H200), of two 11 us.
constexpr index_t most_tiles_of_block = 4;

// What the blocks of one launch share, beside the mailboxes.
template <class Stored>
struct peer_tiles {
  slot* slots;
  Stored* values;  // for values that stand apart (core/lookback/descriptor.hpp)
  index_t most_blocks;
  bool sends, stores;
};

// The epoch of an exchange's descriptors: not 0, and another one than that of the exchange before.
inline __device__ epoch_t epoch_of(std::uint64_t exchange) {
  constexpr epoch_t most = ~epoch_t{0};
  return static_cast<epoch_t>(exchange % most) + 1;
}

// A block with some of the rank's tiles, or with none where the rank has no items. All threads call each function.
template <class Tile, class Job>
class peer_scan_block {
  using types = driver_types<Tile, Job>;
  using value = typename types::value;
  using optional = ::cuda::std::optional<value>;
  using total = rank_total<value>;
  static_assert(!decltype(Job::emit)::marks, "a tile that begins again would keep its marks");

 public:
  struct shared {
    typename Tile::shared tile[2];  // by turns: slow warps may still read what the last tile has left
    typename types::group::shared look_back;
    raw_value<value> own_total;
    raw_value<optional> carry;
    bool is_complete;
  };

  __device__ peer_scan_block(shared& s, const Job& job, const peer_exchange& peers, index_t most_blocks)
      : s_(s), job_(job), peers_(peers) {
    tiles_ = divide_up(job.n, static_cast<index_t>(Tile::items));
    each_ = divide_up(max(tiles_, index_t{1}), most_blocks);
    first_ = min(tiles_, blockIdx.x * each_);
    end_ = min(tiles_, first_ + each_);
  }
  __device__ index_t blocks() const { return divide_up(tiles_, each_); }  // that have tiles
  __device__ bool has_tiles() const { return first_ < end_; }
  __device__ bool is_last() const { return end_ == tiles_ && (has_tiles() || blockIdx.x == 0); }

  // Scans the tiles, publishes their aggregate, and learns the prefix from the rank's blocks before this one.
  __device__ void scan(const peer_tiles<typename Job::stored_type>& tiles) {
    optional all;
#pragma unroll 1
    for (index_t t = first_; t < end_; ++t) {
      before_last_ = all;
      all = combined(all, work_.begin(job_, t * Tile::items, s_.tile[t % 2]));
    }
    const typename types::table table(tiles.slots, tiles.values, epoch_of(peers_.number));
    typename types::group group(s_.look_back, warp_id());
    if (threadIdx.x == 0) table.publish(blockIdx.x, *all);
    prefix_ = typename types::prefix(job_.op).advance(table, group, blockIdx.x);
  }
  // Sends the rank's total, where this is the last block. That is not the aggregates' total: what fills up a tile is part
  // of its aggregate.
  __device__ void send() {
    if (!has_tiles()) {
      if (warp_id() == 0) peers_.send(total{false, {}});
      return;
    }
    work_.with_last(job_, (end_ - 1) * Tile::items,
                    [&](const value& local) { s_.own_total.set(*combined(combined(prefix_, before_last_), local)); });
    __syncthreads();  // the total is written
    if (warp_id() == 0) peers_.send(total{true, s_.own_total});
  }
  // Waits for all ranks' totals. Returns whether all have come; else nothing is stored, and the call has failed.
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
  // Stores the tile that is in registers, and reads the others again.
  __device__ void store() {
    prefix_ = combined(s_.carry.get(), prefix_);
    const index_t last = end_ - 1;
    work_.finish(job_, last * Tile::items, combined(prefix_, before_last_), end_ == tiles_, s_.tile[last % 2]);
#pragma unroll 1
    for (index_t t = first_; t < last; ++t) {
      Tile again;
      const value aggregate = again.begin(job_, t * Tile::items, s_.tile[t % 2]);
      again.finish(job_, t * Tile::items, prefix_, false, s_.tile[t % 2]);
      prefix_ = combined(prefix_, aggregate);
    }
  }

 private:
  __device__ optional combined(const optional& a, const optional& b) const {
    auto op = job_.op;
    if (!a) return b;
    return b ? optional(static_cast<value>(op(*a, *b))) : a;
  }

  shared& s_;
  const Job& job_;
  const peer_exchange& peers_;
  index_t tiles_, each_, first_, end_;
  Tile work_;             // the last tile
  optional before_last_;  // the combination of this block's other tiles
  optional prefix_;
};

template <class Tile, class Job>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    peer_scan_kernel(const __grid_constant__ Job given, item_count size, const __grid_constant__ peer_exchange peers,
                     const peer_tiles<typename Job::stored_type> tiles) {
  __shared__ typename peer_scan_block<Tile, Job>::shared s;
  wait_for_previous_kernel_alone();
  Job job = given;
  job.n = size.get();
  peer_scan_block<Tile, Job> block(s, job, peers, tiles.most_blocks);
  if (!block.has_tiles() && blockIdx.x > 0) return;
  // No descriptor keeps an old epoch, which would come again after 2^32 exchanges.
  if (blockIdx.x == 0 && threadIdx.x >= block.blocks() && threadIdx.x < most_peer_tiles) {
    tiles.slots[threadIdx.x].tag = 0;
  }
  if (block.has_tiles()) block.scan(tiles);
  if (tiles.sends && block.is_last()) block.send();
  if ((tiles.stores || block.is_last()) && block.wait() && tiles.stores && block.has_tiles()) block.store();
}

template <class Job>
class peer_scan {
  using value = typename Job::value_type;
  using tile = scan_tile<Job, peer_scan_tuning>;

 public:
  static constexpr bool fits = sizeof(value) <= most_peer_scan_value;

  static constexpr std::size_t bytes = most_peer_tiles * sizeof(typename Job::stored_type);  // of `values`

  peer_scan(const char* call, index_t n) : call_(call), n_(n) {}
  void load() const { load_waiting_kernel<tile::threads>(call_, peer_scan_kernel<tile, Job>); }
  // Whether this rank's items are few enough. What other ranks have does not matter: they get the same message.
  bool suits() const {
    if constexpr (!fits) return false;
    return n_ <= most_blocks() * most_tiles_of_block * tile::items;
  }
  template <class Policy>
  void launch(const Policy& policy, const Job& job, const peer_exchange& peers, const peer_memory& own,
              void* values) const {
    peer_tiles<typename Job::stored_type> tiles{own.tiles, static_cast<typename Job::stored_type*>(values),
                                                most_blocks(), true, own.blocks_may_wait};
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
    const index_t all = std::max<index_t>(1, divide_up(n_, static_cast<index_t>(tile::items)));
    const auto grid = static_cast<unsigned>(std::min(most_blocks(), all));
    kernel_launch::dependent(call_, resident_blocks(kernel, tile::threads, 0), kernel, grid, tile::threads, 0,
                             policy.stream(), job, count_of(policy, n_), peers, tiles);
  }

  // Two communicators leave room for further ones, of which one block waits.
  index_t most_blocks() const { return std::clamp<index_t>((multiprocessors(call_) - 4) / 2, 1, most_peer_tiles); }

  const char* call_;
  index_t n_;
};

}  // namespace onepass::detail
