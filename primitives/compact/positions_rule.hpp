// SPDX-License-Identifier: Apache-2.0
// The rule (compact_job.hpp) that keeps the numbers of the flags for which a predicate is true.
#pragma once

#include "compact_job.hpp"

namespace onepass::detail {

// The numbers 0, 1, 2 and so on.
template <class Index>
struct all_numbers {
  ONEPASS_HOST_DEVICE Index operator[](index_t i) const { return static_cast<Index>(i); }
};

template <class Index, class Flags, class Pred>
struct positions_rule {
  using item = Index;
  using read_type = value_of<Flags>;  // the flags are the only stream
  static constexpr bool stageable = is_stageable_flag<Flags>, looks_up = may_look_up<Pred>();
  static constexpr bool keeps_first = false;
  all_numbers<Index> it;
  Flags flags;
  Pred pred;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t i, const item&) { return is_set(i); }
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool is_set(index_t i) { return detail::holds(pred, static_cast<read_type>(flags[i])); }

#if ONEPASS_HAS_CUDA
  // Which of V flags from i on are set: a bit each.
  template <int V>
  __device__ unsigned set_bits(index_t i) {
    read_type row[V];
    detail::load_row(flags, i, row);
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < V; ++j) bits |= static_cast<unsigned>(detail::holds(pred, row[j])) << j;
    return bits;
  }
  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {stream_of<Flags>::item_bits, 0}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return stream_of<Flags>::begin(flags); }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t) const {
    using items = typename stream_of<Flags>::template staged<aligned>;
    return positions_rule<Index, items, Pred>{it, items(at[0]), pred};
  }
#endif
};

}  // namespace onepass::detail
