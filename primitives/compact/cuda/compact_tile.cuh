// SPDX-License-Identifier: Apache-2.0
// A block's work on one tile of a compaction:
//   begin    loads the items, calls the predicate, scans the counts, and puts the kept items side by side in shared
//            memory; the rejected items go behind them where they are wanted
//   finish   copies them to the indices that the tile's prefix gives, coalesced
// Between the two steps the tile holds nothing in registers, and its part of the input may be overwritten.
#pragma once

#include "../../../core/support/construct.hpp"
#include "../../../core/cuda/tile_driver/tile_tuning.cuh"
#include "../../../core/cuda/io/vector_access.cuh"
#include "../../../core/cuda/io/warp.cuh"
#include "../compact_job.hpp"

namespace onepass::detail {

// How many items of a block precede those of this warp, and how many it has in all.
struct items_of_warps {
  unsigned before, all;
};
// By all warps, each with its number of items. Contains one barrier of the block.
template <int warps>
__device__ items_of_warps count_warps(unsigned of_warp, unsigned (&totals)[warps]) {
  if (lane_id() == 0) totals[warp_id()] = of_warp;
  __syncthreads();
  sum add;
  const unsigned inclusive = warp_inclusive_scan(totals[lane_id() < warps ? lane_id() : warps - 1], add);
  return {warp_id() > 0 ? detail::shuffle_from(inclusive, warp_id() - 1) : 0,
          detail::shuffle_from(inclusive, warps - 1)};
}

template <class Job>
class compact_tile {
  using item = typename Job::item;
  using shape = tile_shape<compact_tuning, item>;
  static constexpr int vector = shape::vector, row_items = shape::row_items, rows = shape::rows, warps = shape::warps;

 public:
  static constexpr int threads = shape::threads, blocks = shape::blocks, items = shape::items;

  struct shared {
    alignas(16) alignas(item) unsigned char stage[items * sizeof(item)];
    unsigned totals[warps];
  };

  // Contains one barrier of the block. Returns the number of kept items to all threads.
  __device__ unsigned begin(const Job& job, index_t tile_begin, shared& s) {
    item x[rows][vector];
    const bits kept = load(job, tile_begin, x);
    unsigned before[rows];
    // Behind its barrier no thread copies the last tile out of the stage any more.
    const items_of_warps counted = count_warps(count_before(kept, before), s.totals);
    count_ = counted.all;
    stage_items(job, tile_begin, kept, before, counted.before, x, s);
    return count_;
  }

  __device__ void finish(const Job& job, index_t tile_begin, const ::cuda::std::optional<index_t>& prefix, bool is_last,
                         shared& s) {
    const item* stage = reinterpret_cast<const item*>(s.stage);
    const index_t kept_before = prefix ? *prefix : 0;
    for (unsigned i = threadIdx.x; i < count_; i += threads) job.outputs.kept[kept_before + i] = stage[i];
    if constexpr (Job::outputs_type::takes_rejected) {
      const index_t there = job.n - tile_begin;
      const auto size = static_cast<unsigned>(there < items ? there : items);
      const index_t rejected_before = tile_begin - kept_before;
      for (unsigned i = count_ + threadIdx.x; i < size; i += threads) {
        job.outputs.rejected[rejected_before + (i - count_)] = stage[i];
      }
    }
    if (is_last && threadIdx.x == 0 && job.count != nullptr) *job.count = kept_before + count_;
  }

 private:
  using bits = std::conditional_t<(rows * vector <= 32), std::uint32_t, std::uint64_t>;

  static __device__ int offset(int row) { return (warp_id() * rows + row) * row_items + lane_id() * vector; }

  // Loads the items. Bit row * vector + j of the result says whether item j of the row is kept. Items behind the end
  // are not kept.
  __device__ bits load(const Job& job, index_t tile_begin, item (&x)[rows][vector]) {
    auto rule = job.rule;
    bits kept = 0;
    if (tile_begin + items <= job.n) {
#pragma unroll
      for (int r = 0; r < rows; ++r) detail::load_row(job.rule.it, tile_begin + offset(r), x[r]);
#pragma unroll
      for (int i = 0; i < rows * vector; ++i) {
        const int r = i / vector, j = i % vector;
        kept |= static_cast<bits>(rule.keeps(tile_begin + offset(r) + j, x[r][j])) << i;
      }
    } else {
#pragma unroll
      for (int i = 0; i < rows * vector; ++i) {
        const int r = i / vector, j = i % vector;
        const index_t at = tile_begin + offset(r) + j;
        if (at < job.n) {
          x[r][j] = job.rule.it[at];
          kept |= static_cast<bits>(rule.keeps(at, x[r][j])) << i;
        }
      }
    }
    return kept;
  }

  // before[r]: how many kept items of the warp precede this lane's items of row r. Returns how many items of the warp
  // are kept. Counts two rows at a time, one in each half of a word: a row has at most 512 items.
  static __device__ unsigned count_before(bits kept, unsigned (&before)[rows]) {
    constexpr unsigned half = 0xffff;
    sum add;
    unsigned total = 0;
#pragma unroll
    for (int r = 0; r < rows; r += 2) {
      const unsigned a = count_of_row(kept, r), b = r + 1 < rows ? count_of_row(kept, r + 1) : 0;
      const unsigned own = a | b << 16, inclusive = warp_inclusive_scan(own, add),
                     sums = detail::shuffle_from(inclusive, warp_size - 1);
      before[r] = total + ((inclusive - own) & half);
      total += sums & half;
      if (r + 1 < rows) before[r + 1] = total + ((inclusive - own) >> 16);
      total += sums >> 16;
    }
    return total;
  }
  static __device__ unsigned count_of_row(bits kept, int row) {
    constexpr unsigned mask = vector == 32 ? ~0u : (1u << vector) - 1;
    return __popc(static_cast<unsigned>(kept >> (row * vector)) & mask);
  }

  // Puts the kept items at the front of the stage, and the rejected ones, where they are wanted, behind them.
  __device__ void stage_items(const Job& job, index_t tile_begin, bits kept, const unsigned (&before)[rows],
                              unsigned warps_before, const item (&x)[rows][vector], shared& s) {
    item* stage = reinterpret_cast<item*>(s.stage);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned rank = warps_before + before[r];
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        if (kept >> (r * vector + j) & 1) {
          detail::construct(stage + rank++, x[r][j]);
        } else if (Job::outputs_type::takes_rejected && tile_begin + offset(r) + j < job.n) {
          detail::construct(stage + (count_ + static_cast<unsigned>(offset(r) + j) - rank), x[r][j]);
        }
      }
    }
  }

  unsigned count_;  // how many items of the tile are kept
};

}  // namespace onepass::detail
