// SPDX-License-Identifier: Apache-2.0
// Reductions of runs, by key or by head flags: a scan of (value, number of heads) pairs, whose epilogue stores a run's
// result at the run's end. The number of heads gives the run's rank. A pair with no head has the number 0, so the
// number is the head flag, too. Bytes moved: keys and values are read once, and one result a run is written.
#pragma once

#include <optional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include "../../core/support/equal_to.hpp"
#include "../../core/support/accumulator.hpp"
#include "../../core/scan/run_scan.hpp"
#include "../../core/execution/saved_input.hpp"
#include "../../core/support/argument_checks.hpp"
#include "../../core/execution/host_results.hpp"
#include "counted_source.hpp"
#include "cpu/cpu_run_reduce_tile.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/pipeline_reduce.cuh"
#endif

namespace onepass::detail {

// ---- the epilogue ---------------------------------------------------------------------------------------------------
// The scan's output: assigning the inclusive result to element i stores what item i says about a segment.
//   end(i, inclusive) stores the result of the segment whose last item is i
//   end_all(inclusive) ends the input
//   finished(total)   what is stored of a segment's total
template <class Heads, class Keys, class KeysOut, class ValuesOut>
struct segment_ends {
  static constexpr bool writes_keys = !std::is_same_v<KeysOut, thrust::discard_iterator<>>;
  Heads heads;
  Keys keys;
  KeysOut out_keys;      // the first key of each segment
  ValuesOut out_values;  // its result
  index_t* count;        // the number of segments, stored with the last item
  item_count n;

  struct reference {
    const segment_ends& ends;
    index_t i;
    ONEPASS_EXEC_CHECK_DISABLE
    template <class T>
    ONEPASS_HOST_DEVICE void operator=(const counted<T>& inclusive) const {
      const bool is_last = i + 1 == ends.n.get();
      if (ends.heads.is_head(i)) ends.out_keys[inclusive.heads - 1] = static_cast<value_of<Keys>>(ends.keys[i]);
      if (is_last || ends.heads.is_head(i + 1)) ends.end(i, inclusive);
      if (is_last) ends.end_all(inclusive);
    }
  };
  ONEPASS_HOST_DEVICE reference operator[](index_t i) const { return {*this, i}; }

  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE void end(index_t, const counted<T>& inclusive) const {
    out_values[inclusive.heads - 1] = inclusive.value;
  }
  template <class T>
  ONEPASS_HOST_DEVICE void end_all(const counted<T>& inclusive) const {
    *count = inclusive.heads;
  }
  template <class T>
  ONEPASS_HOST_DEVICE const T& finished(const T& total) const {
    return total;
  }
};

#if ONEPASS_HAS_CUDA
template <class Source, class Heads, class Keys, class KeysOut, class ValuesOut, class Op>
struct pipeline_work<scan_job<Source, segment_ends<Heads, Keys, KeysOut, ValuesOut>, Op, emit_value, true>,
                     std::enable_if_t<Source::stageable>>
    : pipeline_reduction<scan_job<Source, segment_ends<Heads, Keys, KeysOut, ValuesOut>, Op, emit_value, true>> {};
#endif

// ---- running it -----------------------------------------------------------------------------------------------------
// make_job(count, memory) gives the job. The number of segments is stored in `count`, or, if that is null, waited for
// and returned.
template <class Tile, class Policy, class MakeJob, class... Saved>
index_t reduce_heads_on_cpu(const char* call, const Policy& policy, index_t most, layout scratch, MakeJob make_job,
                            index_t* count, Saved&... saved) {
  using job = decltype(make_job(count, nullptr));
  const index_t n = items_now(policy, most);
  const cpu_tile_driver<Tile, job> driver(call, n, policy.threads(), scratch);
  const cpu_call_memory call_memory(call, policy, scratch.bytes());
  if (call_memory.measuring()) return 0;
  index_t result = 0;
  index_t* const to = count == nullptr ? &result : count;
  *to = 0;  // there may be no item
  job runs = make_job(to, call_memory.scratch());
  runs.n = n;
  detail::or_put_back([&] { driver.run(runs, call_memory.scratch()); }, saved...);
  return result;
}

template <class Policy, class MakeJob>
index_t reduce_heads_on_cuda(const char* call, const Policy& policy, index_t n, layout scratch, MakeJob make_job,
                             index_t* count) {
  std::optional<waited_counts<Policy>> waited;
  const bool waits = count == nullptr;
  run_scan<decltype(make_job(count, nullptr))>(call, policy, n, scratch, [&](void* memory) {
    if (waits) {
      count = waited.emplace().get(call);
      *count = 0;  // there may be no item
    } else if (count_of(policy, n).size != nullptr) clear_counts(call, policy, count, 1);
    return make_job(count, memory);
  });
  return waited.has_value() ? *waited->wait(call, policy) : 0;
}

// What a call's errors call its ranges.
struct run_ranges {
  const char *keys = "keys", *values = "values", *out_keys = "out_keys", *out_values = "out_values";
};
constexpr run_ranges ranges_of_lengths{"[first, last)", "", "out", "out_lengths"};
// Lengths are counted in the type of the output's items, or in index_t where it has none, as a discard_iterator.
template <class Lengths>
using length_type = std::conditional_t<has_items<Lengths>, value_of<Lengths>, index_t>;

// heads_of(keys) gives the heads. Keys and values are read around each item, so where results overwrite them, the job
// reads a copy, and the heads are made from the copied keys.
template <class Policy, class HeadsOf, class Keys, class Values, class KeysOut, class ValuesOut, class Op>
index_t reduce_heads(const char* call, const Policy& policy, index_t n, HeadsOf heads_of, Keys keys, Values values,
                     KeysOut out_keys, ValuesOut out_values, Op op, index_t* count, const run_ranges& named) {
  using Heads = decltype(heads_of(unwrap(keys)));
  using ends = segment_ends<Heads, unwrapped<Keys>, unwrapped<KeysOut>, unwrapped<ValuesOut>>;
  using value = reduced_type<Op, none, value_of<Values>, unwrapped<ValuesOut>>;
  using job = runs_job<value, unwrapped<Values>, Heads, ends, Op>;
  check_not_null(call, named.values, values, n);
  check_not_null(call, named.out_values, out_values, n);
  detail::check_begin(call, named.values, values, n, named.out_values, out_values, true);
  check_saved(call, policy, named.keys, keys, n, named.out_keys, out_keys);
  check_saved(call, policy, named.values, values, n, named.out_values, out_values);
  check_not_size(call, policy, count);
  if (n == 0) {
    if (count != nullptr && !is_measuring(policy)) clear_counts(call, policy, count, 1);
    return 0;
  }
  if (count == nullptr && !is_measuring(policy)) check_may_wait(call, policy);
  layout scratch;
  saved_input<Policy, Keys> own_keys(keys, n, detail::same_start(keys, out_keys), scratch);
  saved_input<Policy, Values> own_values(values, n, detail::same_start(values, out_values), scratch);
  const auto make_job = [&](index_t* to, void* memory) {
    const auto read_keys = own_keys.get(call, policy, memory, n);
    const Heads heads = heads_of(read_keys);
    const ends out{heads, read_keys, unwrap(out_keys), unwrap(out_values), to, count_of(policy, n)};
    // Without nested braces: segmented_scan_dispatch.hpp says why.
    const typename job::source_type source{own_values.get(call, policy, memory, n), heads};
    return job{source, out, typename job::op_type{op}, {}, {}, n};
  };
  if constexpr (on_cuda<Policy>) {
    return reduce_heads_on_cuda(call, policy, n, scratch, make_job, count);
  } else {
    using tile = cpu_runs_tile<value, unwrapped<Values>, Heads, ends, Op>;
    return reduce_heads_on_cpu<tile>(call, policy, n, scratch, make_job, count, own_keys, own_values);
  }
}

template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
index_t reduce_runs(const char* call, const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                    ValuesOut out_values, Equal equal, Op op, index_t* count, const run_ranges& named = {}) {
  const index_t n = checked_distance(call, first, last), one = n > 0 ? 1 : 0;
  check_not_null(call, named.keys, first, n);
  check_not_null(call, named.out_keys, out_keys, n);
  detail::check_begin(call, named.keys, first, n, named.out_keys, out_keys, true);
  detail::check_begin(call, named.keys, first, n, named.out_values, out_values, false);
  detail::check_begin(call, named.values, values, n, named.out_keys, out_keys, false);
  check_overlap(call, named.out_keys, out_keys, one, named.out_values, out_values, one, false);
  const auto heads_of = [equal](unwrapped<Keys> keys) { return heads_from_keys<unwrapped<Keys>, Equal>{keys, equal}; };
  return detail::reduce_heads(call, as_policy(policy), n, heads_of, first, values, out_keys, out_values, op, count,
                              named);
}

// By head flags. Only results are written, no keys.
template <class Policy, class It, class Flags, class Out, class Op>
index_t reduce_flagged(const char* call, const Policy& policy, It first, It last, Flags flags, Out out, Op op,
                       index_t* count) {
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "head_flags", flags, n);
  detail::check_begin(call, "the head flags", flags, n, "out", out, false);
  const thrust::counting_iterator<index_t> no_keys(0);
  const auto heads_of = [flags](thrust::counting_iterator<index_t>) {
    return heads_from_flags<unwrapped<Flags>>{unwrap(flags)};
  };
  return reduce_heads(call, as_policy(policy), n, heads_of, no_keys, first, thrust::make_discard_iterator(), out, op,
                      count, {"", "[first, last)", "", "out"});
}

}  // namespace onepass::detail
