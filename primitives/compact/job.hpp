// SPDX-License-Identifier: Apache-2.0
// Compaction as the drivers see it: a scan of "is it kept?" counts, whose epilogue stores the kept items at their ranks.
// Flags never go to memory: predicate, scan and scatter are one pass. Bytes moved: n items read, k kept ones written.
//
// Source: Merrill and Garland (2016), section 5 (selection by the same look-back).
#pragma once

#include <cuda/std/optional>

#include "../../core/operators.hpp"
#include "../../core/source.hpp"

namespace onepass::detail {

// ---- which items are kept: at(i), keeps(i, item) --------------------------------------------------------------------
template <class It, class Pred>
struct kept_by_predicate {
  using item = value_of<It>;
  It it;
  Pred pred;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t, const item& x) { return static_cast<bool>(pred(x)); }
};

template <class It, class Stencil, class Pred>
struct kept_by_stencil {
  using item = value_of<It>;
  It it;
  Stencil stencil;
  Pred pred;
  const char* name;  // of the argument
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t i, const item&) {
    return static_cast<bool>(pred(static_cast<value_of<Stencil>>(stencil[i])));
  }
};

// The first of each run of equal items. In place the item before may be overwritten, but never before it is read here:
// only tiles from this one on write other items there, and they wait for this one to be published.
template <class It, class Equal>
struct kept_if_new {
  using item = value_of<It>;
  It it;
  Equal equal;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool keeps(index_t i, const item& x) {
    return i == 0 || !static_cast<bool>(equal(static_cast<item>(it[i - 1]), x));
  }
};

// ---- function objects that the calls are made of ----------------------------------------------------------------------
template <class Pred>
struct negated {
  Pred pred;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) {
    return !static_cast<bool>(pred(x));
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

// ---- where items go: kept ones to kept[rank], the others, if wanted, to rejected[rank among them] ---------------------
struct nowhere {};

template <class Kept, class Rejected = nowhere>
struct sink {
  static constexpr bool takes_rejected = !std::is_same_v<Rejected, nowhere>;
  Kept kept;
  Rejected rejected;
  bool in_place;  // kept is where the items come from
};

// ---- the job ----------------------------------------------------------------------------------------------------------
template <class Rule, class Sink>
struct compact_job {
  using rule_type = Rule;
  using sink_type = Sink;
  using item = typename Rule::item;
  using value_type = index_t;         // how many are kept before
  using stored_type = std::uint32_t;  // in one tile
  using op_type = sum;
  static constexpr bool ordered = true;  // in place, a tile may write where another has read

  Rule rule;
  Sink sink;
  index_t* count;  // of kept items, written by the last tile; may be null
  index_t n;
  op_type op = {};
  ::cuda::std::optional<index_t> initial = {};
};

}  // namespace onepass::detail
