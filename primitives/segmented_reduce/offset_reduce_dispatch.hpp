// SPDX-License-Identifier: Apache-2.0
// Reductions of segments by offsets: the scan of run_reduce_dispatch.hpp, except that a result is stored at its
// segment's number, because there may be empty segments. Bytes moved: values and offsets are read once, one result a
// segment is written; on CUDA one bit an item more is written and read.
#pragma once

#include "../../core/execution/host_results.hpp"
#include "../../core/scan/run_scan.hpp"
#include "../../core/segments/offset_heads.hpp"
#include "../../core/support/accumulator.hpp"
#include "counted_source.hpp"
#include "cpu/cpu_offset_reduce_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/pipeline_reduce.cuh"
#endif

namespace onepass::detail {

// The epilogue, as in run_reduce_dispatch.hpp.
template <class Heads, class Offset, class Out, class Init, class Op>
struct offset_ends {
  static constexpr bool by_rank = false, writes_keys = false;
  Heads heads;
  Offset offsets;
  index_t segments;
  Out out;
  Init init;
  Op op;
  item_count n;

  struct reference {
    const offset_ends& ends;
    index_t i;
    ONEPASS_EXEC_CHECK_DISABLE
    template <class T>
    ONEPASS_HOST_DEVICE void operator=(const counted<T>& inclusive) const {
      if (i + 1 == ends.n.get() || ends.heads.is_head(i + 1)) ends.end(i, inclusive);
    }
  };
  ONEPASS_HOST_DEVICE reference operator[](index_t i) const { return {*this, i}; }

  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE void end(index_t i, const counted<T>& inclusive) const {
    const index_t segment = segment_of(i, inclusive.heads - 1);
    if (segment < 0) return;
    Op o = op;
    out[segment] = static_cast<T>(o(static_cast<T>(init), inclusive.value));
  }
  template <class T>
  ONEPASS_HOST_DEVICE void end_all(const counted<T>&) const {}

  // Returns the segment that item i lies in, or a negative number if the item lies before or behind all segments.
  // `rank`: how many segments with items begin before it; the items before all segments count as one, too. Without
  // empty segments the first look finds the segment.
  ONEPASS_HOST_DEVICE index_t segment_of(index_t i, index_t rank) const {
    index_t low = rank > 0 ? rank - 1 : 0, step = 1;  // offset[low] <= i, unless all offsets are larger
    while (low + step < segments && begin_of(low + step) <= i) low += step, step *= 2;
    index_t high = low + step < segments ? low + step : segments;  // that segment begins behind i, or does not exist
    while (high - low > 1) {
      const index_t middle = low + (high - low) / 2;
      if (begin_of(middle) <= i) low = middle;
      else high = middle;
    }
    return low < segments && begin_of(low) <= i && i < begin_of(low + 1) ? low : -1;
  }
  ONEPASS_HOST_DEVICE index_t begin_of(index_t segment) const { return static_cast<index_t>(offsets[segment]); }
};

#if ONEPASS_HAS_CUDA
template <class Source, class Heads, class Offset, class Out, class Init, class Op, class Counting>
struct pipeline_work<scan_job<Source, offset_ends<Heads, Offset, Out, Init, Op>, Counting, emit_value, true>,
                     std::enable_if_t<Source::stageable>>
    : pipeline_reduction<scan_job<Source, offset_ends<Heads, Offset, Out, Init, Op>, Counting, emit_value, true>> {};
constexpr int fill_results_threads = 256;

template <class Out, class Init>
__global__ void __launch_bounds__(fill_results_threads) fill_results_kernel(Out out, index_t segments, Init init) {
  const index_t step = static_cast<index_t>(gridDim.x) * fill_results_threads;
  for (index_t s = static_cast<index_t>(blockIdx.x) * fill_results_threads + threadIdx.x; s < segments; s += step)
    out[s] = init;
}
#endif

// Stores `init` as the result of every segment, before the scan stores the results of those that have items.
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
  fill_results(call, policy, unwrap(out), segments, init);
  driver.run({unwrap(first), offsets, segments, unwrap(out), init, {op}, n}, call_memory.scratch());
}

#if ONEPASS_HAS_CUDA
template <class Policy, class It, class Offset, class Out, class Init, class Op>
void reduce_by_offsets_on_cuda(const char* call, const Policy& policy, It first, index_t n,
                               const offsets_range<Offset>& offsets, index_t segments, Out out, Init init, Op op) {
  using heads_type = heads_from_flags<bit_iterator>;
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using source = counted_source<value, unwrapped<It>, heads_type>;
  using ends = offset_ends<heads_type, unwrapped<Offset>, unwrapped<Out>, Init, Op>;
  using job = scan_job<source, ends, counting<Op>, emit_value, /*is_inclusive=*/true>;
  layout scratch;
  const std::size_t words = scratch.add<std::uint32_t>(head_words(n));
  const auto fill = [&] { fill_results(call, policy, unwrap(out), segments, init); };
  if (n == 0 && !is_measuring(policy)) fill();
  run_scan<job>(call, policy, n, scratch, [&](void* memory) {
    fill();  // nothing is written before the call has its memory
    const auto heads = mark_heads(call, policy, offsets, section<char>(memory, words), n);
    const ends results{heads, unwrap(offsets.begin), segments, unwrap(out), init, op, count_of(policy, n)};
    return job{{unwrap(first), heads}, results, {op}, {}, {}, n};
  });
  wait_for_host<It, Out>(call, policy);
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
    reduce_by_offsets_on_cuda(call, policy, first, n, offsets, segments, out, init, op);
#endif
  }
  return out + segments;
}

}  // namespace onepass::detail
