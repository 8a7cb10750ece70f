// SPDX-License-Identifier: Apache-2.0
// A compaction's work on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh):
//   reduce   each lane loads its strip into registers and finds which items are kept. The warp puts its kept items side
//            by side at the front of its share of the tile, and the rejected items behind them where they are wanted
//   finish   the warp copies its share to the indices that the prefix gives, neighbouring lanes to neighbouring
//            addresses
#pragma once

#include "../../../core/cuda/io/warp_copy.cuh"
#include "../../../core/cuda/pipeline/pipeline_block.cuh"

#include "../compact_job.hpp"

namespace onepass::detail {

// A row of items in registers. Small items stay packed in words; without this the compiler would unpack each item into
// a register of its own.
template <class T, int V, class = void>
class register_row {
 public:
  __device__ void set(const T (&items)[V]) {
#pragma unroll
    for (int j = 0; j < V; ++j) items_[j] = items[j];
  }
  __device__ const T& item(int j) const { return items_[j]; }

 private:
  T items_[V];
};
template <class T, int V>
class register_row<T, V, std::enable_if_t<(sizeof(T) < 4 && V * sizeof(T) == vector_bytes)>> {
 public:
  __device__ void set(const T (&items)[V]) {
    memcpy(words_, static_cast<const void*>(items), sizeof words_);
#pragma unroll
    for (unsigned& w : words_) asm volatile("" : "+r"(w));  // hides from the compiler which items are in the word
  }
  __device__ T item(int j) const {
    constexpr int per_word = 4 / sizeof(T);
    const unsigned word = words_[j / per_word] >> (8 * sizeof(T) * (j % per_word));
    T item;
    memcpy(static_cast<void*>(object_address(item)), &word, sizeof item);
    return item;
  }

 private:
  unsigned words_[4];
};

template <class Job>
struct pipeline_compact {
  using source = typename Job::source_type;
  using item = typename Job::item;
  static constexpr bool takes_rejected = Job::outputs_type::takes_rejected;

  struct slot {
    unsigned kept[8];  // how many items of each share are kept
  };
  static constexpr int most_vectors = compact_strip_bytes / (items_per_vector<item> * static_cast<int>(sizeof(item)));
  using shape = strip_shape<source, sizeof(slot), most_vectors>;
  using tile = staged_tile<Job, shape>;
  static constexpr bool fits = shape::stages >= 3 && sizeof(item) <= 32;
  static constexpr index_t least_items() {
    // Bytes by a predicate of the caller's: few warps ask it here, and with the rejected ones more is moved within a tile.
    // From docs/history/performance-log.md, "Predicates that take long".
    if (shape::bits_per_item == 8 && !source::keeps_first) return takes_rejected ? index_t{1} << 25 : index_t{3} << 21;
    return compact_pipeline_least_items(shape::bits_per_item / 8, sizeof(item));
  }
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  // Run by a reducer warp. Lane l gets how many items of lanes 0 to l are kept.
  template <bool aligned>
  static __device__ unsigned reduce(const tile& t, slot& s, int warp) {
    const int strip = warp * warp_size + lane_id();
    row rows[shape::vectors];
    const flags kept = load<aligned>(t, strip, rows);
    unsigned count = 0;
#pragma unroll
    for (const unsigned word : kept.words) count += __popc(word);
    sum add;
    const unsigned inclusive = warp_inclusive_scan(count, add), total = detail::shuffle_from(inclusive, warp_size - 1);
    if (lane_id() == 0) s.kept[warp] = total;
    // All lanes have read what others will overwrite: the strips of this share, and the item before a share.
    if constexpr (source::shape_of(0).items_before > 0) barrier_of_warps<2, shape::warps>();
    else __syncwarp();
    put_side_by_side(t, strip, kept, rows, inclusive - count, total);
    fence_before_copies();  // the next tile of this slot is copied to where kept items have been written
    return inclusive;
  }

  // Run by a finisher warp. `before`: how many items are kept before its share.
  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<index_t> before, bool,
                                bool is_last) {
    const int share = warp * shape::share_items;
    const auto kept = static_cast<int>(s.kept[warp]);
    const index_t kept_before = before ? *before : 0;
    const auto* items = static_cast<const item*>(t.first_item()) + share;
    detail::copy_run(items, kept, t.job().outputs.kept, kept_before);
    if constexpr (takes_rejected) {
      const int rejected = min(shape::share_items, t.count() - share) - kept;
      detail::copy_run(items + kept, rejected, t.job().outputs.rejected, t.first() + share - kept_before);
    }
    if (is_last && warp == shape::warps - 1 && lane_id() == 0 && t.job().count != nullptr) {
      *t.job().count = kept_before + kept;
    }
  }

 private:
  static constexpr int V = shape::vector;
  using row = register_row<item, V>;
  // Bit i says whether item i of the strip is kept. A row's bits lie in one word.
  struct flags {
    unsigned words[divide_up(shape::strip_items, 32)] = {};
    __device__ void put_row(int row, unsigned bits) { words[row * V / 32] |= bits << (row * V % 32); }
    __device__ bool at(int row, int j) const { return words[row * V / 32] >> (row * V % 32 + j) & 1; }
  };

  // Loads a strip and returns which of its items are kept. Items behind the end are not kept, and the rule is not asked
  // about them.
  template <bool aligned>
  static __device__ flags load(const tile& t, int strip, row (&rows)[shape::vectors]) {
    auto rule = t.template source<aligned>();
    const int begin = strip * shape::strip_items;
    flags kept;
    if (begin + shape::strip_items <= t.count()) {
#pragma unroll
      for (int r = 0; r < shape::vectors; ++r) {
        item x[V];
        detail::load_row(rule.it, begin + r * V, x);
        kept.put_row(r, rule.keep_row(begin + r * V, x));
        rows[r].set(x);
      }
    } else {
#pragma unroll
      for (int r = 0; r < shape::vectors; ++r) {
        item x[V];
        unsigned bits = 0;
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const int i = begin + r * V + j;
          if (i < t.count()) {
            x[j] = rule.it[i];
            bits |= static_cast<unsigned>(rule.keeps(i, x[j])) << j;
          }
        }
        kept.put_row(r, bits);
        rows[r].set(x);
      }
    }
    return kept;
  }

  // `before`: how many kept items of the share precede this strip. `total`: how many items of the share are kept.
  static __device__ void put_side_by_side(const tile& t, int strip, const flags& kept,
                                          const row (&rows)[shape::vectors], unsigned before, unsigned total) {
    const int begin = strip * shape::strip_items, share = strip / warp_size * shape::share_items;
    auto* items = static_cast<item*>(t.first_item()) + share;
    item* to = items + before;
    item* rejected_to = items + (total + static_cast<unsigned>(begin - share) - before);
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (kept.at(r, j)) *to++ = rows[r].item(j);
        else if (takes_rejected && begin + r * V + j < t.count()) *rejected_to++ = rows[r].item(j);
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
