// SPDX-License-Identifier: Apache-2.0
// Reductions of segments by offsets, some of which may be empty. On CUDA segments that are not short have a warp or a block each
// (cuda/segment_blocks.cuh), and of others tiles have equal parts of the items and ends (cuda/segment_path.cuh); on the CPU a tile
// has consecutive items. Bytes moved: values and offsets are read about once, and one result a segment is written.
#pragma once

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>

#include "../../core/execution/host_results.hpp"
#include "../../core/scan/run_scan.hpp"
#include "../../core/segments/offset_heads.hpp"
#include "../../core/support/accumulator.hpp"
#include "../../core/support/may_look_up.hpp"
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
// Up to so many steps a path is a short one, if there is a counter for each of its tiles. From docs/history/performance-log.md,
// "Short reductions by offsets without a look-back" and "Sums of products by offsets".
constexpr index_t most_in_short_path(bool copies_items) { return index_t{copies_items ? 5 : 14} << 19; }

// Of segments that are cut. A chunk has at least so many items.
constexpr index_t most_segment_chunks = 512;
constexpr int log_least_chunk = 13;
static_assert(most_segment_chunks <= control::most_counters, "each has a counter");

// Whether what gives the items may look them up somewhere.
template <class It>
constexpr bool items_are_looked_up = false;
template <class F, class It, class Reference, class Value>
constexpr bool items_are_looked_up<thrust::transform_iterator<F, It, Reference, Value>> =
    may_look_up<F>() || items_are_looked_up<It>;
template <class Items, class Indices>
constexpr bool items_are_looked_up<thrust::permutation_iterator<Items, Indices>> = true;

// How segments of `items` items in all are divided among blocks, or {} where tiles are faster. Same file, "Reductions by offsets: a
// warp or a block a segment", "Segments of uneven lengths" and "Sums of products by offsets".
inline segment_shares shares_of(index_t items, index_t segments, bool look_up) {
  const index_t mean = items / segments;
  // The time of warps grows with the number of segments, that of tiles with the number of items.
  const index_t most_segments =
      items < index_t{1} << 23 ? 8192 + items / 64 : items / (items < index_t{1} << 25 ? 128 : 192);
  if (segments > most_segments || items >= index_t{1} << 36) return {};  // so that the items of a few chunks are an int
  const index_t most_of_warps = look_up && items < index_t{3} << 21 ? 800 : 1500;
  const bool has_warps = mean < most_of_warps && !(segments <= 1024 && mean >= 256);
  int log_chunk = log_least_chunk;
  while (items >> log_chunk >= most_segment_chunks) ++log_chunk;
  const index_t chunk = index_t{1} << log_chunk, most_items = std::max(index_t{has_warps ? 8192 : 32768}, chunk);
  const index_t blocks = has_warps ? divide_up(segments, index_t{segment_blocks_threads / warp_size}) : segments;
  const index_t chunks = items <= most_items ? 0 : divide_up(items, chunk);
  const bool are_long = !has_warps && (mean >= 6000 || segments <= 640);
  return {static_cast<unsigned>(blocks), static_cast<unsigned>(chunks), has_warps, are_long, log_chunk, most_items};
}

// Launches a kernel whose blocks do not wait for one another.
template <class Policy, class Job, class Kernel, class... More>
void launch_offset_reduce(const char* call, const Policy& policy, const Job& job, Kernel kernel, index_t blocks,
                          int threads, std::size_t shared, const More&... more) {
  const resident_blocks resident(kernel, threads, shared);
  (void)resident.on_this_device(call);  // throws where a block does not fit
  kernel_launch::dependent(call, resident, kernel, dim3(static_cast<unsigned>(blocks)), threads, shared,
                           policy.stream(), job, count_of(policy, job.path.items), more...);
}

template <class Policy, class Job>
void reduce_in_blocks(const char* call, const Policy& policy, const Job& job, const segment_shares& shares,
                      const long_segments<typename Job::value_type>& cut) {
  const auto launch = [&](auto are_long) {
    detail::launch_offset_reduce(call, policy, job, segment_blocks_kernel<Job, are_long>,
                                 index_t{shares.blocks} + shares.chunks, segment_blocks_threads,
                                 sizeof(typename segment_block<Job, are_long>::shared), shares, cut);
  };
  if (shares.are_long) launch(std::true_type());
  else launch(std::false_type());
}

// Whether a block has room for the totals of its warps wherever a short tile has room for its own: not if values are so large
// that only a tile fits.
template <class Job>
constexpr bool blocks_fit = sizeof(typename segment_block<Job, false>::shared) <=
                            std::max<std::size_t>(std::size_t{48} << 10,
                                                  sizeof(typename short_offset_reduce<Job>::shared));

template <class Policy, class It, class Offset, class Out, class Init, class Op>
void reduce_by_offsets_on_cuda(const char* call, const Policy& policy, It first, index_t n, Offset offsets,
                               index_t segments, Out out, Init init, Op op) {
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using job = offset_reduce_job<value, unwrapped<It>, Offset, unwrapped<Out>, Init, Op>;
  using large_tiles = tile_driver<offset_reduce_tile<job>, job>;
  using short_tiles = short_offset_reduce<job>;
  static_assert(short_tiles::steps > 0, "onepass: values of more than 40,960 bytes do not fit a block on CUDA");
  const segment_path<Offset> path{offsets, segments, n};
  job all{unwrap(first), path, nullptr, unwrap(out), init, op, path.steps()};
  // A short path's tiles have a counter each.
  constexpr index_t most_short =
      std::min(most_in_short_path(job::copies_items), control::most_counters * index_t{short_tiles::steps});
  const bool is_short = all.n <= most_short;
  // A workspace must serve fewer items and segments, too, in whatever way.
  const index_t parts = std::max(divide_up(std::min(all.n, most_short), index_t{short_tiles::steps}),
                                 std::min(divide_up(n, index_t{1} << log_least_chunk), most_segment_chunks));
  layout scratch;
  const std::size_t open = scratch.add<value>(parts), last = scratch.add<value>(parts);
  const std::size_t starts = scratch.add<index_t>(is_short ? 0 : large_tiles::tile_count(all.n) + 1);
  ::cuda::std::optional<large_tiles> driver;
  if (!is_short) driver.emplace(call, all.n, scratch);
  const cuda_call_memory memory(call, policy, {driver ? driver->tiles() : 1, scratch.bytes()});
  if (memory.measuring()) return;
  const long_segments<value> cut{memory.tiles().head, section<value>(memory.scratch(), open),
                                 section<value>(memory.scratch(), last)};
  const segment_shares shares = detail::shares_of(n, segments, items_are_looked_up<unwrapped<It>>);
  if (shares.blocks > 0 && (blocks_fit<job> || !is_short))
    return detail::reduce_in_blocks(call, policy, all, shares, cut);
  if (is_short)
    return detail::launch_offset_reduce(call, policy, all, short_offset_reduce_kernel<job>,
                                        divide_up(all.n, index_t{short_tiles::steps}), short_tiles::threads,
                                        sizeof(typename short_tiles::shared), cut);
  index_t* const part_starts = section<index_t>(memory.scratch(), starts);
  all.starts = part_starts;
  find_part_starts(call, policy, path, large_tiles::tile_items, part_starts, large_tiles::tile_count(all.n));
  driver->launch(all, policy, memory.tiles(), memory.scratch());
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
