// SPDX-License-Identifier: Apache-2.0
// a == b of any two types, as a function object: what calls compare by that are given none.
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
