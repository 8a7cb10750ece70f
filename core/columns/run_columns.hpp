// SPDX-License-Identifier: Apache-2.0
// Runs a job on columns on the backend that a policy names.
#pragma once

#include <algorithm>

#include "../cpu/driver/cpu_call_memory.hpp"
#include "cpu_columns.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda_columns.cuh"
#endif

namespace onepass::detail {

inline void check_columns(const char* call, const column_segments& columns) {
  if (columns.width < 1) throw invalid_argument(call, "a row of columns has less than one item");
  if (columns.height < 1) throw invalid_argument(call, "a column has less than one item");
}
// The columns of n items, at least one. What is larger than the input is cut to it.
inline column_shape shape_of(const column_segments& columns, index_t n) {
  const index_t width = std::min(columns.width, n);
  return {width, std::min(columns.height, divide_up(n, width)), n};
}

// prepare() is called before the job, when the call has its memory.
template <class Job, class Policy, class Prepare>
void run_columns(const char* call, const Policy& policy, const Job& job, Prepare prepare) {
  check_backend<Policy>();
  if constexpr (!on_cuda<Policy>) {
    const cpu_call_memory memory(call, policy, 0);
    if (memory.measuring()) return;
    prepare();
    Job now = job;
    now.shape.n = items_now(policy, job.shape.n);
    detail::run_columns_on_cpu(now, policy.threads());
  } else {
#if ONEPASS_HAS_CUDA
    run_columns_on_cuda(call, policy, job, prepare);
#endif
  }
}

}  // namespace onepass::detail
