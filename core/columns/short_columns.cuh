// SPDX-License-Identifier: Apache-2.0
// Short columns of many arrays on CUDA: each thread goes down a whole column, whichever array that is of, and has nothing to
// tell other threads. So many small arrays take no longer than a large one. Bytes moved: each item once in and, in a scan,
// once out.
#pragma once

#include <algorithm>

#include "../cuda/runtime/launch.cuh"
#include "../execution/resolve_policy.hpp"
#include "../support/divisor.hpp"
#include "column_strip.cuh"

namespace onepass::detail {

// How many items of its column a thread loads at once.
template <class Value>
constexpr int column_step = std::min(column_tuning<Value>::strip, sizeof(Value) <= 8 ? 8 : 4);
constexpr int column_step_threads = 256;

template <class Job>
__device__ void go_down_columns(const Job& job, const divisor& width) {
  using value = typename Job::value_type;
  constexpr int step = column_step<value>;
  const column_shape& shape = job.shape;
  const index_t columns = shape.columns(), threads = static_cast<index_t>(gridDim.x) * column_step_threads;
  for (index_t c = static_cast<index_t>(blockIdx.x) * column_step_threads + threadIdx.x; c < columns; c += threads) {
    const index_t array = width.quotient(c), first = array * shape.array_items() + (c - array * shape.width);
    const index_t rows = shape.rows_from(first, shape.height);
    ::cuda::std::optional<value> before = job.initial;
    for (index_t row = 0; row < rows; row += step) {
      const auto count = static_cast<int>(min(rows - row, index_t{step}));
      column_strip<Job, step> strip(job, shape.width, first + row * shape.width, count);
      strip.load();
      if constexpr (Job::result == column_result::total) {
        auto op = job.op;
        before = static_cast<value>(op(*before, strip.combine()));
      } else {
        before = strip.scan(before);
        strip.store();
      }
    }
    if constexpr (Job::result == column_result::total) job.out[c] = *before;
  }
}

// `sized` means the same as for tile_driver_kernel (core/cuda/tile_driver/tile_driver.cuh).
template <class Job, bool sized>
__global__ void __launch_bounds__(column_step_threads, sizeof(typename Job::value_type) <= 16 ? 4 : 1)
    short_columns_kernel(const __grid_constant__ Job job, const divisor width, item_count size) {
  wait_for_previous_kernel();
  if constexpr (sized) {
    Job sized_job = job;
    sized_job.shape.n = size.get();
    if (sized_job.shape.n > 0) go_down_columns(sized_job, width);
  } else {
    go_down_columns(job, width);
  }
}

// Whether a thread for each column is better than tiles, most of whose threads would have no items. Few columns that are not
// so short are left to tiles, in which several threads share a column.
template <class Value>
bool are_short_columns(const column_shape& shape, const column_grid& grid) {
  if (shape.height <= column_step<Value>) return true;
  return shape.arrays() > 1 && 2 * shape.height <= grid.rows && shape.columns() / 64 >= shape.height;
}

template <class Job, class Policy>
void launch_short_columns(const char* call, const Policy& policy, const Job& job) {
  const auto kernel = short_columns_kernel<Job, is_sized<Policy>>;
  const resident_blocks resident(kernel, column_step_threads, 0);
  const auto blocks = static_cast<unsigned>(
      std::min<index_t>(divide_up(job.shape.columns(), index_t{column_step_threads}), resident.on_this_device(call)));
  kernel_launch::dependent(call, resident, kernel, blocks, column_step_threads, 0, policy.stream(), job,
                           divisor(job.shape.width), count_of(policy, job.shape.n));
}

}  // namespace onepass::detail
