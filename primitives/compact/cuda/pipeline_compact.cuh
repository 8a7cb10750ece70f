// SPDX-License-Identifier: Apache-2.0
// A compaction's work on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh):
//   reduce   each lane loads its strip into registers and finds which items are kept. The reducers of a run of shares put
//            its kept items side by side at its front, and the rejected items behind them where they are wanted
//   finish   the warp copies its run to the indices that the prefix gives, neighbouring lanes to neighbouring addresses
#pragma once

#include "../../../core/cuda/io/register_strip.cuh"
#include "../../../core/cuda/io/warp_copy.cuh"
#include "../../../core/cuda/pipeline/pipeline_block.cuh"

#include "../compact_job.hpp"

namespace onepass::detail {

// The warps of a block that reduce and finish compactions by a predicate, and a lane's strip. More reducers ask predicates
// that take long sooner, with shorter strips. From docs/history/performance-log.md, "Predicates that look something up,
// and predicates that take long".
struct compact_crew {
  int reducers, finishers, strip_bytes;
};
constexpr compact_crew plain_compact_crew{8, 8, compact_strip_bytes};
constexpr compact_crew predicate_crew(std::size_t item_size, bool takes_rejected, bool looks_up) {
  if (looks_up) return {16, item_size <= 2 ? 8 : 4, 48};
  if (item_size > 16) return plain_compact_crew;
  if (!takes_rejected && item_size > 2 && item_size <= 8) return {12, 6, 80};
  return {16, item_size <= 2 ? 8 : 4, 80};
}
constexpr compact_crew three_way_crew(std::size_t item_size, bool looks_up) {
  return {16, item_size <= 2 ? 8 : 4, looks_up || item_size <= 2 ? 48 : 80};
}

// How many of a run's items precede a share, and how many it has in all.
struct items_of_run {
  unsigned before, all;
};
// The counts of a tile's shares, and the runs that they are in. A count may be two of 16 bits each.
template <class Shape>
struct share_counts {
  static constexpr int each = Shape::shares_each, run_items = each * Shape::share_items;
  static_assert(run_items < 1 << 16, "two counts share a word");
  unsigned of[Shape::warps];

  // Called by a reducer with its share's count, when its lanes have read their strips. Returns when all reducers of the
  // run, or with `of_tile` of the tile, have read theirs: then they may overwrite them.
  template <bool of_tile>
  __device__ items_of_run exchange(int warp, unsigned count) {
    if (lane_id() == 0) of[warp] = count;
    const int first = warp / each * each;
    if constexpr (of_tile) barrier_of_warps<2, Shape::warps>();
    else if constexpr (each > 1) barrier_of_warps<each>(2 + warp / each);
    else __syncwarp();
    items_of_run run{0, 0};
#pragma unroll
    for (int w = first; w < first + each; ++w) {
      const unsigned here = each == 1 ? count : of[w];
      if (w < warp) run.before += here;
      run.all += here;
    }
    return run;
  }
  // What a finisher's run has.
  __device__ unsigned of_run(int finisher) const {
    unsigned all = 0;
#pragma unroll
    for (int w = 0; w < each; ++w) all += of[finisher * each + w];
    return all;
  }
};

template <class Job, bool looks_up = Job::source_type::looks_up>
struct pipeline_compact {
  using source = typename Job::source_type;
  using item = typename Job::item;
  static constexpr bool takes_rejected = Job::outputs_type::takes_rejected;
  // Flags and neighbours are asked quickly: there longer strips are faster.
  static constexpr bool by_predicate = source::streams == 1 && !source::keeps_first;
  static constexpr compact_crew crew =
      by_predicate ? predicate_crew(sizeof(item), takes_rejected, looks_up) : plain_compact_crew;

  static constexpr int most_vectors =
      std::max(1, crew.strip_bytes / (items_per_vector<item> * static_cast<int>(sizeof(item))));
  using shape =
      strip_shape<source, crew.reducers * sizeof(unsigned), most_vectors, crew.reducers, crew.finishers, looks_up>;
  using slot = share_counts<shape>;  // how many items of each share are kept
  using tile = staged_tile<Job, shape>;
  static constexpr bool fits = shape::stages >= 3 && sizeof(item) <= 32;
  static constexpr index_t least_items() {
    // From docs/history/performance-log.md, "Predicates that look something up, and predicates that take long".
    if (by_predicate && sizeof(item) == 1) return takes_rejected ? index_t{3} << 22 : index_t{3} << 21;
    return compact_pipeline_least_items(shape::bits_per_item / 8, sizeof(item));
  }
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  // Run by a reducer warp. Lane l gets how many items of lanes 0 to l are kept.
  template <bool aligned>
  static __device__ unsigned reduce(const tile& t, slot& s, int warp) {
    const int begin = (warp * warp_size + lane_id()) * shape::strip_items;
    strip items;
    const flags kept = load<aligned>(t, begin, items);
    sum add;
    const unsigned own = kept.count(), inclusive = warp_inclusive_scan(own, add);
    // The item before a tile's share is read by another warp.
    constexpr bool reads_before = source::shape_of(0).items_before > 0;
    items_of_run run = s.template exchange<reads_before>(warp, detail::shuffle_from(inclusive, warp_size - 1));
    run.before += inclusive - own;
    put_side_by_side(t, warp / shape::shares_each * slot::run_items, begin, kept, items, run);
    fence_before_copies();  // the next tile of this slot is copied to where kept items have been written
    return inclusive;
  }

  // Run by a finisher warp. `before`: how many items are kept before its run.
  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<index_t> before, bool,
                                bool is_last) {
    const int begin = warp * slot::run_items;
    const auto kept = static_cast<int>(s.of_run(warp));
    const index_t kept_before = before ? *before : 0;
    const auto* items = static_cast<const item*>(t.first_item()) + begin;
    detail::copy_run(items, kept, t.job().outputs.kept, kept_before);
    if constexpr (takes_rejected) {
      const int rejected = min(slot::run_items, t.count() - begin) - kept;
      detail::copy_run(items + kept, rejected, t.job().outputs.rejected, t.first() + begin - kept_before);
    }
    if (is_last && warp == shape::finishers - 1 && lane_id() == 0 && t.job().count != nullptr) {
      *t.job().count = kept_before + kept;
    }
  }

 private:
  static constexpr int V = shape::vector;
  using strip = register_strip<item, shape>;
  using flags = strip_flags<shape>;

  // Loads a strip and returns which of its items are kept. Items behind the end are not kept, and the rule is not asked
  // about them.
  template <bool aligned>
  static __device__ flags load(const tile& t, int begin, strip& items) {
    auto rule = t.template source<aligned>();
    flags kept;
    items.load(
        rule.it, begin, t.count(), [&](int r, const item(&x)[V]) { kept.put_row(r, rule.keep_row(begin + r * V, x)); },
        [&](int r, int j, const item& x) {
          kept.put_row(r, static_cast<unsigned>(rule.keeps(begin + r * V + j, x)) << j);
        });
    return kept;
  }

  // `first`: the run's first item. `run.before`: how many kept items of the run precede this strip, which begins at
  // item `begin`.
  static __device__ void put_side_by_side(const tile& t, int first, int begin, const flags& kept, const strip& items,
                                          items_of_run run) {
    auto* const to_run = static_cast<item*>(t.first_item()) + first;
    item* to = to_run + run.before;
    item* rejected_to = to_run + (run.all + static_cast<unsigned>(begin - first) - run.before);
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (kept.at(r, j)) *to++ = items.item(r, j);
        else if (takes_rejected && begin + r * V + j < t.count()) *rejected_to++ = items.item(r, j);
      }
    }
  }
};

// The pipeline's work for a compaction. Other kinds of compaction specialise it.
template <class Job>
struct compaction_work {
  using type = pipeline_compact<Job>;
};
// Whether the pipeline can run a compaction. Its items, and its stencil, have to be plain arrays.
template <class Job, class = void>
constexpr bool is_pipelined_compaction = false;
template <class Job>
constexpr bool is_pipelined_compaction<Job, std::enable_if_t<Job::source_type::stageable>> =
    compaction_work<Job>::type::fits;

}  // namespace onepass::detail
