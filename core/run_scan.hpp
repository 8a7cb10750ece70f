// SPDX-License-Identifier: Apache-2.0
// Runs a scan job on the backend that a policy names: describes its memory, gets it, launches. All families whose result
// is a scanned value for each item come through here.
#pragma once

#include "cpu/scan_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/driver.cuh"
#include "cuda/memory.cuh"
#include "cuda/scan_tile.cuh"
#endif

namespace onepass::detail {

template <class Policy>
void check_backend() {
  static_assert(ONEPASS_HAS_CUDA || !on_cuda<Policy>, "onepass: compile this file with nvcc to run it on CUDA");
}

// `scratch` describes what else the call needs; make_job(memory of that) gives the job, and may enqueue what prepares it.
template <class Job, class Policy, class MakeJob>
void run_scan(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job) {
  check_backend<Policy>();
  if constexpr (!on_cuda<Policy>) {
    const cpu_one_pass<cpu_scan_tile<Job>, Job> pass(call, n, policy.threads(), scratch);
    const cpu_lease lease(call, policy, scratch.bytes());
    if (lease.measuring() || n == 0) return;
    pass.run(make_job(lease.scratch()), lease.scratch());
  } else {
#if ONEPASS_HAS_CUDA
    const one_pass<scan_tile<Job>, Job> pass(call, n, scratch);
    if (n == 0) return;
    const cuda_lease lease(call, policy, {pass.tiles(), scratch.bytes()});
    if (lease.measuring()) return;
    pass.launch(make_job(lease.scratch()), policy.stream(), lease.tiles(), lease.scratch());
#endif
  }
}

template <class Job, class Policy>
void run_scan(const char* call, const Policy& policy, const Job& job) {
  run_scan<Job>(call, policy, job.n, layout(), [&](void*) { return job; });
}

}  // namespace onepass::detail
