// SPDX-License-Identifier: Apache-2.0
// Why a communicator has failed.
#pragma once

#include <cstdio>

#include <onepass/communicator.hpp>

namespace onepass::detail {

// It has no strings: it is made where there may be no memory, and it travels as bytes.
struct exchange_failure {
  int rank = -1;  // -1: it has not failed
  char text[200] = {};

  bool is_set() const { return rank >= 0; }
  void set(int by_rank, const char* why) {
    if (is_set()) return;  // the first failure is the cause of the others
    rank = by_rank;
    std::snprintf(text, sizeof text, "%s", why);
  }
  [[noreturn]] void raise(const char* call) const { throw distributed_error(call, rank, text); }
};

}  // namespace onepass::detail
