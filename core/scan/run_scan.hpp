// SPDX-License-Identifier: Apache-2.0
// Runs a scan job on the backend that a policy names: describes its memory, gets the memory, and launches. All families
// with a scanned value for each item use this.
#pragma once

#include "../cpu/driver/cpu_scan_tile.hpp"
#include "../execution/saved_input.hpp"

#if ONEPASS_HAS_CUDA
#include "../cuda/choose_driver.cuh"
#include "../cuda/pipeline/pipeline_scan.cuh"
#include "../cuda/runtime/cuda_call_memory.cuh"
#include "../cuda/tile_driver/scan_tile.cuh"
#endif

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
// Whether a scan of n items takes the pipeline on the current device.
template <class Job, bool sized>
bool takes_pipeline(const char* call, index_t n) {
  if constexpr (pipeline_work<Job>::fits) return pipeline_work<Job>::driver::template suits<sized>(call, n);
  else return false;
}

// With `is_long`, the caller knows that the scan takes the pipeline.
template <class Job, bool is_long, class Policy, class MakeJob>
void run_scan_on_cuda(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job) {
  using small_tiles = tile_driver<scan_tile<Job, short_scan_tuning>, Job>;
  using large_tiles = tile_driver<scan_tile<Job, scan_tuning>, Job>;
  using long_scan = typename pipeline_work<Job>::driver;
  constexpr std::size_t value_size = sizeof(typename Job::value_type);
  constexpr index_t most_in_small = short_scan_bytes(value_size) / index_t{value_size};
  with_driver<small_tiles, large_tiles, long_scan, is_sized<Policy>, is_long>(
      call, n, most_in_small, scratch, [&](const auto& driver) {
        const cuda_call_memory memory(call, policy, {driver.tiles(), scratch.bytes()});
        if (memory.measuring()) return;
        driver.launch(make_job(memory.scratch()), policy, memory.tiles(), memory.scratch());
      });
}
#endif

// Runs a scan of n items. `scratch` describes what memory the call needs beside the scan's. make_job(that memory)
// returns the job, and may enqueue work that prepares it. On the CPU, the saved inputs are put back if a function object
// throws.
template <class Job, class Policy, class MakeJob, class... Saved>
void run_scan(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job, Saved&... saved) {
  check_backend<Policy>();
  if constexpr (!on_cuda<Policy>) {
    n = items_now(policy, n);
    const cpu_tile_driver<cpu_scan_tile<Job>, Job> driver(call, n, policy.threads(), scratch);
    const cpu_call_memory memory(call, policy, scratch.bytes());
    if (memory.measuring()) return;
    auto job = make_job(memory.scratch());
    job.n = n;
    detail::or_put_back([&] { driver.run(job, memory.scratch()); }, saved...);
  } else {
#if ONEPASS_HAS_CUDA
    if (n > 0) run_scan_on_cuda<Job, false>(call, policy, n, scratch, make_job);
#endif
  }
}

#if ONEPASS_HAS_CUDA
// The same for a scan of which takes_pipeline is true.
template <class Job, class Policy, class MakeJob>
void run_long_scan(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job) {
  run_scan_on_cuda<Job, true>(call, policy, n, scratch, make_job);
}
#endif

template <class Job, class Policy>
void run_scan(const char* call, const Policy& policy, const Job& job) {
  run_scan<Job>(call, policy, job.n, layout(), [&](void*) { return job; });
}

}  // namespace onepass::detail
