// SPDX-License-Identifier: Apache-2.0
// onepass/rank_carry.hpp: what a local scan across ranks leaves for its reader (onepass/distributed_scan.hpp).
#pragma once

#include "config.hpp"

namespace onepass::distributed {

// The combination of the items of all ranks before this one.
template <class T>
struct rank_carry {
  bool exists;  // false if no rank before this one has an item, and no initial value was given
  T value;      // meaningless if `exists` is false

  // Returns value op x; x if there is no value.
  ONEPASS_EXEC_CHECK_DISABLE
  template <class Op>
  ONEPASS_HOST_DEVICE T followed_by(const T& x, Op op) const {
    return exists ? static_cast<T>(op(value, x)) : x;
  }
};

}  // namespace onepass::distributed
