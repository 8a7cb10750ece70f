// SPDX-License-Identifier: Apache-2.0
// Runs a scan job on the backend that a policy names: describes its memory, gets it, launches. All families whose result
// is a scanned value for each item come through here.
#pragma once

#include "cpu/scan_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/driver.cuh"
#include "cuda/memory.cuh"
#include "cuda/pipeline.cuh"
#include "cuda/scan_tile.cuh"
#endif

namespace onepass::detail {

template <class Policy>
void check_backend() {
  static_assert(ONEPASS_HAS_CUDA || !on_cuda<Policy>, "onepass: compile this file with nvcc to run it on CUDA");
}

// On the CPU, where the number of items is known when a call is made.
template <class Policy>
index_t items_now(const Policy& policy, index_t most) {
  return is_measuring(policy) ? most : count_of(policy, most).get();
}

#if ONEPASS_HAS_CUDA
// Whether a scan of n items goes through the pipeline on the current device.
template <class Job>
bool takes_pipeline(const char* call, index_t n) {
  if constexpr (pipeline_work<Job>::fits) return pipeline<Job, typename pipeline_work<Job>::type>::suits(call, n);
  else return false;
}

// By length: a block for every few items, a block for every many, or the pipeline. A workspace for n items serves fewer,
// too, so it has room for the tiles of each driver at the most items that it would be given. `is_long`: the scan is known to
// take the pipeline, so no kernel of another driver is compiled.
template <class Job, bool is_long, class Policy, class MakeJob, class After>
void run_scan_on_cuda(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job,
                      After after) {
  using short_pass = one_pass<scan_tile<Job, short_scan_tuning>, Job>;
  using middle_pass = one_pass<scan_tile<Job, scan_tuning>, Job>;
  const auto run = [&](const auto& pass) {
    const cuda_lease lease(call, policy, {pass.tiles(), scratch.bytes()});
    if (lease.measuring()) return;
    pass.launch(make_job(lease.scratch()), policy, lease.tiles(), lease.scratch());
    after();
  };
  const index_t short_items = short_scan_bytes / index_t{sizeof(typename Job::value_type)};
  if constexpr (!is_long) {
    if (n <= short_items) return run(short_pass(call, n, scratch));
  }
  const index_t short_tiles = short_pass::tile_count(short_items);
  if constexpr (pipeline_work<Job>::fits) {
    using long_pass = pipeline<Job, typename pipeline_work<Job>::type>;
    if (is_long || takes_pipeline<Job>(call, n)) {
      const index_t middle_tiles = middle_pass::tile_count(long_pass::least_items());
      return run(long_pass(call, n, scratch, std::max(short_tiles, middle_tiles)));
    }
  }
  if constexpr (!is_long) run(middle_pass(call, n, scratch, short_tiles));
}
#endif

struct nothing_more {
  void operator()() const {}
};

// `scratch` describes what else the call needs; make_job(memory of that) gives the job, and may enqueue what prepares it;
// after() comes when the job is enqueued and that memory is still there.
template <class Job, class Policy, class MakeJob, class After = nothing_more>
void run_scan(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job, After after = {}) {
  check_backend<Policy>();
  if constexpr (!on_cuda<Policy>) {
    n = items_now(policy, n);
    const cpu_one_pass<cpu_scan_tile<Job>, Job> pass(call, n, policy.threads(), scratch);
    const cpu_lease lease(call, policy, scratch.bytes());
    if (lease.measuring()) return;
    auto job = make_job(lease.scratch());
    job.n = n;
    pass.run(job, lease.scratch());
    after();
  } else {
#if ONEPASS_HAS_CUDA
    if (n > 0) run_scan_on_cuda<Job, false>(call, policy, n, scratch, make_job, after);
#endif
  }
}

#if ONEPASS_HAS_CUDA
// The same for a scan that takes_pipeline.
template <class Job, class Policy, class MakeJob>
void run_long_scan(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job) {
  run_scan_on_cuda<Job, true>(call, policy, n, scratch, make_job, nothing_more{});
}
#endif

template <class Job, class Policy>
void run_scan(const char* call, const Policy& policy, const Job& job) {
  run_scan<Job>(call, policy, job.n, layout(), [&](void*) { return job; });
}

}  // namespace onepass::detail
