// SPDX-License-Identifier: Apache-2.0
// Runs cases in another process, and looks on: what comes out different, crashes or hangs is made smaller, choice by choice,
// and told as a program. This process starts no thread and no device, so it may fork at any time.
#pragma once

#include <atomic>
#include <chrono>

#include "families.hpp"

namespace fuzz {

struct settings {
  double seconds = 10;
  std::uint64_t seed = 1;
  std::string family;  // empty: all
  std::int64_t only_case = -1;
  std::string given;         // choices, instead of a seed
  double hang_seconds = 60;  // how long a case may take
};

// What both processes see.
struct shared_state {
  static constexpr std::size_t most_families = 16, room = 1 << 14, program_room = 1 << 18;
  std::atomic<std::int64_t> number;  // of the case at work
  std::atomic<std::int64_t> calls[most_families], cases;
  char choices[room];
  char message[room];
  char program[program_room];
};

enum class outcome { same, different, crashed, hung, skipped };

class supervisor {
 public:
  explicit supervisor(const settings& s);
  int run();

 private:
  using clock = std::chrono::steady_clock;
  // Ends with the outcome of what `work` does in a process of its own.
  template <class Work>
  outcome in_child(Work work, double hang_seconds);
  void work_until(clock::time_point end);  // in the child
  void run_case(dice& d, bool tells);      // there; throws difference
  bool fails(const choices& all, outcome& how);
  choices smaller(choices all);
  int tell(choices all, outcome how);
  int summary(int differences) const;

  settings settings_;
  shared_state* shared_;
};

}  // namespace fuzz
