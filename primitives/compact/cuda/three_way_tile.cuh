// SPDX-License-Identifier: Apache-2.0
// A block's work on one tile of a partition to three ranges:
//   begin    loads the items, asks of which kind they are, scans the counts, and puts the items of each kind side by side
//            in shared memory
//   finish   copies them to the indices that the tile's prefix gives, coalesced
#pragma once

#include "../three_way_job.hpp"
#include "compact_tile.cuh"

namespace onepass::detail {

template <class Job, tile_tuning (*tuning_of)(std::size_t)>
class three_way_tile {
  using item = typename Job::item;
  using counts = typename Job::value_type;
  using shape = tile_shape<tuning_of, item>;
  static constexpr int vector = shape::vector, row_items = shape::row_items, rows = shape::rows, warps = shape::warps;

 public:
  static constexpr int threads = shape::threads, blocks = shape::blocks, items = shape::items;
  static_assert(items < 1 << 16, "two counts share a word");

  struct shared {
    alignas(16) alignas(item) unsigned char stage[items * sizeof(item)];
    unsigned totals[warps];
  };

  // Contains one barrier of the block. Returns the tile's counts to all threads.
  __device__ two_counts<std::uint32_t> begin(const Job& job, index_t tile_begin, shared& s) {
    item x[rows][vector];
    unsigned kind[rows];
    const index_t there = job.n - tile_begin;
    size_ = static_cast<unsigned>(there < items ? there : items);
    load(job, tile_begin, x, kind);
    unsigned before[rows];
    // Behind its barrier no thread copies the last tile out of the stage any more.
    const items_of_warps counted = count_warps(count_before(kind, before), s.totals);
    count_ = counted.all;
    stage_items(kind, before, counted.before, x, s);
    return {first_of(count_), second_of(count_)};
  }

  __device__ void finish(const Job& job, index_t tile_begin, const ::cuda::std::optional<counts>& prefix, bool is_last,
                         shared& s) {
    const item* const stage = reinterpret_cast<const item*>(s.stage);
    const counts before = prefix ? *prefix : counts{0, 0};
    const unsigned first = first_of(count_), second = second_of(count_), rest = size_ - first - second;
    copy(stage, job.out_first, before.first, first);
    copy(stage + first, job.out_second, before.second, second);
    copy(stage + first + second, job.out_rest, tile_begin - before.first - before.second, rest);
    if (is_last && threadIdx.x == 0) job.counts[0] = before.first + first, job.counts[1] = before.second + second;
  }

 private:
  // Two counts in a word: of the first kind in its lower half, of the second in its upper one.
  static __device__ unsigned first_of(unsigned both) { return both & 0xffff; }
  static __device__ unsigned second_of(unsigned both) { return both >> 16; }
  static constexpr unsigned one_first = 1, one_second = 1u << 16;

  static __device__ unsigned offset(int row) {
    return static_cast<unsigned>((warp_id() * rows + row) * row_items + lane_id() * vector);
  }

  // Loads the items. Bits j and 16 + j of kind[r] say whether item j of the row is of the first or second kind. Items
  // behind the end are of neither.
  __device__ void load(const Job& job, index_t tile_begin, item (&x)[rows][vector], unsigned (&kind)[rows]) {
    static_assert(vector <= 16, "a row's kinds have a word");
    auto kinds = job.kinds;
    const bool is_full = size_ == items;
    if (is_full) {
#pragma unroll
      for (int r = 0; r < rows; ++r) detail::load_row(job.source.it, tile_begin + offset(r), x[r]);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      kind[r] = 0;
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        const unsigned at = offset(r) + j;
        if (!is_full && at < size_) x[r][j] = job.source.it[tile_begin + at];
        if (!is_full && at >= size_) continue;
        const int k = kinds.of(x[r][j]);
        kind[r] |= (k == 0 ? one_first : k == 1 ? one_second : 0) << j;
      }
    }
  }

  // before[r]: how many items of the warp precede this lane's items of row r, of each kind. Returns how many the warp has.
  static __device__ unsigned count_before(const unsigned (&kind)[rows], unsigned (&before)[rows]) {
    sum add;
    unsigned total = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const unsigned own = __popc(first_of(kind[r])) * one_first + __popc(second_of(kind[r])) * one_second;
      const unsigned inclusive = warp_inclusive_scan(own, add);
      before[r] = total + inclusive - own;
      total += detail::shuffle_from(inclusive, warp_size - 1);
    }
    return total;
  }

  __device__ void stage_items(const unsigned (&kind)[rows], const unsigned (&before)[rows], unsigned warps_before,
                              const item (&x)[rows][vector], shared& s) {
    item* const stage = reinterpret_cast<item*>(s.stage);
    const unsigned first = first_of(count_), both = first + second_of(count_);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned rank = warps_before + before[r];
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        const unsigned at = offset(r) + j;
        if (at >= size_) continue;
        const unsigned own = kind[r] >> j & (one_first | one_second);
        const unsigned to = own == one_first    ? first_of(rank)
                            : own == one_second ? first + second_of(rank)
                                                : both + (at - first_of(rank) - second_of(rank));
        detail::construct(stage + to, x[r][j]);
        rank += own;
      }
    }
  }

  template <class Out>
  static __device__ void copy(const item* stage, Out out, index_t to, unsigned size) {
    for (unsigned i = threadIdx.x; i < size; i += threads) out[to + i] = stage[i];
  }

  unsigned count_;  // how many items of the first two kinds the tile has
  unsigned size_;   // and in all
};

}  // namespace onepass::detail
