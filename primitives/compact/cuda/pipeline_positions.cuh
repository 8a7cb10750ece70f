// SPDX-License-Identifier: Apache-2.0
// The search for set flags on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh). Only flags stand in the
// stage, so a tile has many items and no index is moved through it:
//   reduce   each lane counts the set flags of its strip
//   finish   the warp looks at its share again, 32 neighbouring flags at a time: a vote says how many are set before
//            each, and the lanes of those that are store their own numbers, side by side
#pragma once

#include "../../../core/cuda/pipeline/pipeline.cuh"
#include "../positions_rule.hpp"
#include "pipeline_compact.cuh"

namespace onepass::detail {

template <class Job>
struct pipeline_positions {
  using source = typename Job::source_type;
  struct slot {};
  static constexpr int most_vectors = compact_strip_bytes / static_cast<int>(vector_bytes);
  using shape = strip_shape<source, sizeof(slot), most_vectors>;
  using tile = staged_tile<Job, shape>;
  static constexpr bool fits = shape::stages >= 3 && sizeof(typename source::read_type) <= 32;
  static constexpr index_t least_items() { return compact_pipeline_least_items(shape::bits_per_item / 8); }
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  // Run by a reducer warp. Lane l gets how many flags of lanes 0 to l are set.
  template <bool aligned>
  static __device__ unsigned reduce(const tile& t, slot&, int warp) {
    auto rule = t.template source<aligned>();
    const int begin = (warp * warp_size + lane_id()) * shape::strip_items, end = begin + shape::strip_items;
    unsigned count = 0;
    if (end <= t.count()) {
#pragma unroll
      for (int r = 0; r < shape::vectors; ++r)
        count += static_cast<unsigned>(rule.template count_row<shape::vector>(begin + r * shape::vector));
    } else {
#pragma unroll 1
      for (int i = begin; i < min(end, t.count()); ++i) count += rule.is_set(i);
    }
    sum add;
    return warp_inclusive_scan(count, add);
  }

  // Run by a finisher warp. `before`: how many flags are set before its share.
  template <bool aligned>
  static __device__ void finish(const tile& t, slot&, int warp, ::cuda::std::optional<index_t> before, bool,
                                bool is_last) {
    using index = typename source::item;
    auto rule = t.template source<aligned>();
    const int begin = warp * shape::share_items, end = min(begin + shape::share_items, t.count());
    const unsigned lanes_before = (1u << lane_id()) - 1;
    index_t rank = before ? *before : 0;
#pragma unroll 4
    for (int i = begin; i < end; i += warp_size) {
      const int mine = i + lane_id();
      const bool is_set = mine < end && rule.is_set(mine);
      const unsigned set = __ballot_sync(all_lanes, is_set);
      if (is_set) t.job().outputs.kept[rank + __popc(set & lanes_before)] = static_cast<index>(t.first() + mine);
      rank += __popc(set);
    }
    if (is_last && warp == shape::warps - 1 && lane_id() == 0 && t.job().count != nullptr) *t.job().count = rank;
  }
};

template <class Index, class Flags, class Pred, class Outputs>
struct compaction_work<compact_job<positions_rule<Index, Flags, Pred>, Outputs>> {
  using type = pipeline_positions<compact_job<positions_rule<Index, Flags, Pred>, Outputs>>;
};

}  // namespace onepass::detail
