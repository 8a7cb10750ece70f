// SPDX-License-Identifier: Apache-2.0
// The search for set flags on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh). Only flags stand in the
// stage, so a tile has many items and no index is moved through it:
//   reduce   each lane finds the set flags of its strip. It writes where in their group of strips they stand, a byte each,
//            side by side at the front of the warp's share
//   finish   the warp makes indices of these bytes, group by group, and neighbouring lanes store to neighbouring addresses
#pragma once

#include "../../../core/cuda/pipeline/pipeline.cuh"
#include "../positions_rule.hpp"
#include "pipeline_compact.cuh"

namespace onepass::detail {

template <class Job, bool looks_up = Job::source_type::looks_up>
struct pipeline_positions {
  using source = typename Job::source_type;
  static constexpr int most_vectors = 7;  // of flags that are bytes, two strips are then a group
  static constexpr bool reads_bits = source::shape_of(0).item_bits < 8;
  static constexpr int most_share_items = most_vectors * items_per_vector<typename source::read_type> * warp_size;
  struct slot {
    // How many flags of the share are set before each strip, and in all.
    std::uint16_t before[8][warp_size + 1];
    // The bytes of shares whose flags are single bits. Others are written where the share's flags stand.
    unsigned char offsets[reads_bits ? 8 : 1][reads_bits ? most_share_items : 1];
  };
  using shape = strip_shape<source, sizeof(slot), most_vectors, 8, 8, looks_up>;
  using tile = staged_tile<Job, shape>;
  static constexpr bool fits = shape::stages >= 3 && sizeof(typename source::read_type) <= 32;
  static constexpr index_t least_items() { return compact_pipeline_least_items(shape::bits_per_item / 8, 0); }
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  // Run by a reducer warp. Lane l gets how many flags of lanes 0 to l are set.
  template <bool aligned>
  static __device__ unsigned reduce(const tile& t, slot& s, int warp) {
    const flags set = load<aligned>(t, (warp * warp_size + lane_id()) * shape::strip_items);
    unsigned count = 0;
#pragma unroll
    for (const unsigned word : set.words) count += __popc(word);
    sum add;
    const unsigned inclusive = warp_inclusive_scan(count, add);
    s.before[warp][lane_id() + 1] = static_cast<std::uint16_t>(inclusive);
    if (lane_id() == 0) s.before[warp][0] = 0;
    __syncwarp();  // all lanes have read the flags that others will overwrite
    put_side_by_side(set, offsets(t, s, warp) + (inclusive - count));
    fence_before_copies();  // the next tile of this slot is copied to where offsets have been written
    return inclusive;
  }

  // Run by a finisher warp. `before`: how many flags are set before its share.
  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<index_t> before, bool,
                                bool is_last) {
    const unsigned char* from = offsets(t, s, warp);
    const auto out = t.job().outputs.kept + (before ? *before : 0);
    const index_t first = t.first() + warp * shape::share_items;
#pragma unroll 1
    for (int strip = 0; strip < warp_size; strip += group) {
      const int begin = s.before[warp][strip], end = s.before[warp][strip + group];
      store_group(from, begin, end, out, first + strip * shape::strip_items);
    }
    if (is_last && warp == shape::warps - 1 && lane_id() == 0 && t.job().count != nullptr)
      *t.job().count = (before ? *before : 0) + s.before[warp][warp_size];
  }

 private:
  static constexpr int V = shape::vector;
  // How many strips are a group, so that a byte says where in it a flag stands.
  static constexpr int group = [] {
    int strips = 1;
    while (strips < warp_size && 2 * strips * shape::strip_items <= 256) strips *= 2;
    return strips;
  }();
  static_assert(shape::strip_items <= 256 && shape::share_items <= most_share_items);

  // Bit i says whether flag i of the strip is set.
  struct flags {
    unsigned words[divide_up(shape::strip_items, 32)] = {};
    __device__ void put_row(int row, unsigned bits) { words[row * V / 32] |= bits << (row * V % 32); }
    __device__ bool at(int i) const { return words[i / 32] >> (i % 32) & 1; }
  };

  // Flags behind the tile's end are not set, and the predicate is not asked about them.
  template <bool aligned>
  static __device__ flags load(const tile& t, int begin) {
    auto rule = t.template source<aligned>();
    flags set;
    if (begin + shape::strip_items <= t.count()) {
#pragma unroll
      for (int r = 0; r < shape::vectors; ++r) set.put_row(r, rule.template set_bits<V>(begin + r * V));
    } else {
#pragma unroll
      for (int r = 0; r < shape::vectors; ++r) {
        unsigned bits = 0;
#pragma unroll 1
        for (int j = 0; j < V && begin + r * V + j < t.count(); ++j)
          bits |= static_cast<unsigned>(rule.is_set(begin + r * V + j)) << j;
        set.put_row(r, bits);
      }
    }
    return set;
  }

  static __device__ unsigned char* offsets(const tile& t, slot& s, int warp) {
    if constexpr (reads_bits) return s.offsets[warp];
    else
      return static_cast<unsigned char*>(t.first_item()) +
             warp * shape::share_items * sizeof(typename source::read_type);
  }
  static __device__ void put_side_by_side(const flags& set, unsigned char* to) {
    const auto begin = static_cast<unsigned>(lane_id() % group * shape::strip_items);
#pragma unroll
    for (int i = 0; i < shape::strip_items; ++i) {
      if (set.at(i)) *to++ = static_cast<unsigned char>(begin + static_cast<unsigned>(i));
    }
  }
  // Stores the indices of the set flags [begin, end) of a share. `first`: the index of the group's first flag.
  template <class Out>
  static __device__ void store_group(const unsigned char* from, int begin, int end, const Out& out, index_t first) {
    using index = typename source::item;
    constexpr int at_once = 4;
    for (int i = begin + lane_id(); i - lane_id() < end; i += at_once * warp_size) {
      unsigned offset[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) offset[j] = i + j * warp_size < end ? from[i + j * warp_size] : 0;
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (i + j * warp_size < end) out[i + j * warp_size] = static_cast<index>(first + offset[j]);
      }
    }
  }
};

template <class Index, class Flags, class Pred, class Outputs>
struct compaction_work<compact_job<positions_rule<Index, Flags, Pred>, Outputs>> {
  using type = pipeline_positions<compact_job<positions_rule<Index, Flags, Pred>, Outputs>>;
};

}  // namespace onepass::detail
