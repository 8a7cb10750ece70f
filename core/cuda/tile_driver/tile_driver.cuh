// SPDX-License-Identifier: Apache-2.0
// The tile driver: one kernel that takes a whole input through begin, publish, look-back and finish, tile by tile, with
// the tiles in registers. The tile's type says what is done within a tile (core/cuda/tile_driver/scan_tile.cuh,
// primitives/compact/cuda/compact_tile.cuh).
//
// Persistent blocks draw tiles by ticket. A block always begins its next tile, and publishes that tile's aggregate,
// before it finishes the current one. So aggregates are published about one tile's time before another tile needs them,
// and the look-back finds most of them at its first read.
//
// Progress: tickets rise, and a block waits only for tiles below those that it has drawn. So the block that has the first
// tile that is not yet published can always go on, however few blocks are resident.
//
// No other kernel prepares the state. It is one word on the device, {epoch, ticket base}. The block that has the last
// tile moves it on to the next launch, after it has seen the aggregates of all other tiles: by then every block that
// has a tile has read the word. Therefore a captured graph can be replayed.
#pragma once

#include "warp_look_back.cuh"
#include "../../execution/scratch_layout.hpp"
#include "../../lookback/descriptor.hpp"
#include "../../support/atomic_words.hpp"
#include "../runtime/launch.cuh"
#include "../io/warp.cuh"

namespace onepass::detail {

// ---- where tiles come from ------------------------------------------------------------------------------------------
// Gives a block its tiles. Only thread 0 of the block has one. If there are as many blocks as tiles, each block draws
// once. Otherwise each draws until it gets no tile, so each block draws once in vain. A single tile is not drawn: it is
// the first block's, needs no epoch, and does not touch the state at all.
class tile_dispenser {
 public:
  __device__ tile_dispenser() : tile_dispenser({}, 1) {}
  __device__ tile_dispenser(const tile_memory& memory, tile_t tiles) : head_(memory.head), tiles_(tiles) {
    if (tiles == 1) {
      first_ = blockIdx.x;
      return;
    }
    // If a block is so late that the word has moved on, its ticket is below the base. The unsigned difference is then
    // larger than any number of tiles, so the block gets no tile.
    const tile_t ticket = atomicAdd(&head_->ticket, 1u);
    const std::uint64_t word = load_relaxed(&head_->word);
    base_ = static_cast<tile_t>(word);
    epoch_ = epoch_of_launch(word);
    first_ = ticket - base_;
  }
  __device__ tile_t first() const { return first_; }
  __device__ epoch_t epoch() const { return epoch_; }
  __device__ tile_t next() {
    return tiles_ == 1 || gridDim.x == tiles_ ? tiles_ : atomicAdd(&head_->ticket, 1u) - base_;
  }

  // Moves the state on to the next launch. The owner of the last tile calls this, once it has seen all aggregates.
  __device__ void end_launch(const tile_memory& memory) const {
    if (tiles_ == 1) return;
    const tile_t in_vain = gridDim.x == tiles_ ? 0 : gridDim.x;  // tickets that bring no tile
    store_relaxed(&head_->word, std::uint64_t{epoch_} << 32 | static_cast<tile_t>(base_ + tiles_ + in_vain));
    scrub(memory, tiles_, epoch_);
  }

 private:
  control* head_;
  tile_t tiles_, base_ = 0, first_ = 0;
  epoch_t epoch_ = 0;
};

// ---- the kernel -----------------------------------------------------------------------------------------------------
template <class Tile, class Job>
struct driver_types {
  using value = typename Job::value_type;
  using stored = typename Job::stored_type;
  using table = descriptor_table<stored, on_device>;
  using group = look_back_team<table, stored, Tile::threads / warp_size, 0>;  // the whole block
  using prefix = running_prefix<value, typename Job::op_type, group>;
  struct shared {
    typename Tile::shared tile[2];  // a block works on two tiles at once
    typename group::shared look_back;
    tile_t next[2];
    epoch_t epoch;
  };
};

// Whether a single tile has code of its own: the tiles of short inputs have, where the time for a look-back counts.
template <class Tile>
constexpr bool scans_single_tiles = Tile::threads <= 128;

// Scans an input that is a single tile, in the first block. It needs no look-back, and so neither ticket nor epoch.
template <class Tile, class Job>
__device__ __forceinline__ void single_tile(const Job& job, typename Tile::shared& s) {
  if (blockIdx.x > 0) return;
  Tile work;
  (void)work.begin(job, 0, s);
  __syncthreads();  // what the tile keeps in shared memory is there
  work.finish(job, 0, job.initial, true, s);
}

// Scans the tiles that this block draws.
// Over 40 lines because the order of its steps across two tiles hides the look-back, and tiles have to stay in registers.
template <class Tile, class Job>
__device__ void tile_driver_block(const Job& job, const tile_memory& memory, typename Job::stored_type* values,
                                  tile_t tiles) {
  using types = driver_types<Tile, Job>;
  using value = typename types::value;
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  auto& s = *reinterpret_cast<typename types::shared*>(dynamic_shared);
  ::cuda::std::optional<tile_dispenser> dispenser;  // thread 0's
  if constexpr (scans_single_tiles<Tile>) {
    if (tiles == 1) return single_tile<Tile>(job, s.tile[0]);
  }

  if (threadIdx.x == 0) {
    dispenser.emplace(memory, tiles);
    s.epoch = dispenser->epoch();
    s.next[0] = dispenser->first();
  }
  __syncthreads();  // epoch and first tile are written
  tile_t tile = s.next[0];
  if (tile >= tiles) return;

  const typename types::table table(memory.slots, values, s.epoch, job.ordered());
  typename types::group group(s.look_back, warp_id());
  typename types::prefix running(job.op);
  const auto begin = [&](Tile& work, tile_t t, int k) {
    const typename types::stored aggregate = work.begin(job, static_cast<index_t>(t) * Tile::items, s.tile[k]);
    if (threadIdx.x == 0 && tiles > 1) table.publish(t, aggregate);
  };

  Tile work;
  begin(work, tile, 0);
  if (threadIdx.x == 0) s.next[1] = dispenser->next();
  __syncthreads();  // the second tile is known
  for (int k = 0;; k ^= 1) {
    // Two reads take long: that of the descriptors for this tile's prefix, and that of the ticket after the next one.
    // So they start now, and their results are used after the next tile has begun.
    const tile_t next = s.next[k ^ 1];
    group.start(table, running.next(), tile);
    const tile_t after_next = threadIdx.x == 0 && next < tiles ? dispenser->next() : tiles;
    Tile next_work;
    if (next < tiles) begin(next_work, next, k ^ 1);

    if (threadIdx.x == 0) s.next[k] = after_next;
    ::cuda::std::optional<value> prefix = running.advance(table, group, tile);
    if (tile == 0) group.cancel_start();
    if (threadIdx.x == 0 && tile == tiles - 1) dispenser->end_launch(memory);
    if (job.initial) {
      auto op = job.op;
      prefix = prefix ? static_cast<value>(op(*job.initial, *prefix)) : *job.initial;
    }
    work.finish(job, static_cast<index_t>(tile) * Tile::items, prefix, tile == tiles - 1, s.tile[k]);
    if (next >= tiles) return;
    tile = next;
    work = next_work;
  }
}

// How a block takes its tiles. A tile's type may have another loop.
template <class Tile, class Job>
struct tile_loop {
  using shared = typename driver_types<Tile, Job>::shared;
  static __device__ void run(const Job& job, const tile_memory& memory, typename Job::stored_type* values,
                             tile_t tiles) {
    tile_driver_block<Tile>(job, memory, values, tiles);
  }
};

// `sized`: the number of items may stand in memory, at `size`. Such a kernel works on a copy of the job.
template <class Tile, class Job, bool sized>
__global__ void __launch_bounds__(Tile::threads, blocks_within(Tile::threads, Tile::blocks))
    tile_driver_kernel(const __grid_constant__ Job job, const tile_memory memory, typename Job::stored_type* values,
                       tile_t tiles, item_count size) {
  wait_for_previous_kernel();
  if constexpr (sized) {
    Job sized_job = job;
    sized_job.n = size.get();
    complete_sized(sized_job);
    if (sized_job.n > 0) {
      const auto its_tiles = static_cast<tile_t>(divide_up(sized_job.n, static_cast<index_t>(Tile::items)));
      tile_loop<Tile, Job>::run(sized_job, memory, values, its_tiles);
    } else if (blockIdx.x == 0 && threadIdx.x == 0) {
      sized_job.end_empty();
    }
  } else {
    tile_loop<Tile, Job>::run(job, memory, values, tiles);
  }
}

// ---- the host's side ------------------------------------------------------------------------------------------------
// Knows how many tiles a job of n items has, adds the memory of their look-back to `scratch`, and launches the kernel.
// The memory is for `least_tiles` tiles at least, as another driver may need so many for fewer items
// (choose_driver.cuh).
template <class Tile, class Job>
class tile_driver {
 public:
  static constexpr index_t tile_items = Tile::items;
  static index_t tile_count(index_t n) { return divide_up(n, static_cast<index_t>(Tile::items)); }

  tile_driver(const char* call, index_t n, layout& scratch, index_t least_tiles = 0) : call_(call) {
    const index_t tiles = tile_count(n);
    if (tiles >= most_tiles) throw invalid_argument(call, "more items than one call can take");
    tiles_ = static_cast<tile_t>(tiles);
    const bool needs_memory = tiles > 1 || !scans_single_tiles<Tile>;
    capacity_ = static_cast<std::size_t>(std::max(needs_memory ? tiles : 0, least_tiles));
    if (table::apart) values_ = scratch.add<typename Job::stored_type>(static_cast<index_t>(capacity_));
  }
  std::size_t tiles() const { return capacity_; }

  template <class Policy>
  void launch(const Job& job, const Policy& policy, const tile_memory& memory, void* scratch) const {
    if (tiles_ == 0) return;
    const auto kernel = tile_driver_kernel<Tile, Job, is_sized<Policy>>;
    constexpr std::size_t shared = sizeof(typename tile_loop<Tile, Job>::shared);
    const resident_blocks resident(kernel, Tile::threads, shared);
    const unsigned grid = std::min<unsigned>(tiles_, resident.on_this_device(call_));
    auto* values = table::apart ? section<typename Job::stored_type>(scratch, values_) : nullptr;
    kernel_launch::dependent(call_, resident, kernel, grid, Tile::threads, shared, policy.stream(), job, memory, values,
                             tiles_, count_of(policy, job.n));
  }

 private:
  using table = descriptor_table<typename Job::stored_type, on_device>;
  const char* call_;
  tile_t tiles_ = 0;
  std::size_t capacity_ = 0, values_ = 0;
};

}  // namespace onepass::detail
