// SPDX-License-Identifier: Apache-2.0
// The job that drivers run for a partition to three ranges: a scan of how many items there are of the first two kinds,
// whose epilogue stores each item at its rank among those of its kind. Bytes moved: each item is read and written once.
#pragma once

#include "compact_job.hpp"

namespace onepass::detail {

template <class Count>
struct two_counts {
  Count first, second;
  template <class Other>
  ONEPASS_HOST_DEVICE operator two_counts<Other>() const {
    return {static_cast<Other>(first), static_cast<Other>(second)};
  }
};
struct add_two_counts {
  template <class Count>
  ONEPASS_HOST_DEVICE two_counts<Count> operator()(const two_counts<Count>& a, const two_counts<Count>& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

// Which of three kinds an item is: 0, 1 or 2. One for which both predicates are true is of the first kind.
template <class First, class Second>
struct kinds {
  static constexpr bool looks_up = may_look_up<First>() || may_look_up<Second>();
  First first;
  Second second;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE int of(const T& x) {
    return detail::holds(first, x) ? 0 : detail::holds(second, x) ? 1 : 2;
  }
};

// Which output item i goes to.
template <class It, class Kinds>
struct number_of_kind {
  It in;
  Kinds kinds;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE int operator()(index_t i) const {
    Kinds own = kinds;
    return own.of(static_cast<value_of<It>>(in[i]));
  }
};

template <class In, class Kinds, class OutFirst, class OutSecond, class OutRest>
struct three_way_job {
  using item = value_of<In>;
  using source_type = values_source<item, In>;
  using kinds_type = Kinds;
  using value_type = two_counts<index_t>;         // a prefix: how many items of the first two kinds are before
  using stored_type = two_counts<std::uint32_t>;  // an aggregate: how many of these a tile has, or some tiles have
  using op_type = add_two_counts;

  // No output may overlap the input.
  static constexpr ONEPASS_HOST_DEVICE bool ordered() { return false; }
  // Called instead of a tile's work where the input turns out to be empty.
  ONEPASS_HOST_DEVICE void end_empty() const { counts[0] = counts[1] = 0; }

  ONEPASS_HOST_DEVICE const source_type& streams() const { return source; }  // the pipeline stages what it reads

  source_type source;
  Kinds kinds;
  OutFirst out_first;
  OutSecond out_second;
  OutRest out_rest;
  index_t* counts;  // of the first two kinds; the last tile stores them
  index_t n;
  op_type op = {};
  ::cuda::std::optional<value_type> initial = {};
};

}  // namespace onepass::detail
