// SPDX-License-Identifier: Apache-2.0
// The function object for a == b, of any two types. Calls compare by it where the caller gives no comparison.
#pragma once

#include <onepass/config.hpp>

namespace onepass::detail {

struct equal_to {
  ONEPASS_EXEC_CHECK_DISABLE
  template <class A, class B>
  constexpr ONEPASS_HOST_DEVICE bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};

}  // namespace onepass::detail
