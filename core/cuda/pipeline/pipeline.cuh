// SPDX-License-Identifier: Apache-2.0
// The pipeline's kernel and its host side: when it suits a call, and how it is launched. The work of a block is in
// core/cuda/pipeline/pipeline_block.cuh.
#pragma once

#include "../../support/none.hpp"
#include "pipeline_block.cuh"

namespace onepass::detail {

// `sized` means the same as for tile_driver_kernel (core/cuda/tile_driver/tile_driver.cuh).
template <class Job, class Work, bool sized>
__global__ void __launch_bounds__(pipeline_block<Job, Work>::threads, 1)
    pipeline_kernel(const __grid_constant__ Job job, const __grid_constant__ pipeline_launch<Job, Work> launch,
                    item_count size) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char pipeline_memory[];
  auto& s = *reinterpret_cast<pipeline_shared<Job, Work>*>(pipeline_memory);
  if constexpr (sized) {
    wait_for_previous_kernel();
    Job sized_job = job;
    auto sized_launch = launch;
    sized_job.n = sized_launch.grid.n = size.get();
    complete_sized(sized_job);
    if (sized_job.n > 0) pipeline_block<Job, Work>(sized_job, sized_launch, s).run();
    else if (blockIdx.x == 0 && threadIdx.x == 0) sized_job.end_empty();
  } else {
    pipeline_block<Job, Work>(job, launch, s).run();
  }
#endif
}

// ---- the host's side ------------------------------------------------------------------------------------------------
// Has the interface of tile_driver (core/cuda/tile_driver/tile_driver.cuh).
template <class Job, class Work>
class pipeline {
  using shape = typename Work::shape;
  using table = typename pipeline_types<Job>::table;
  using source = typename Job::source_type;
  static constexpr int threads = pipeline_block<Job, Work>::threads;
  static constexpr std::size_t shared = sizeof(pipeline_shared<Job, Work>);
  static_assert(shared <= pipeline_shared_bytes);

 public:
  // Whether this device can run the pipeline and a scan of n items is long enough to gain by it.
  template <bool sized>
  static bool suits(const char* call, index_t n) {
    if (n < least_items()) return false;
    const resident_blocks resident(pipeline_kernel<Job, Work, sized>, threads, shared);
    return resident.architecture(call) >= 90 && resident.fits_this_device(call);
  }
  static index_t least_items() { return Work::least_items(); }

  pipeline(const char* call, index_t n, layout& scratch, index_t least_tiles = 0) : call_(call) {
    const index_t tiles = divide_up(n + static_cast<index_t>(vector_bytes), index_t{shape::tile_items});
    if (tiles >= most_tiles) throw invalid_argument(call, "more items than one call can take");
    capacity_ = static_cast<std::size_t>(std::max(tiles, least_tiles));
    if (table::apart) values_ = scratch.add<typename Job::stored_type>(static_cast<index_t>(capacity_));
  }
  std::size_t tiles() const { return capacity_; }

  template <class Policy>
  void launch(const Job& job, const Policy& policy, const tile_memory& memory, void* scratch) const {
    const bit_address first = job.streams().stream(0) / 8;
    pipeline_launch<Job, Work> launch{memory, nullptr, {job.n, 0}, true, true};
    launch.grid.pad = static_cast<int>(first % vector_bytes / shape::item_bytes);
    if (table::apart) launch.values = section<typename Job::stored_type>(scratch, values_);
    for (int s = 0; s < source::streams; ++s) {
      const int bits = source::shape_of(s).item_bits;  // single bits are read in one way at any address
      launch.streams_aligned &= bits < 8 || is_aligned(job.streams().stream(s) / 8, launch.grid.pad, bits / 8);
    }
    const auto out = reinterpret_cast<std::uintptr_t>(Work::out_array(job));
    launch.out_aligned = is_aligned(out, launch.grid.pad, shape::item_bytes);
    constexpr bool sized = is_sized<Policy>;
    const auto kernel = pipeline_kernel<Job, Work, sized>;
    const resident_blocks resident(kernel, threads, shared);
    const unsigned grid = std::min(launch.grid.tiles(), resident.on_this_device(call_));
    kernel_launch::dependent(call_, resident, kernel, grid, threads, shared, policy.stream(), job, launch,
                             count_of(policy, job.n));
  }

 private:
  // Whether the array's tiles start at multiples of 16 bytes, except for a short tile 0.
  static bool is_aligned(std::uintptr_t array, int pad, int item_bytes) {
    return (array - static_cast<std::uintptr_t>(pad * item_bytes)) % vector_bytes == 0;
  }

  const char* call_;
  std::size_t capacity_ = 0, values_ = 0;
};

// Names the pipeline for a job's scans: `fits` says whether it can take them, `type` is the work on its tiles, and
// `driver` is the pipeline with that work. Each family specialises pipeline_work for its jobs and derives from
// pipeline_of.
template <class Job, class Work>
struct pipeline_of {
  using type = Work;
  static constexpr bool fits = Work::fits;
  using driver = std::conditional_t<fits, pipeline<Job, Work>, none>;
};
template <class Job, class = void>
struct pipeline_work {
  static constexpr bool fits = false;
  using driver = none;
};

}  // namespace onepass::detail
