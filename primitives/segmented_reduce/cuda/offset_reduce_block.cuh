// SPDX-License-Identifier: Apache-2.0
// How a block takes the tiles of a reduction by offsets, in the tile driver. Tickets, epochs and progress are the
// driver's. The look-back is shorter: only a tile in which a segment ends that began before it looks back, and only to
// the tile in which that segment begins, whose number the offsets give. A tile publishes what the segment comes to that
// goes on behind it. While a tile's items are on their way, its block draws its next tile and looks back for the one
// before.
// The association: aggregates are combined in the order of the tiles, by trees whose shape the segment's first and last
// tile give.
#pragma once

#include "../../../core/cuda/runtime/grid_sync.cuh"
#include "../../../core/cuda/tile_driver/tile_driver.cuh"
#include "offset_reduce_tile.cuh"

namespace onepass::detail {

template <class Job>
class offset_reduce_block {
  using tile = offset_reduce_tile<Job>;
  using T = typename Job::value_type;
  using table = descriptor_table<T, on_device>;
  static constexpr unsigned drawer = tile::threads - 1;  // the thread that draws tiles

  struct drawn_tile {
    tile_t number;
    typename tile::extent of;
  };
  // A tile's first segment, which began in an earlier tile: in tile `first`. It ends in tile `end`.
  struct left_over {
    bool exists, has_part;
    tile_t first, end;
    index_t segment;
    alignas(T) unsigned char part[sizeof(T)];  // what its items in its last tile come to, if it has any there
  };

 public:
  struct shared {
    typename tile::shared tile;
    drawn_tile drawn[2];
    left_over left;
    alignas(T) unsigned char parts[tile::warps * sizeof(T)];
    epoch_t epoch;
  };

  __device__ offset_reduce_block(const Job& job, shared& s) : job_(job), s_(s) {}

  __device__ void run(const tile_memory& memory, T* values, tile_t tiles) {
    ::cuda::std::optional<tile_dispenser> dispenser;  // the drawer's
    if (threadIdx.x == drawer) {
      dispenser.emplace(memory, tiles);
      s_.epoch = dispenser->epoch();
    }
    draw(0, tiles, [&] { return dispenser->first(); });
    if (threadIdx.x == 0) s_.left.exists = false;
    s_.tile.heads[threadIdx.x] = 0;
    __syncthreads();  // all of these are written
    const table published(memory.slots, values, s_.epoch);
    for (int k = 0; tiles > s_.drawn[k].number; k ^= 1) {  // `number <` would begin a template's arguments
      const drawn_tile& now = s_.drawn[k];
      tile::load(job_, now.of, s_.tile);
      draw(k ^ 1, tiles, [&] { return dispenser->next(); });
      finish_left_over(published, [] { tile::wait_for_items(); });
      tile::reduce(job_, now.of, s_.tile);
      if (threadIdx.x == 0) {
        // What the segment that goes on behind the tile comes to here. Where there is none, this is read only if offsets do
        // not ascend, by who would wait for it.
        if (now.number + 1 < tiles)
          published.publish(now.number, tile::values(job_, now.of, s_.tile)[max(now.of.items - 1, 0)]);
        leave_over(now);
      }
      tile::store(job_, now.of, s_.tile);
      s_.tile.heads[threadIdx.x] = 0;
      __syncthreads();  // the tile's memory is free
    }
    finish_left_over(published, [] {});
    if (tiles == 1 || !grid_sync(memory.head).is_last_block(gridDim.x)) return;
    if (threadIdx.x == drawer) {
      dispenser->end_launch(memory);
      scrub(memory, tiles - 1, s_.epoch);
    }
  }

 private:
  // number(): the drawer's.
  template <class Number>
  __device__ void draw(int k, tile_t tiles, Number number) {
    if (threadIdx.x != drawer) return;
    const tile_t drawn = number();
    s_.drawn[k].number = drawn;
    if (drawn < tiles) s_.drawn[k].of = tile::extent_of(job_, drawn);
  }

  __device__ void leave_over(const drawn_tile& last) {
    left_over& left = s_.left;
    left.exists = tile::crosses(last.of, s_.tile);
    if (!left.exists) return;
    left.segment = last.of.first_segment;
    // The step of the segment's first item comes behind the ends of all segments before.
    left.first = static_cast<tile_t>((last.of.first_item + s_.tile.begin + left.segment) / tile::items);
    left.first = min(left.first, last.number);  // always, if offsets ascend
    left.end = last.number;
    const int end = s_.tile.end(0);
    left.has_part = end > 0;
    if (end > 0) detail::construct(reinterpret_cast<T*>(left.part), tile::values(job_, last.of, s_.tile)[end - 1]);
  }

  // Stores the result of the segment that is left over, if there is one. The first warp looks back if it began a few
  // tiles before, and all warps otherwise. Calls meanwhile() before a barrier.
  template <class Meanwhile>
  __device__ void finish_left_over(const table& published, Meanwhile meanwhile) {
    const left_over& left = s_.left;
    const tile_t count = left.exists ? left.end - left.first : 0;
    const bool is_far = count > warp_size;
    if (count > 0 && !is_far && warp_id() == 0) {
      const T before = combine(published, left.first, left.end);
      if (lane_id() == 0) store_left_over(before);
    }
    meanwhile();
    __syncthreads();  // the tile's items have arrived
    if (is_far) look_far_back(published, left.first, count);
  }

  // Each warp combines its part of the tiles. There are more tiles than warps.
  __device__ void look_far_back(const table& published, tile_t first, index_t count) {
    const auto begin_of = [&](int warp) { return static_cast<tile_t>(first + count * warp / tile::warps); };
    T* const parts = reinterpret_cast<T*>(s_.parts);
    const T part = combine(published, begin_of(warp_id()), begin_of(warp_id() + 1));
    if (lane_id() == 0) detail::construct(parts + warp_id(), part);
    __syncthreads();  // the parts are written
    if (threadIdx.x > 0) return;
    auto op = job_.op;
    T before = parts[0];
    for (int w = 1; w < tile::warps; ++w) before = static_cast<T>(op(before, parts[w]));
    store_left_over(before);
  }

  // A warp combines the aggregates of the tiles from `first` on, up to `end`, of which there is at least one.
  __device__ T combine(const table& published, tile_t first, tile_t end) const {
    constexpr int each = 4;  // tiles of a lane at a time, whose descriptors it reads together; not measured
    auto op = job_.op;
    ::cuda::std::optional<T> all;
    for (tile_t base = first; base < end; base += warp_size * each) {
      const tile_t mine = base + static_cast<tile_t>(lane_id()) * each;
      typename table::raw raw[each];
#pragma unroll
      for (int j = 0; j < each; ++j) raw[j] = published.read(min(mine + j, end - 1));
      // A lane without tiles takes part with the last one, which does not count.
      T part = wait_for(published, min(mine, end - 1), raw[0]);
#pragma unroll
      for (int j = 1; j < each; ++j) {
        if (mine + j < end) part = static_cast<T>(op(part, wait_for(published, mine + j, raw[j])));
      }
      const auto lanes = static_cast<int>(min(divide_up(end - base, tile_t{each}), tile_t{warp_size}));
      const T sum = warp_fold(part, lanes, op);
      all = all ? static_cast<T>(op(*all, sum)) : sum;
    }
    return *all;
  }
  static __device__ T wait_for(const table& published, tile_t number, typename table::raw raw) {
    for (spin_guard guard; !published.is_published(raw); guard.wait()) raw = published.read(number);
    return published.value(number, raw);
  }

  __device__ void store_left_over(const T& before) {
    const left_over& left = s_.left;
    auto op = job_.op;
    job_.store(left.segment,
               left.has_part ? static_cast<T>(op(before, *reinterpret_cast<const T*>(left.part))) : before);
  }

  const Job& job_;
  shared& s_;
};

template <class Job>
struct tile_loop<offset_reduce_tile<Job>, Job> {
  using block = offset_reduce_block<Job>;
  using shared = typename block::shared;
  static __device__ void run(const Job& job, const tile_memory& memory, typename Job::stored_type* values,
                             tile_t tiles) {
    extern __shared__ __align__(16) unsigned char dynamic_shared[];
    block(job, *reinterpret_cast<shared*>(dynamic_shared)).run(memory, values, tiles);
  }
};

}  // namespace onepass::detail
