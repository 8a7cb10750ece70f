// SPDX-License-Identifier: Apache-2.0
// The pipeline: the driver for long scans of plain arrays on Hopper and later. Each multiprocessor has one persistent
// block. The block's warps have roles and pass tiles on through a ring of stages in shared memory. So whatever a tile
// has to wait for happens while the block works on other tiles:
//   loader      one warp:    draws a tile's ticket and fetches its items by bulk copies
//   reducers    8 to 16 warps: combine the tile's strips, a lane each, as soon as it has landed
//   publisher   one warp:    combines the warps' totals and publishes the tile's aggregate, long before others need it
//   look-ahead  six warps:   learn the tile's prefix from the aggregates of all tiles before it
//   producers   six warps:   only for sources with produced streams; each produces these streams of one tile
//   finishers   4 to 12 warps: give each strip its prefix, scan it, and store
// A share is the strips of one reducer. Named barriers from 2 on are the work's. The work says what is done with a tile
// (core/cuda/pipeline/pipeline_scan.cuh, primitives/compact/cuda/pipeline_compact.cuh). It has
//   shape            the sizes of strips, shares, tiles and stages (strip_shape)
//   slot             what a stage of the ring has for the work beside the items
//   fits             whether the pipeline can take such a job
//   least_items()    the number of items from which on the pipeline is faster
//   reduce(tile, slot, warp)
//                    called by a reducer warp: returns to each lane the combination of the share's strips up to its own
//   finish(tile, slot, warp, before, aligned_out, is_last)
//                    called by a finisher warp: `before` is the combination of everything before its first share
//
// Tickets, epochs and progress are as in core/cuda/tile_driver/tile_driver.cuh: tickets rise, and a block waits only for
// tiles below those that it has drawn. It also waits for itself: a stage of the ring is free again when the tile in it, an
// earlier one, has been stored.
//
// Source: the decoupled look-back of Merrill and Garland (2016); warps with roles as in warp-specialised matrix kernels
// (CUTLASS). Measurements: docs/history/performance-log.md.
#pragma once

#include "pipeline_state.cuh"

namespace onepass::detail {

// ---- the block ------------------------------------------------------------------------------------------------------
template <class Job, class Work>
class pipeline_block {
  using shape = typename Work::shape;
  using shared = pipeline_shared<Job, Work>;
  using value = typename Job::value_type;
  using stored = typename Job::stored_type;
  using types = pipeline_types<Job>;
  using table = typename types::table;
  using position = ring_position<shared::stages>;
  static constexpr tile_t no_tile = ~tile_t{0};
  static constexpr std::size_t tile_bytes = std::size_t{shape::tile_items} * shape::bits_per_item / 8;
  static constexpr int first_reducer = shape::finishers, loader = first_reducer + shape::warps, publisher = loader + 1,
                       look_ahead = loader + 2, first_producer = look_ahead + types::team_warps;
  static constexpr int producers = shared::producers;

 public:
  static constexpr int threads = (first_producer + producers) * warp_size;
  static_assert(threads <= 1024 && shape::warps % shape::finishers == 0);

  __device__ pipeline_block(const Job& job, const pipeline_launch<Job, Work>& launch, shared& s)
      : job_(job), launch_(launch), s_(s), tiles_(launch.grid.tiles()) {}

  __device__ void run() {
    if (threadIdx.x == 0) init_barriers();
    wait_for_previous_kernel();
    __syncthreads();  // the barriers are initialised
    const int warp = warp_id();
    if (warp < first_reducer) finish_tiles(warp);
    else if (warp < loader) reduce_tiles(warp - first_reducer);
    else if (warp == loader) load_tiles();
    else if (warp == publisher) publish_aggregates();
    else if (warp < first_producer) find_prefixes(warp - look_ahead);
    else if constexpr (producers > 0) produce_streams(warp - first_producer);
  }

 private:
  __device__ void init_barriers() {
    for (int i = 0; i < shared::stages; ++i) {
      s_.drawn[i].init(1);
      s_.landed[i].init(producers > 0 ? 2 : 1);  // the loader and a producer; the bytes come on top
      s_.reduced[i].init(shape::warps);
      s_.ordered[i].init(1);
      s_.prefixed[i].init(types::team_warps);
      s_.freed[i].init(shape::finishers);  // the finishers: all other roles have done with a tile before them
    }
    fence_initialised();
  }

  // Waits until the ring's next tile has landed, and returns its number.
  __device__ tile_t landed_tile(const position& at) {
    s_.landed[at.slot].wait(at.parity);
    return s_.tile[at.slot];
  }

  __device__ void load_tiles() {
    tile_t tile = 0;
    if (lane_id() == 0) {
      s_.dispenser = tile_dispenser(launch_.memory, tiles_);
      tile = s_.dispenser.first();
    }
    // With few tiles, no block fills its ring with more than its share of them.
    const int depth = static_cast<int>(min(static_cast<unsigned>(shared::stages), divide_up(tiles_, gridDim.x)));
    const cache_hint longest = evict_last(), as_usual = evict_normal();
    const tile_t marked = marked_tiles();
    position at, oldest;
    for (int k = 0;; ++k, at.advance()) {
      if (k >= depth) {
        s_.freed[oldest.slot].wait(oldest.parity);
        oldest.advance();
      }
      // Draws only now that there is room: all later tiles wait for a tile that is drawn and not yet published.
      if (k > 0 && lane_id() == 0) tile = s_.dispenser.next();
      tile = __shfl_sync(all_lanes, tile, 0);
      if (tile >= tiles_) break;
      fetch(tile, at.slot, tile < marked ? longest : as_usual);
    }
    reset_marked_lines(marked);
    // The end is told by a stage without a tile. Each producer gets one of its own; all other roles take the first of
    // them.
    for (int told = 0; told < max(1, producers); ++told, at.advance()) {
      s_.freed[at.slot].wait(at.parity ^ 1);  // its last tile has been stored, if there was one
      put_tile(no_tile, at.slot);
      s_.landed[at.slot].arrive_warp();
    }
  }

  // How many tiles are loaded with the hint that L2 evict their lines last, although nothing reads these lines again:
  // so memory is faster by 2 to 5 %, probably because stored lines are then evicted sooner. Not marked are the last
  // tiles, which may still be on their way when the first block resets the hint. Where functors look things up, none are.
  __device__ tile_t marked_tiles() const {
    if (shape::looks_up) return 0;
    const tile_t last = (shared::stages + 1) * gridDim.x, least = static_cast<tile_t>(least_marked_bytes / tile_bytes);
    return tiles_ > max(last, least) ? tiles_ - last : 0;
  }
  // Resets the hint of the last marked lines, so that they do not take L2 from the next kernel.
  __device__ void reset_marked_lines(tile_t marked) const {
    const tile_t count = min(marked, static_cast<tile_t>(unmarked_bytes / tile_bytes));
    for (tile_t t = marked - count + blockIdx.x; t < marked; t += gridDim.x) tile_in(t, 0).reset_lines();
  }

  // Called by the loader: writes the tile's number for the other roles.
  __device__ void put_tile(tile_t tile, int slot) {
    if (lane_id() == 0) s_.tile[slot] = tile;
    if constexpr (producers > 0) s_.drawn[slot].arrive_warp();
  }

  __device__ void fetch(tile_t tile, int slot, cache_hint hint) {
    put_tile(tile, slot);
    const auto staged = tile_in(tile, slot);
    staged.copy_edges();
    __syncwarp();  // edges are written
    if (lane_id() == 0) {
      s_.landed[slot].arrive_expecting(staged.bulk_bytes());
      staged.copy_bulk(s_.landed[slot], hint);
    } else {
      s_.landed[slot].arrive();
    }
  }

  // Producers take tiles in turn, as each may have to read memory several times before it knows what its tile contains.
  __device__ void produce_streams(int turn) {
    auto producer = job_.streams().producer();
    position at;
    for (int m = 0; m < turn; ++m) at.advance();
    for (;;) {
      s_.drawn[at.slot].wait(at.parity);
      const tile_t tile = s_.tile[at.slot];
      if (tile != no_tile) tile_in(tile, at.slot).produce(producer);
      s_.landed[at.slot].arrive_warp();
      if (tile == no_tile) return;
      for (int m = 0; m < producers; ++m) at.advance();
    }
  }

  __device__ void reduce_tiles(int warp) {
    for (position at;; at.advance()) {
      const tile_t tile = landed_tile(at);
      if (tile == no_tile) return;
      const auto staged = tile_in(tile, at.slot);
      auto& slot = s_.work[at.slot];
      const stored inclusive = launch_.aligned(tile) ? Work::template reduce<true>(staged, slot, warp)
                                                     : Work::template reduce<false>(staged, slot, warp);
      if (lane_id() == last_strip(tile, warp)) s_.share_total[at.slot].data()[warp] = inclusive;
      s_.reduced[at.slot].arrive_warp();
    }
  }
  // The last lane of the warp with items in its strip; lane 0 if no lane has any.
  __device__ int last_strip(tile_t tile, int warp) const {
    const int last = (launch_.grid.count(tile) - 1) / shape::strip_items - warp * warp_size;
    return max(0, min(last, warp_size - 1));
  }

  __device__ void publish_aggregates() {
    for (position at;; at.advance()) {
      const tile_t tile = landed_tile(at);
      if (tile == no_tile) return;
      s_.reduced[at.slot].wait(at.parity);
      auto op = job_.op;
      const int lane = lane_id();
      const stored inclusive =
          warp_inclusive_scan(s_.share_total[at.slot].data()[lane < shape::warps ? lane : shape::warps - 1], op);
      const stored before = detail::shuffle_up(inclusive, 1);
      if (lane < shape::warps) s_.share_before[at.slot].data()[lane] = before;
      // Shares behind the last one with items do not count.
      const stored aggregate = detail::shuffle_from(inclusive, (launch_.grid.count(tile) - 1) / shape::share_items);
      if (lane == 0) descriptors().publish(tile, aggregate);
      s_.ordered[at.slot].arrive_warp();
    }
  }

  __device__ void find_prefixes(int warp) {
    typename types::team team(s_.look_ahead, warp);
    running_prefix<value, typename Job::op_type, typename types::team> running(job_.op);
    for (position at;; at.advance()) {
      const tile_t tile = landed_tile(at);
      if (tile == no_tile) return;
      const auto prefix = running.advance(descriptors(), team, tile);
      if (warp == 0 && lane_id() == 0) put_prefix(tile, prefix, at.slot);
      s_.prefixed[at.slot].arrive_warp();
    }
  }
  __device__ void put_prefix(tile_t tile, ::cuda::std::optional<value> prefix, int slot) {
    if (tile == tiles_ - 1) s_.dispenser.end_launch(launch_.memory);
    if (job_.initial) {
      auto op = job_.op;
      prefix = prefix ? static_cast<value>(op(*job_.initial, *prefix)) : *job_.initial;
    }
    if (prefix) *s_.prefix[slot].data() = *prefix;
  }

  __device__ void finish_tiles(int warp) {
    for (position at;; at.advance()) {
      const tile_t tile = landed_tile(at);
      if (tile == no_tile) return;
      s_.ordered[at.slot].wait(at.parity);
      s_.prefixed[at.slot].wait(at.parity);
      const auto staged = tile_in(tile, at.slot);
      const auto before = before_share(tile, at.slot, warp * shape::shares_each);
      auto& slot = s_.work[at.slot];
      const bool aligned_out = launch_.aligned_out(tile), is_last = tile == tiles_ - 1;
      if (launch_.aligned(tile)) Work::template finish<true>(staged, slot, warp, before, aligned_out, is_last);
      else Work::template finish<false>(staged, slot, warp, before, aligned_out, is_last);
      s_.freed[at.slot].arrive_warp();
    }
  }
  // The combination of everything before a share, if there is anything.
  __device__ ::cuda::std::optional<value> before_share(tile_t tile, int slot, int share) {
    ::cuda::std::optional<value> before;
    if (tile > 0 || job_.initial) before = *s_.prefix[slot].data();
    if (share > 0) {
      const auto in_tile = static_cast<value>(s_.share_before[slot].data()[share]);
      auto op = job_.op;
      before = before ? static_cast<value>(op(*before, in_tile)) : in_tile;
    }
    return before;
  }

  __device__ staged_tile<Job, shape> tile_in(tile_t tile, int slot) const {
    return {job_, launch_.grid.first(tile), launch_.grid.count(tile), s_.stage[slot]};
  }
  // Called only after a tile has landed: the loader wrote the epoch before.
  __device__ table descriptors() const {
    return table(launch_.memory.slots, launch_.values, s_.dispenser.epoch(), job_.ordered());
  }

  const Job& job_;
  const pipeline_launch<Job, Work>& launch_;
  shared& s_;
  tile_t tiles_;
};

}  // namespace onepass::detail
