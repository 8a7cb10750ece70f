// SPDX-License-Identifier: Apache-2.0
// The kernel of columns, and the launches. The work of a block is in core/columns/column_block.cuh, that on short columns in
// core/columns/short_columns.cuh.
#pragma once

#include "../cuda/runtime/cuda_call_memory.cuh"
#include "column_block.cuh"
#include "short_columns.cuh"

namespace onepass::detail {

// `sized` means the same as for tile_driver_kernel (core/cuda/tile_driver/tile_driver.cuh).
template <class Job, bool sized>
__global__ void __launch_bounds__(column_tuning<typename Job::value_type>::threads,
                                  column_tuning<typename Job::value_type>::blocks)
    column_kernel(const __grid_constant__ Job job, const __grid_constant__ tile_memory memory,
                  typename Job::value_type* values, item_count size) {
  extern __shared__ __align__(16) unsigned char column_memory[];
  auto& s = *reinterpret_cast<column_shared<Job>*>(column_memory);
  wait_for_previous_kernel();
  if constexpr (sized) {
    Job sized_job = job;
    sized_job.shape.n = size.get();
    if (sized_job.shape.n > 0) column_block<Job>(sized_job, memory, values, s).run();
  } else {
    column_block<Job>(job, memory, values, s).run();
  }
}

// Enqueues a job. prepare() is called before, when the call has its memory.
template <class Job, class Policy, class Prepare>
void run_columns_on_cuda(const char* call, const Policy& policy, const Job& job, Prepare prepare) {
  using value = typename Job::value_type;
  using tuning = column_tuning<value>;
  using table = descriptor_table<value, on_device>;
  if (job.shape.n == 0) return;
  const auto grid = column_grid::of<tuning>(job.shape);
  const index_t slots = column_grid::slots<tuning>(job.shape);
  // A workspace for n items has to be enough for fewer, too, which may not be short columns of many arrays.
  const bool are_short = are_short_columns<value>(job.shape, grid), needs_slots = !are_short || is_measuring(policy);
  if (needs_slots && std::max(slots, are_short ? 0 : grid.tiles()) >= most_tiles)
    throw invalid_argument(call, "more items than one call can take");
  layout scratch;
  const std::size_t values = table::apart && needs_slots ? scratch.add<value>(slots) : 0;
  const cuda_call_memory memory(call, policy, {needs_slots ? static_cast<std::size_t>(slots) : 0, scratch.bytes()});
  if (memory.measuring()) return;
  prepare();
  if (are_short) return launch_short_columns(call, policy, job);
  const auto kernel = column_kernel<Job, is_sized<Policy>>;
  constexpr std::size_t shared = sizeof(column_shared<Job>);
  const resident_blocks resident(kernel, tuning::threads, shared);
  const unsigned blocks = std::min(static_cast<unsigned>(grid.tiles()), resident.on_this_device(call));
  auto* apart = table::apart ? section<value>(memory.scratch(), values) : nullptr;
  kernel_launch::dependent(call, resident, kernel, blocks, tuning::threads, shared, policy.stream(), job,
                           memory.tiles(), apart, count_of(policy, job.shape.n));
}

}  // namespace onepass::detail
