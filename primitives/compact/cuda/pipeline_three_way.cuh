// SPDX-License-Identifier: Apache-2.0
// The work of a partition to three ranges on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh). As that of a
// compaction (pipeline_compact.cuh), with three kinds of items in a warp's share.
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

// A bit for each item of a strip. A row's bits lie in one word.
template <class Shape>
struct strip_flags {
  unsigned words[divide_up(Shape::strip_items, 32)] = {};
  __device__ void put_row(int row, unsigned bits) {
    words[row * Shape::vector / 32] |= bits << (row * Shape::vector % 32);
  }
  __device__ bool at(int row, int j) const {
    return words[row * Shape::vector / 32] >> (row * Shape::vector % 32 + j) & 1;
  }
  __device__ unsigned count() const {
    unsigned all = 0;
#pragma unroll
    for (const unsigned word : words) all += __popc(word);
    return all;
  }
};

// A strip in registers.
template <class Item, class Shape>
class register_strip {
  static constexpr int V = Shape::vector;

 public:
  // Loads the items from `begin` on, as far as there are any before `end`. Calls see_row(row, items) for each row where
  // the strip is whole, and see_item(row, j, item) for each item where it is not.
  template <class It, class SeeRow, class SeeItem>
  __device__ void load(const It& it, int begin, int end, SeeRow see_row, SeeItem see_item) {
    const bool is_whole = begin + Shape::strip_items <= end;
    if (is_whole) {
#pragma unroll
      for (int r = 0; r < Shape::vectors; ++r) {
        Item x[V];
        detail::load_row(it, begin + r * V, x);
        see_row(r, x);
        rows_[r].set(x);
      }
    } else {
#pragma unroll
      for (int r = 0; r < Shape::vectors; ++r) {
        Item x[V];
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (begin + r * V + j >= end) continue;
          x[j] = it[begin + r * V + j];
          see_item(r, j, x[j]);
        }
        rows_[r].set(x);
      }
    }
  }
  __device__ decltype(auto) item(int row, int j) const { return rows_[row].item(j); }

 private:
  register_row<Item, V> rows_[Shape::vectors];
};

template <class Job>
struct pipeline_three_way {
  using source = typename Job::source_type;
  using item = typename Job::item;
  using counts = typename Job::value_type;
  using stored = typename Job::stored_type;

  struct slot {
    packed_counts in_share[8];
  };
  static constexpr int most_vectors = compact_strip_bytes / (items_per_vector<item> * static_cast<int>(sizeof(item)));
  // Beside its slot, a stage has two pairs of counts a warp.
  using shape = strip_shape<source, sizeof(slot) + 16 * sizeof(stored), most_vectors>;
  static_assert(shape::share_items < 1 << 16, "two counts share a word");
  using tile = staged_tile<Job, shape>;
  // Smaller items stay with the tile driver: it has more warps to ask predicates that take long. Larger ones are faster
  // there anyway (docs/history/performance-log.md, "Partitions to three ranges by the pipeline").
  static constexpr bool fits = shape::stages >= 3 && sizeof(item) > 4 && sizeof(item) <= 8;
  static constexpr index_t least_items() {
    return compact_pipeline_least_items(shape::bits_per_item / 8, sizeof(item));
  }
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  template <bool aligned>
  static __device__ stored reduce(const tile& t, slot& s, int warp) {
    const int begin = (warp * warp_size + lane_id()) * shape::strip_items;
    items_type items;
    flags first, second;
    load<aligned>(t, begin, items, first, second);
    sum add;
    const unsigned own = first.count() | second.count() << 16, inclusive = warp_inclusive_scan(own, add);
    const packed_counts total{detail::shuffle_from(inclusive, warp_size - 1)};
    if (lane_id() == 0) s.in_share[warp] = total;
    __syncwarp();  // all lanes have read what others will overwrite
    put_side_by_side(t, warp * shape::share_items, begin, first, second, items, {inclusive - own}, total);
    fence_before_copies();  // the next tile of this slot is copied to where items have been written
    const packed_counts counted{inclusive};
    return {counted.first(), counted.second()};
  }

  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<counts> prefix, bool,
                                bool is_last) {
    const int share = warp * shape::share_items;
    const auto first = static_cast<int>(s.in_share[warp].first()), second = static_cast<int>(s.in_share[warp].second());
    const int rest = min(shape::share_items, t.count() - share) - first - second;
    const counts before = prefix ? *prefix : counts{0, 0};
    const auto* items = static_cast<const item*>(t.first_item()) + share;
    detail::copy_run(items, first, t.job().out_first, before.first);
    detail::copy_run(items + first, second, t.job().out_second, before.second);
    detail::copy_run(items + first + second, rest, t.job().out_rest, t.first() + share - before.first - before.second);
    if (is_last && warp == shape::warps - 1 && lane_id() == 0) {
      t.job().counts[0] = before.first + first, t.job().counts[1] = before.second + second;
    }
  }

 private:
  static constexpr int V = shape::vector;
  using items_type = register_strip<item, shape>;
  using flags = strip_flags<shape>;

  // Loads a strip, and asks for the kinds of its items. Items behind the end are of no kind.
  template <bool aligned>
  static __device__ void load(const tile& t, int begin, items_type& items, flags& first, flags& second) {
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

  // `before`: how many items of the share precede this strip. `total`: how many the share has.
  static __device__ void put_side_by_side(const tile& t, int share, int begin, const flags& first, const flags& second,
                                          const items_type& items, packed_counts before, packed_counts total) {
    auto* const to = static_cast<item*>(t.first_item()) + share;
    item* to_first = to + before.first();
    item* to_second = to + total.first() + before.second();
    item* to_rest =
        to + total.first() + total.second() + (static_cast<unsigned>(begin - share) - before.first() - before.second());
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

// Whether the pipeline can run a partition to three ranges: its items have to be a plain array.
template <class Job, class = void>
struct long_three_way {
  using driver = none;
};
template <class Job>
struct long_three_way<Job, std::enable_if_t<Job::source_type::stageable && pipeline_three_way<Job>::fits>> {
  using driver = pipeline<Job, pipeline_three_way<Job>>;
};

}  // namespace onepass::detail
