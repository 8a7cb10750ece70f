// SPDX-License-Identifier: Apache-2.0
// Why a communicator has failed.
#pragma once

#include <chrono>
#include <cstdio>

#include <onepass/communicator.hpp>

namespace onepass::detail {

// A deadline that a clock can come to; one that is centuries away is none (0).
inline std::chrono::milliseconds deadline_within_reach(std::chrono::milliseconds given) {
  constexpr std::chrono::hours century{24 * 365 * 100};
  return given > century ? std::chrono::milliseconds(0) : given;
}

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
