// SPDX-License-Identifier: Apache-2.0
// Scans of rows that are no longer than a tile: each block scans some whole rows. They need nothing from other blocks, so
// there is no look-back, no ticket and no memory. For inputs that are too short for the pipeline: their time is that of one
// step after another. Bytes moved: n items read, n written.
#pragma once

#include <numeric>

#include "../cuda/tile_driver/scan_tile.cuh"
#include "../execution/scratch_layout.hpp"
#include "../cuda/runtime/launch.cuh"
#include "row_heads.hpp"

namespace onepass::detail {

// From docs/history/performance-log.md, "Scans of whole rows, and where the pipeline begins".
template <int threads>
constexpr tile_tuning whole_rows_tuning(std::size_t value_size) {
  return value_size <= 16 ? tile_tuning{threads, 64, 1024 / threads} : short_scan_tuning(value_size);
}
// Up to so many items, of which a scan reads `bits` each. More take the pipeline. Same section.
constexpr index_t most_in_whole_rows(int bits) { return bits < 32 ? index_t{3} << 20 : (index_t{3} << 26) / bits; }

// How many items a block of `most` items takes: of as many rows as fit. 0: too few fit for the block to be worth its time.
// The blocks' first items are a multiple of `vector` apart, unless that costs half of the block.
inline index_t items_of_whole_rows(index_t length, index_t most, index_t vector) {
  const index_t fit = most / length, together = vector / std::gcd(length, vector);
  const index_t aligned = fit / together * together * length, all = fit * length;
  return 2 * aligned >= most ? aligned : 2 * all >= most ? all : 0;
}

template <class Tile, class Job>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    whole_rows_kernel(const __grid_constant__ Job all, index_t tile_items, item_count size) {
  wait_for_previous_kernel();
  __shared__ typename Tile::shared s;
  const index_t begin = index_t{blockIdx.x} * tile_items, n = size.get();
  if (begin >= n) return;
  Job job = all;
  job.n = min(begin + tile_items, n);
  Tile work;
  (void)work.begin(job, begin, s);
  work.finish(job, begin, job.initial, true, s);
}

// Launches the scan of a job whose heads are heads_from_rows by blocks of `threads` threads, or of more, if its rows suit
// them and its items are not too many. Returns whether it has.
template <int threads, class Job, class Policy>
bool scan_whole_rows(const char* call, const Policy& policy, const Job& job) {
  using tile = scan_tile<Job, whole_rows_tuning<threads>, true>;
  if (job.n > most_in_whole_rows(8 * static_cast<int>(sizeof(typename Job::source_type::read_type)))) return false;
  const index_t step = detail::items_of_whole_rows(job.source.heads.length.value(), tile::items, tile::vector);
  if (step == 0) {
    if constexpr (tile::threads < threads || threads == 1024) return false;
    else return detail::scan_whole_rows<2 * threads>(call, policy, job);
  }
  const auto kernel = whole_rows_kernel<tile, Job>;
  kernel_launch::dependent(call, resident_blocks(kernel, tile::threads, 0), kernel,
                           dim3(static_cast<unsigned>(divide_up(job.n, step))), tile::threads, 0, policy.stream(), job,
                           step, count_of(policy, job.n));
  return true;
}

}  // namespace onepass::detail
