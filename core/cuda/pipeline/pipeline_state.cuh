// SPDX-License-Identifier: Apache-2.0
// What a block of the pipeline (core/cuda/pipeline/pipeline_block.cuh) works on: what its launch says of the tiles, and its shared
// memory.
#pragma once

#include "../../scan/source.hpp"
#include "../tile_driver/tile_driver.cuh"
#include "staged_tile.cuh"

namespace onepass::detail {

// Where a launch's tiles begin and end. Tile 0 is `pad` items short, so that the others start at aligned addresses.
template <int tile_items>
struct tile_grid {
  index_t n;
  int pad;

  ONEPASS_HOST_DEVICE tile_t tiles() const {
    return static_cast<tile_t>(divide_up(n + pad, static_cast<index_t>(tile_items)));
  }
  __device__ index_t first(tile_t t) const { return t == 0 ? 0 : static_cast<index_t>(t) * tile_items - pad; }
  __device__ int count(tile_t t) const {
    const index_t end = (static_cast<index_t>(t) + 1) * tile_items - pad;
    return static_cast<int>((end < n ? end : n) - first(t));
  }
};

template <class Job, class Work>
struct pipeline_launch {
  tile_memory memory;
  typename Job::stored_type* values;  // of descriptors that keep them apart
  tile_grid<Work::shape::tile_items> grid;
  bool streams_aligned;  // every stream's tiles start at multiples of 16 bytes, but for a short tile 0
  bool out_aligned;      // the output's, too

  __device__ bool aligned(tile_t t) const { return streams_aligned && (t > 0 || grid.pad == 0); }
  __device__ bool aligned_out(tile_t t) const { return out_aligned && aligned(t); }
};

template <class Job>
struct pipeline_types {
  using stored = typename Job::stored_type;
  using table = descriptor_table<stored, on_device>;
  // 192 tiles at a look: more than a block is ever behind, as it has a tile of about every 132. Fewer warps were slower,
  // so were two teams in turn (docs/history/performance-log.md, "Scan: the pipeline").
  static constexpr int team_warps = 6;
  static constexpr int team_barrier = 1;
  using team = look_back_team<table, stored, team_warps, team_barrier>;
};

template <class Job, class Work>
struct pipeline_shared {
  using shape = typename Work::shape;
  static constexpr int stages = shape::stages;
  // As many tiles are being made at a time. Six were faster than four, which were faster than two
  // (docs/history/performance-log.md, "Segmented scan: flags, bits and offsets").
  static constexpr int producers = !is_produced<typename Job::source_type> ? 0 : stages < 6 ? stages : 6;
  template <class T, int n>
  struct values {
    alignas(T) unsigned char bytes[n * sizeof(T)];
    __device__ T* data() { return reinterpret_cast<T*>(bytes); }
  };

  alignas(128) unsigned char stage[stages][shape::stage_bytes];
  typename Work::slot work[stages];
  values<typename Job::stored_type, shape::warps> share_total[stages];
  values<typename Job::stored_type, shape::warps>
      share_before[stages];                            // what precedes a share in the tile; none for warp 0
  values<typename Job::value_type, 1> prefix[stages];  // of the tile, if there is one
  typename pipeline_types<Job>::team::shared look_ahead;
  phase_barrier drawn[stages], landed[stages], reduced[stages], ordered[stages], prefixed[stages], freed[stages];
  tile_t tile[stages];
  tile_dispenser dispenser;
};

}  // namespace onepass::detail
