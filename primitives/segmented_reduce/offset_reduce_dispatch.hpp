// SPDX-License-Identifier: Apache-2.0
// Reductions of segments by offsets, some of which may be empty. On CUDA tiles have equal parts of the items and ends
// of segments (cuda/segment_path.cuh), but for few segments, which have a block each; on the CPU a tile has consecutive
// items. Bytes moved: values and offsets are read about once, and one result a segment is written.
#pragma once

#include "../../core/execution/host_results.hpp"
#include "../../core/scan/run_scan.hpp"
#include "../../core/segments/offset_heads.hpp"
#include "../../core/support/accumulator.hpp"
#include "cpu/cpu_offset_reduce_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/offset_reduce_block.cuh"
#include "cuda/segment_blocks.cuh"
#include "cuda/short_offset_reduce.cuh"
#endif

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
constexpr int fill_results_threads = 256;

template <class Out, class Init>
__global__ void __launch_bounds__(fill_results_threads) fill_results_kernel(Out out, index_t segments, Init init) {
  const index_t step = static_cast<index_t>(gridDim.x) * fill_results_threads;
  for (index_t s = static_cast<index_t>(blockIdx.x) * fill_results_threads + threadIdx.x; s < segments; s += step)
    out[s] = init;
}
#endif

// Stores `init` as the result of every segment. Results of those that have items are stored behind it.
template <class Policy, class Out, class Init>
void fill_results(const char* call, const Policy& policy, Out out, index_t segments, const Init& init) {
  if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
    const auto blocks =
        static_cast<unsigned>(std::min<index_t>(divide_up(segments, index_t{fill_results_threads}), 4096));
    kernel_launch::in_order(call, fill_results_kernel<Out, Init>, blocks, fill_results_threads, 0, policy.stream(), out,
                            segments, init);
#endif
  } else {
    (void)call, (void)policy;
    for (index_t s = 0; s < segments; ++s) out[s] = as_item_of<Out>(init);
  }
}

// Offset: the offsets' iterator, unwrapped.
template <class Policy, class It, class Offset, class Out, class Init, class Op>
void reduce_by_offsets_on_cpu(const char* call, const Policy& policy, It first, index_t most, Offset offsets,
                              index_t segments, Out out, Init init, Op op) {
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using job = cpu_offsets_job<value, unwrapped<It>, Offset, unwrapped<Out>, Init, Op>;
  const index_t n = items_now(policy, most);
  layout scratch;
  const cpu_tile_driver<cpu_offsets_tile<job>, job> driver(call, n, policy.threads(), scratch);
  const cpu_call_memory call_memory(call, policy, scratch.bytes());
  if (call_memory.measuring()) return;
  if (n == 0) return detail::fill_results(call, policy, unwrap(out), segments, init);  // no tile stores any
  driver.run({unwrap(first), offsets, segments, unwrap(out), init, {op}, n}, call_memory.scratch());
}

#if ONEPASS_HAS_CUDA
// Up to so many steps a path is a short one, and up to so many segments of it have a block each. From
// docs/history/performance-log.md, "Short reductions by offsets without a look-back".
constexpr index_t most_in_short_path = index_t{5} << 19, most_segment_blocks = 1500;

template <class Policy, class Job>
void reduce_short_path(const char* call, const Policy& policy, const Job& job, layout& scratch) {
  using tiles_of = short_offset_reduce<Job>;
  using segments_of = segment_block<Job>;
  using value = typename Job::value_type;
  const index_t tiles = divide_up(job.n, index_t{tiles_of::steps});  // no less than there are chunks
  const std::size_t open = scratch.add<value>(tiles), last = scratch.add<value>(tiles);
  const cuda_call_memory memory(call, policy, {static_cast<std::size_t>(tiles), scratch.bytes()});
  if (memory.measuring()) return;
  const long_segments<value> parts{memory.tiles(), section<value>(memory.scratch(), open),
                                   section<value>(memory.scratch(), last)};
  const auto launch = [&](auto kernel, index_t blocks, int threads, std::size_t shared, const auto&... more) {
    const resident_blocks resident(kernel, threads, shared);
    (void)resident.on_this_device(call);  // throws where a block does not fit
    kernel_launch::dependent(call, resident, kernel, dim3(static_cast<unsigned>(blocks)), threads, shared,
                             policy.stream(), job, count_of(policy, job.path.items), more..., parts);
  };
  const index_t chunks = divide_up(job.path.items, index_t{segments_of::capacity}), segments = job.path.segments;
  if (segments > most_segment_blocks)
    launch(short_offset_reduce_kernel<Job>, tiles, tiles_of::threads, sizeof(typename tiles_of::shared));
  else
    launch(segment_blocks_kernel<Job>, chunks + segments, segments_of::threads, sizeof(typename segments_of::shared),
           static_cast<unsigned>(chunks));
}

template <class Policy, class It, class Offset, class Out, class Init, class Op>
void reduce_by_offsets_on_cuda(const char* call, const Policy& policy, It first, index_t n, Offset offsets,
                               index_t segments, Out out, Init init, Op op) {
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using job = offset_reduce_job<value, unwrapped<It>, Offset, unwrapped<Out>, Init, Op>;
  using large_tiles = tile_driver<offset_reduce_tile<job, offset_reduce_tuning>, job>;
  const segment_path<Offset> path{offsets, segments, n};
  const index_t steps = path.steps();
  layout scratch;
  const auto make_job = [&](const index_t* part_starts) {
    return job{unwrap(first), path, part_starts, unwrap(out), init, op, steps};
  };
  if (steps <= most_in_short_path) return reduce_short_path(call, policy, make_job(nullptr), scratch);
  const std::size_t starts = scratch.add<index_t>(large_tiles::tile_count(steps) + 1);
  // A workspace for so many steps must serve fewer, too, which may be short.
  const index_t short_tiles = divide_up(most_in_short_path, index_t{short_offset_reduce<job>::steps});
  scratch.add<value>(short_tiles);
  scratch.add<value>(short_tiles);
  const large_tiles driver(call, steps, scratch, short_tiles);
  const cuda_call_memory memory(call, policy, {driver.tiles(), scratch.bytes()});
  if (memory.measuring()) return;
  index_t* const part_starts = section<index_t>(memory.scratch(), starts);
  find_part_starts(call, policy, path, large_tiles::tile_items, part_starts, large_tiles::tile_count(steps));
  driver.launch(make_job(part_starts), policy, memory.tiles(), memory.scratch());
}
#endif

template <class Policy, class It, class Offset, class Out, class Init, class Op>
Out reduce_by_offsets(const char* call, const Policy& any_policy, It first, It last, offsets_range<Offset> offsets,
                      Out out, Init init, Op op) {
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  const index_t n = checked_distance(call, first, last);
  const index_t count = checked_distance(call, offsets.begin, offsets.end);
  const index_t segments = count > 0 ? count - 1 : 0;
  check_not_null(call, "first", first, n);
  check_not_null(call, "offsets", offsets.begin, count);
  check_not_null(call, "out", out, segments);
  check_overlap(call, "[first, last)", first, n, "out", out, segments, false);
  check_overlap(call, "the offsets", offsets.begin, count, "out", out, segments, false);
  if (segments == 0) return out;
  if constexpr (!on_cuda<policy_type>) {
    reduce_by_offsets_on_cpu(call, policy, first, n, unwrap(offsets.begin), segments, out, init, op);
  } else {
    check_backend<policy_type>();
#if ONEPASS_HAS_CUDA
    reduce_by_offsets_on_cuda(call, policy, first, n, unwrap(offsets.begin), segments, out, init, op);
    wait_for_host<It, Offset, Out>(call, policy);
#endif
  }
  return out + segments;
}

}  // namespace onepass::detail
