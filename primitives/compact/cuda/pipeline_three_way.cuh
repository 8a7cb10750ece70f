// SPDX-License-Identifier: Apache-2.0
// The work of a partition to three ranges on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh). As that of a
// compaction (pipeline_compact.cuh), with three kinds of items in a run.
#pragma once

#include "../../../core/cuda/pipeline/pipeline.cuh"

#include "../three_way_job.hpp"
#include "pipeline_compact.cuh"

namespace onepass::detail {

// How many items there are of the first two kinds: two counts of 16 bits in a word.
struct packed_counts {
  unsigned both;
  __device__ unsigned first() const { return both & 0xffff; }
  __device__ unsigned second() const { return both >> 16; }
};

template <class Job, bool looks_up = Job::kinds_type::looks_up>
struct pipeline_three_way {
  using source = typename Job::source_type;
  using item = typename Job::item;
  using counts = typename Job::value_type;
  using stored = typename Job::stored_type;

  static constexpr compact_crew crew = three_way_crew(sizeof(item), looks_up);
  static constexpr int most_vectors = crew.strip_bytes / (items_per_vector<item> * static_cast<int>(sizeof(item)));
  // Beside its slot, a stage has two pairs of counts a warp.
  using shape = strip_shape<source, crew.reducers*(sizeof(packed_counts) + 2 * sizeof(stored)), most_vectors,
                            crew.reducers, crew.finishers, looks_up>;
  using slot = share_counts<shape>;  // packed_counts
  using tile = staged_tile<Job, shape>;
  // Bytes stay with the tile driver, which has more warps to ask predicates that take long. From
  // docs/history/performance-log.md, "Predicates that look something up, and predicates that take long".
  static constexpr bool fits = shape::stages >= 3 && sizeof(item) > 1 && sizeof(item) <= 16;
  static constexpr index_t least_items() {
    if (sizeof(item) == 2) return index_t{3} << 20;
    return compact_pipeline_least_items(shape::bits_per_item / 8, sizeof(item));
  }
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  template <bool aligned>
  static __device__ stored reduce(const tile& t, slot& s, int warp) {
    const int begin = (warp * warp_size + lane_id()) * shape::strip_items;
    strip items;
    flags first, second;
    load<aligned>(t, begin, items, first, second);
    sum add;
    const unsigned own = first.count() | second.count() << 16, inclusive = warp_inclusive_scan(own, add);
    items_of_run run = s.template exchange<false>(warp, detail::shuffle_from(inclusive, warp_size - 1));
    run.before += inclusive - own;
    put_side_by_side(t, warp / shape::shares_each * slot::run_items, begin, first, second, items, run);
    fence_before_copies();  // the next tile of this slot is copied to where items have been written
    const packed_counts counted{inclusive};
    return {counted.first(), counted.second()};
  }

  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<counts> prefix, bool,
                                bool is_last) {
    const int begin = warp * slot::run_items;
    const packed_counts run{s.of_run(warp)};
    const auto first = static_cast<int>(run.first()), second = static_cast<int>(run.second());
    const int rest = min(slot::run_items, t.count() - begin) - first - second;
    const counts before = prefix ? *prefix : counts{0, 0};
    const auto* items = static_cast<const item*>(t.first_item()) + begin;
    detail::copy_run(items, first, t.job().out_first, before.first);
    detail::copy_run(items + first, second, t.job().out_second, before.second);
    detail::copy_run(items + first + second, rest, t.job().out_rest, t.first() + begin - before.first - before.second);
    if (is_last && warp == shape::finishers - 1 && lane_id() == 0) {
      t.job().counts[0] = before.first + first, t.job().counts[1] = before.second + second;
    }
  }

 private:
  static constexpr int V = shape::vector;
  using strip = register_strip<item, shape>;
  using flags = strip_flags<shape>;

  // Loads a strip, and asks for the kinds of its items. Items behind the end are of no kind.
  template <bool aligned>
  static __device__ void load(const tile& t, int begin, strip& items, flags& first, flags& second) {
    auto kinds = t.job().kinds;
    const auto see = [&](int r, int j, const item& x) {
      const int kind = kinds.of(x);
      first.put_row(r, static_cast<unsigned>(kind == 0) << j);
      second.put_row(r, static_cast<unsigned>(kind == 1) << j);
    };
    items.load(
        t.template source<aligned>().it, begin, t.count(),
        [&](int r, const item(&x)[V]) {
#pragma unroll
          for (int j = 0; j < V; ++j) see(r, j, x[j]);
        },
        see);
  }

  // As that of a compaction (pipeline_compact.cuh).
  static __device__ void put_side_by_side(const tile& t, int run_begin, int begin, const flags& first,
                                          const flags& second, const strip& items, items_of_run run) {
    auto* const to = static_cast<item*>(t.first_item()) + run_begin;
    const packed_counts before{run.before}, all{run.all};
    item* to_first = to + before.first();
    item* to_second = to + all.first() + before.second();
    item* to_rest =
        to + all.first() + all.second() + (static_cast<unsigned>(begin - run_begin) - before.first() - before.second());
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (first.at(r, j)) *to_first++ = items.item(r, j);
        else if (second.at(r, j)) *to_second++ = items.item(r, j);
        else if (begin + r * V + j < t.count()) *to_rest++ = items.item(r, j);
      }
    }
  }
};

// Whether the pipeline can run a partition to three ranges: its items have to be a plain array. Of others pipeline_three_way
// does not compile, so it is named behind that question alone.
template <class Job, class = void>
constexpr bool is_pipelined_three_way = false;
template <class Job>
constexpr bool is_pipelined_three_way<Job, std::enable_if_t<Job::source_type::stageable>> =
    pipeline_three_way<Job>::fits;

template <class Job, class = void>
struct long_three_way {
  using driver = none;
};
template <class Job>
struct long_three_way<Job, std::enable_if_t<is_pipelined_three_way<Job>>> {
  using driver = pipeline<Job, pipeline_three_way<Job>>;
};

}  // namespace onepass::detail
