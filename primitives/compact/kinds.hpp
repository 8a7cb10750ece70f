// SPDX-License-Identifier: Apache-2.0
// Which of three kinds an item is, and how many items of the first two kinds there are.
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

// An item for which both predicates are true is of the first kind.
template <class First, class Second>
struct kinds {
  First first;
  Second second;
  // 0, 1 or 2.
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE int of(const T& x) const {
    First is_first = first;
    if (detail::holds(is_first, x)) return 0;
    Second is_second = second;
    return detail::holds(is_second, x) ? 1 : 2;
  }
  // An item's kind as counts.
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T>
  ONEPASS_HOST_DEVICE two_counts<index_t> operator()(const T& x) const {
    const int kind = of(x);
    return {kind == 0, kind == 1};
  }
};

// Which output item i goes to.
template <class It, class Kinds>
struct number_of_kind {
  It in;
  Kinds kinds;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE int operator()(index_t i) const { return kinds.of(static_cast<value_of<It>>(in[i])); }
};

}  // namespace onepass::detail
