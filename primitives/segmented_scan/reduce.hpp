// SPDX-License-Identifier: Apache-2.0
// Reducing segments: a scan of (value, number of heads) pairs whose epilogue stores a segment's result where the segment
// ends. The number of heads is the segment's rank, and tells whether there is a head at all: it is the flag, too.
// Bytes moved: keys and values read once, one result a segment written.
#pragma once

#include <cstring>

#include "../../core/count.hpp"
#include "run.hpp"
#include "sources.hpp"

namespace onepass::detail {

template <class T>
struct counted {
  T value;  // of the last segment
  index_t heads;
};
template <class Op>
struct counting {
  Op op;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE counted<T> operator()(const counted<T>& a, const counted<T>& b) {
    if (b.heads > 0) return {b.value, a.heads + b.heads};
    return {static_cast<T>(op(a.value, b.value)), a.heads};
  }
};

// Without the bytes that pad it, in descriptors and between lanes.
template <class T>
struct packed<counted<T>> {
  static constexpr std::size_t size = sizeof(T) + sizeof(index_t);
  static ONEPASS_HOST_DEVICE void write(unsigned char* to, const counted<T>& x) {
    packed<index_t>::write(to, x.heads);
    packed<T>::write(to + sizeof(index_t), x.value);
  }
  static ONEPASS_HOST_DEVICE counted<T> read(const unsigned char* from) {
    return {packed<T>::read(from + sizeof(index_t)), packed<index_t>::read(from)};
  }
};
#if ONEPASS_HAS_CUDA
template <class T, class Move>
__device__ counted<T> shuffle_words(const counted<T>& x, Move move) {
  return {shuffle_words(x.value, move), shuffle_words(x.heads, move)};
}
#endif

// ---- the source -------------------------------------------------------------------------------------------------------
template <class T, class It, class Heads>
struct counted_source {
  using value_type = counted<T>;
  using read_type = value_of<It>;
  static constexpr bool stageable = false;
  It values;
  Heads heads;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE counted<T> at(index_t i) const {
    return {static_cast<T>(static_cast<read_type>(values[i])), heads.is_head(i)};
  }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, counted<T> (&v)[V]) const {
    read_type x[V];
    bool is_head[V];
    load_row(values, i, x);
    heads.row(i, is_head);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = {static_cast<T>(x[j]), is_head[j]};
  }
#endif
};

// ---- the epilogue: an output that takes what is scanned up to item i and keeps what it says of a segment --------------
template <class Heads, class Keys, class KeysOut, class ValuesOut>
struct segment_ends {
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
      if (is_last || ends.heads.is_head(i + 1)) ends.out_values[upto.heads - 1] = upto.value;
      if (is_last) *ends.count = upto.heads;
    }
  };
  ONEPASS_HOST_DEVICE place operator[](index_t i) const { return {*this, i}; }
};

// ---- running it -------------------------------------------------------------------------------------------------------
// The number of segments is left in `count`, or, if that is null, waited for and returned.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
index_t reduce_runs(const char* call, const Policy& any_policy, Keys first, Keys last, Values values, KeysOut out_keys,
                    ValuesOut out_values, Equal equal, Op op, index_t* count) {
  using item = value_of<Values>;
  using T = std::decay_t<std::invoke_result_t<Op&, item&, item&>>;
  using heads_type = heads_by_key<unwrapped<Keys>, Equal>;
  using ends = segment_ends<heads_type, unwrapped<Keys>, unwrapped<KeysOut>, unwrapped<ValuesOut>>;
  using job =
      scan_job<counted_source<T, unwrapped<Values>, heads_type>, ends, counting<Op>, emit_value, /*is_inclusive=*/true>;
  const auto policy = as_policy(any_policy);
  using policy_type = std::decay_t<decltype(policy)>;
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "keys", first, n);
  check_not_null(call, "values", values, n);
  check_not_null(call, "out_keys", out_keys, n);
  check_not_null(call, "out_values", out_values, n);
  check_overlap(call, "the keys", first, n, "out_keys", out_keys, n, false);
  check_overlap(call, "the keys", first, n, "out_values", out_values, n, false);
  check_overlap(call, "the values", values, n, "out_keys", out_keys, n, false);
  check_overlap(call, "the values", values, n, "out_values", out_values, n, false);
  const bool waits = count == nullptr;
  check_not_size(call, policy, count);
  if (n == 0) {
    if (!waits && !is_measuring(policy)) clear_counts(call, policy, count, 1);
    return 0;
  }
  if (waits && !is_measuring(policy)) check_may_wait(call, policy);
  layout scratch;
  const std::size_t own_count = scratch.add<index_t>(1);
  index_t result = 0;
  const heads_type heads{unwrap(first), equal};
  run_scan<job>(
      call, policy, n, scratch,
      [&](void* memory) {
        if (waits) count = section<index_t>(memory, own_count);
        if (is_sized<policy_type>) clear_counts(call, policy, count, 1);  // there may be no item
        return job{{unwrap(values), heads},
                   {heads, unwrap(first), unwrap(out_keys), unwrap(out_values), count, count_of(policy, n)},
                   {op},
                   {},
                   {},
                   n};
      },
      [&] {
        if (waits) read_counts(call, policy, count, &result, 1);
      });
  return result;
}

}  // namespace onepass::detail
