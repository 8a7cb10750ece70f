// SPDX-License-Identifier: Apache-2.0
// The job that drivers run for a compaction: a scan of counts of kept items, whose epilogue stores each kept item at
// its rank. Flags never go to memory: predicate, scan and scatter are one pass. Bytes moved: n items are read and k
// kept items written.
//
// Source: Merrill and Garland (2016), section 5 (selection by the same look-back).
#pragma once

#include <cuda/std/optional>

#include <onepass/operators.hpp>
#include "../../core/scan/source.hpp"
#include "../../core/support/none.hpp"

namespace onepass::detail {

// Whether pred(x) is true. A user's predicate may take its item by a reference that is not const.
ONEPASS_EXEC_CHECK_DISABLE
template <class Pred, class T>
ONEPASS_HOST_DEVICE bool holds(Pred& pred, const T& x) {
  if constexpr (std::is_invocable_v<Pred&, const T&>) {
    return static_cast<bool>(pred(x));
  } else {
    T own = x;
    return static_cast<bool>(pred(own));
  }
}

// ---- rules: which items are kept ------------------------------------------------------------------------------------
// A rule has
//   it             the items
//   keeps(i, item) whether the item is kept; asked once for each item
//   keep_row(i, items)  on the device: a word whose bit j says whether item i + j is kept
//   keeps_first    whether the first item is kept, whatever it is
//   looks_up       whether its functor may read memory
// A rule for items of plain arrays also has what a tile needs to stage them (core/scan/source.hpp).

// Keeps the items for which pred is true.
template <class It, class Pred>
struct kept_by_predicate {
  using item = value_of<It>;
  using read_type = item;
  static constexpr bool stageable = is_stageable<It>, looks_up = may_look_up<Pred>();
  static constexpr bool keeps_first = false;
  It it;
  Pred pred;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t, const item& x) { return detail::holds(pred, x); }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ unsigned keep_row(index_t i, const item (&x)[V]) {
    unsigned kept = 0;
#pragma unroll
    for (int j = 0; j < V; ++j) kept |= static_cast<unsigned>(keeps(i + j, x[j])) << j;
    return kept;
  }
  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {stream_of<It>::item_bits, 0}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return stream_of<It>::begin(it); }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t) const {
    using items = typename stream_of<It>::template staged<aligned>;
    return kept_by_predicate<items, Pred>{items(at[0]), pred};
  }
#endif
};

// Keeps the items for whose item of the stencil pred is true.
template <class It, class Stencil, class Pred>
struct kept_by_stencil {
  using item = value_of<It>;
  using read_type = item;
  using mark = value_of<Stencil>;
  static constexpr bool stageable = is_stageable<It> && is_stageable_flag<Stencil>, looks_up = may_look_up<Pred>();
  static constexpr bool keeps_first = false;
  It it;
  Stencil stencil;
  Pred pred;
  const char* name;  // the name of the stencil's argument
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t i, const item&) { return detail::holds(pred, static_cast<mark>(stencil[i])); }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ unsigned keep_row(index_t i, const item (&)[V]) {
    mark m[V];
    detail::load_row(stencil, i, m);
    unsigned kept = 0;
#pragma unroll
    for (int j = 0; j < V; ++j) kept |= static_cast<unsigned>(detail::holds(pred, m[j])) << j;
    return kept;
  }
  static constexpr int streams = 2;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int s) {
    return {s == 0 ? stream_of<It>::item_bits : stream_of<Stencil>::item_bits, 0};
  }
  ONEPASS_HOST_DEVICE bit_address stream(int s) const {
    return s == 0 ? stream_of<It>::begin(it) : stream_of<Stencil>::begin(stencil);
  }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t) const {
    using items = typename stream_of<It>::template staged<aligned>;
    using marks = typename stream_of<Stencil>::template staged<aligned>;
    return kept_by_stencil<items, marks, Pred>{items(at[0]), marks(at[1]), pred, name};
  }
#endif
};

// Whether an item equals the one before it.
ONEPASS_EXEC_CHECK_DISABLE
template <class Equal, class It, class Item>
ONEPASS_HOST_DEVICE bool equals_item_before(Equal& equal, const It& it, index_t i, const Item& x) {
  return static_cast<bool>(equal(static_cast<Item>(it[i - 1]), x));
}

// Keeps the first item of each run of equal items. `origin` is the index of the input's first item; it is negative
// where items are counted from the first item of a later tile. In place, the item before a tile may be overwritten, but
// never before this tile has read it: only this tile and later ones write other items there, and those wait until this
// tile is published.
template <class It, class Equal>
struct kept_if_first_of_run {
  using item = value_of<It>;
  using read_type = item;
  static constexpr bool stageable = is_stageable<It>, looks_up = may_look_up<Equal>();
  static constexpr bool keeps_first = true;
  It it;
  Equal equal;
  index_t origin = 0;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t i, const item& x) {
    return i == origin || !equals_item_before(equal, it, i, x);
  }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ unsigned keep_row(index_t i, const item (&x)[V]) {
    unsigned kept = keeps(i, x[0]);
#pragma unroll
    for (int j = 1; j < V; ++j) kept |= static_cast<unsigned>(!static_cast<bool>(equal(x[j - 1], x[j]))) << j;
    return kept;
  }
  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {stream_of<It>::item_bits, 1}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return stream_of<It>::begin(it); }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t first) const {
    using items = typename stream_of<It>::template staged<aligned>;
    return kept_if_first_of_run<items, Equal>{items(at[0]), equal, first == 0 ? 0 : -1};
  }
#endif
};

// ---- function objects of the calls ----------------------------------------------------------------------------------
template <class Pred>
struct negated {
  Pred pred;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) {
    return !detail::holds(pred, x);
  }
};
template <class T>
struct equals {
  T value;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class U>
  ONEPASS_HOST_DEVICE bool operator()(const U& x) const {
    return x == value;
  }
};
struct is_true {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return static_cast<bool>(x);
  }
};

// ---- outputs --------------------------------------------------------------------------------------------------------
// A kept item goes to kept[its rank]; a rejected item, if rejected items are wanted, to rejected[its rank among these].
template <class Kept, class Rejected = none>
struct compact_outputs {
  static constexpr bool takes_rejected = !std::is_same_v<Rejected, none>;
  Kept kept;
  Rejected rejected;
  bool in_place;  // `kept` is the range that the items are read from
  bool ordered;   // a tile may overwrite what another tile reads
};

// ---- the job --------------------------------------------------------------------------------------------------------
template <class Rule, class Outputs>
struct compact_job {
  using rule_type = Rule;
  using source_type = Rule;
  using outputs_type = Outputs;
  using item = typename Rule::item;
  using value_type = index_t;         // a prefix: how many items are kept before
  using stored_type = std::uint32_t;  // an aggregate: how many items of a tile are kept
  using op_type = sum;

  ONEPASS_HOST_DEVICE bool ordered() const { return outputs.ordered; }
  // Called instead of a tile's work where the input turns out to be empty.
  ONEPASS_HOST_DEVICE void end_empty() const {
    if (count != nullptr) *count = 0;
  }

  ONEPASS_HOST_DEVICE const Rule& streams() const { return rule; }  // the pipeline stages what the rule reads

  Rule rule;
  Outputs outputs;
  index_t* count;  // the number of kept items; the last tile stores it
  index_t n;
  op_type op = {};
  ::cuda::std::optional<index_t> initial = {};
};

}  // namespace onepass::detail
