// SPDX-License-Identifier: Apache-2.0
// Reducing segments (by key, by head flags, by offsets): a scan of (value, number of heads) pairs whose epilogue stores a
// segment's result where the segment ends. The number of heads is the segment's rank, and tells whether there is a head at
// all: it is the flag, too. Bytes moved: keys and values read once, one result a segment written.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include "../../core/count.hpp"
#include "counted.hpp"
#include "cpu_reduce.hpp"
#include "cpu_runs.hpp"
#include "run.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda_reduce_segments.cuh"
#endif

namespace onepass::detail {

// ---- the epilogue: an output that takes what is scanned up to item i and keeps what it says of a segment --------------
// `by_rank`: results stand one behind another. end(i, upto): stores that of the segment whose last item is i.
template <class Heads, class Keys, class KeysOut, class ValuesOut>
struct segment_ends {
  static constexpr bool by_rank = true;
  static constexpr bool writes_keys = !std::is_same_v<KeysOut, thrust::discard_iterator<>>;
  Heads heads;
  Keys keys;
  KeysOut out_keys;      // the first key of each segment
  ValuesOut out_values;  // its result
  index_t* count;        // of segments, written with the last item
  item_count n;

  struct place {
    const segment_ends& ends;
    index_t i;
    ONEPASS_EXEC_CHECK_DISABLE
    template <class T>
    ONEPASS_HOST_DEVICE void operator=(const counted<T>& upto) const {
      const bool is_last = i + 1 == ends.n.get();
      if (ends.heads.is_head(i)) ends.out_keys[upto.heads - 1] = static_cast<value_of<Keys>>(ends.keys[i]);
      if (is_last || ends.heads.is_head(i + 1)) ends.end(i, upto);
      if (is_last) ends.end_all(upto);
    }
  };
  ONEPASS_HOST_DEVICE place operator[](index_t i) const { return {*this, i}; }

  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE void end(index_t, const counted<T>& upto) const {
    out_values[upto.heads - 1] = upto.value;
  }
  template <class T>
  ONEPASS_HOST_DEVICE void end_all(const counted<T>& upto) const {
    *count = upto.heads;
  }
};

// Segments by offsets: results stand at the segments' numbers, as there may be empty ones.
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

  struct place {
    const offset_ends& ends;
    index_t i;
    ONEPASS_EXEC_CHECK_DISABLE
    template <class T>
    ONEPASS_HOST_DEVICE void operator=(const counted<T>& upto) const {
      if (i + 1 == ends.n.get() || ends.heads.is_head(i + 1)) ends.end(i, upto);
    }
  };
  ONEPASS_HOST_DEVICE place operator[](index_t i) const { return {*this, i}; }

  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE void end(index_t i, const counted<T>& upto) const {
    const index_t segment = segment_of(i, upto.heads - 1);
    if (segment < 0) return;
    Op o = op;
    out[segment] = static_cast<T>(o(static_cast<T>(init), upto.value));
  }
  template <class T>
  ONEPASS_HOST_DEVICE void end_all(const counted<T>&) const {}

  // Which segment item i lies in; less than 0: it is in front of or behind all. `rank` tells how many others with items
  // begin before, among them one in front of all if there are such items. Without empty segments the first look finds it.
  ONEPASS_HOST_DEVICE index_t segment_of(index_t i, index_t rank) const {
    index_t low = rank > 0 ? rank - 1 : 0, step = 1;  // offset[low] <= i, or nothing is
    while (low + step < segments && begin_of(low + step) <= i) low += step, step *= 2;
    index_t high = low + step < segments ? low + step : segments;  // begins behind i, or does not exist
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
template <class Source, class Heads, class Keys, class KeysOut, class ValuesOut, class Op>
struct pipeline_work<scan_job<Source, segment_ends<Heads, Keys, KeysOut, ValuesOut>, Op, emit_value, true>,
                     std::enable_if_t<Source::stageable>> {
  using type = reduce_segments<scan_job<Source, segment_ends<Heads, Keys, KeysOut, ValuesOut>, Op, emit_value, true>>;
  static constexpr bool fits = type::fits;
};
template <class Source, class Heads, class Offset, class Out, class Init, class Op, class Counting>
struct pipeline_work<scan_job<Source, offset_ends<Heads, Offset, Out, Init, Op>, Counting, emit_value, true>,
                     std::enable_if_t<Source::stageable>> {
  using type = reduce_segments<scan_job<Source, offset_ends<Heads, Offset, Out, Init, Op>, Counting, emit_value, true>>;
  static constexpr bool fits = type::fits;
};
#endif

// ---- running it -------------------------------------------------------------------------------------------------------
// The number of segments is left in `count`, or, if that is null, waited for and returned. `heads_of` gives the heads, from
// the keys as they are to be read: keys and values are read around each item, so where they are reduced in place, it is a
// copy that is read.
template <class Policy, class HeadsOf, class Keys, class Values, class KeysOut, class ValuesOut, class Op>
index_t reduce_heads(const char* call, const Policy& policy, index_t n, HeadsOf heads_of, Keys keys, Values values,
                     KeysOut out_keys, ValuesOut out_values, Op op, index_t* count) {
  using Heads = decltype(heads_of(unwrap(keys)));
  using ends = segment_ends<Heads, unwrapped<Keys>, unwrapped<KeysOut>, unwrapped<ValuesOut>>;
  using value = reduced_type<Op, no_initial, value_of<Values>, unwrapped<ValuesOut>>;
  using job = runs_job<value, unwrapped<Values>, Heads, ends, Op>;
  check_not_null(call, "values", values, n);
  check_not_null(call, "out_values", out_values, n);
  check_begin(call, "the values", values, n, "out_values", out_values, true);
  check_saved(call, policy, "the keys", keys, n, "out_keys", out_keys);
  check_saved(call, policy, "the values", values, n, "out_values", out_values);
  const bool waits = count == nullptr;
  check_not_size(call, policy, count);
  if (n == 0) {
    if (!waits && !is_measuring(policy)) clear_counts(call, policy, count, 1);
    return 0;
  }
  if (waits && !is_measuring(policy)) check_may_wait(call, policy);
  layout scratch;
  saved_input<Policy, Keys> own_keys(keys, n, same_start(keys, out_keys), scratch);
  saved_input<Policy, Values> own_values(values, n, same_start(values, out_values), scratch);
  index_t result = 0;
  const auto make_job = [&](index_t* to, void* memory) {
    const auto read_keys = own_keys.get(call, policy, memory, n);
    const Heads heads = heads_of(read_keys);
    const ends out{heads, read_keys, unwrap(out_keys), unwrap(out_values), to, count_of(policy, n)};
    return job{{own_values.get(call, policy, memory, n), heads}, out, {op}, {}, {}, n};
  };
  if constexpr (!on_cuda<Policy>) {
    const index_t items = items_now(policy, n);
    using tile = cpu_runs_tile<value, unwrapped<Values>, Heads, ends, Op>;
    const cpu_one_pass<tile, job> pass(call, items, policy.threads(), scratch);
    const cpu_lease lease(call, policy, scratch.bytes());
    if (lease.measuring()) return 0;
    index_t* const to = waits ? &result : count;
    *to = 0;  // there may be no item
    job runs = make_job(to, lease.scratch());
    runs.n = items;
    or_put_back([&] { pass.run(runs, lease.scratch()); }, own_keys, own_values);
  } else {
    const std::size_t own_count = scratch.add<index_t>(1);
    run_scan<job>(
        call, policy, n, scratch,
        [&](void* memory) {
          if (waits) count = section<index_t>(memory, own_count);
          if (is_sized<Policy>) clear_counts(call, policy, count, 1);  // there may be no item
          return make_job(count, memory);
        },
        [&] {
          if (waits) read_counts(call, policy, count, &result, 1);
        });
  }
  return result;
}

template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
index_t reduce_runs(const char* call, const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                    ValuesOut out_values, Equal equal, Op op, index_t* count) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "keys", first, n);
  check_not_null(call, "out_keys", out_keys, n);
  check_begin(call, "the keys", first, n, "out_keys", out_keys, true);
  check_begin(call, "the keys", first, n, "out_values", out_values, false);
  check_begin(call, "the values", values, n, "out_keys", out_keys, false);
  check_overlap(call, "out_keys", out_keys, n > 0 ? 1 : 0, "out_values", out_values, n > 0 ? 1 : 0, false);
  const auto heads_of = [equal](unwrapped<Keys> keys) { return heads_by_key<unwrapped<Keys>, Equal>{keys, equal}; };
  return reduce_heads(call, as_policy(policy), n, heads_of, first, values, out_keys, out_values, op, count);
}

// By head flags: nothing but results is written.
template <class Policy, class It, class Flags, class Out, class Op>
index_t reduce_flagged(const char* call, const Policy& policy, It first, It last, Flags flags, Out out, Op op,
                       index_t* count) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "head_flags", flags, n);
  check_begin(call, "the head flags", flags, n, "out", out, false);
  const thrust::counting_iterator<index_t> no_keys(0);
  const auto heads_of = [flags](thrust::counting_iterator<index_t>) {
    return heads_by_flag<unwrapped<Flags>>{unwrap(flags)};
  };
  return reduce_heads(call, as_policy(policy), n, heads_of, no_keys, first, thrust::make_discard_iterator(), out, op,
                      count);
}

#if ONEPASS_HAS_CUDA
constexpr int fill_results_threads = 256;

template <class Out, class Init>
__global__ void __launch_bounds__(fill_results_threads) fill_results_kernel(Out out, index_t segments, Init init) {
  const index_t step = static_cast<index_t>(gridDim.x) * fill_results_threads;
  for (index_t s = static_cast<index_t>(blockIdx.x) * fill_results_threads + threadIdx.x; s < segments; s += step)
    out[s] = init;
}
#endif

// Each segment has `init` before the scan gives those with items their results.
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
    for (index_t s = 0; s < segments; ++s) out[s] = init;
  }
}

template <class Policy, class It, class Offset, class Out, class Init, class Op>
Out reduce_by_offsets(const char* call, const Policy& any_policy, It first, It last, offsets_range<Offset> offsets,
                      Out out, Init init, Op op) {
  using heads_type = heads_by_flag<bit_iterator>;
  using value = reduced_type<Op, Init, value_of<It>, unwrapped<Out>>;
  using source = counted_source<value, unwrapped<It>, heads_type>;
  using ends = offset_ends<heads_type, unwrapped<Offset>, unwrapped<Out>, Init, Op>;
  using job = scan_job<source, ends, counting<Op>, emit_value, /*is_inclusive=*/true>;
  const auto policy = as_policy(any_policy);
  index_t n = checked_distance(call, first, last);
  const index_t count = checked_distance(call, offsets.begin, offsets.end);
  const index_t segments = count > 0 ? count - 1 : 0;
  check_not_null(call, "first", first, n);
  check_not_null(call, "offsets", offsets.begin, count);
  check_not_null(call, "out", out, segments);
  check_overlap(call, "[first, last)", first, n, "out", out, segments, false);
  check_overlap(call, "the offsets", offsets.begin, count, "out", out, segments, false);
  if (segments == 0) return out;
  layout scratch;
  using policy_type = std::decay_t<decltype(policy)>;
  if constexpr (!on_cuda<policy_type>) {
    using cpu_job = cpu_offsets_job<value, unwrapped<It>, unwrapped<Offset>, unwrapped<Out>, Init, Op>;
    n = items_now(policy, n);
    const cpu_one_pass<cpu_offsets_tile<cpu_job>, cpu_job> pass(call, n, policy.threads(), scratch);
    const cpu_lease lease(call, policy, scratch.bytes());
    if (lease.measuring()) return out + segments;
    fill_results(call, policy, unwrap(out), segments, init);
    pass.run({unwrap(first), unwrap(offsets.begin), segments, unwrap(out), init, {op}, n}, lease.scratch());
  } else {
    check_backend<policy_type>();
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
  return out + segments;
}

}  // namespace onepass::detail
