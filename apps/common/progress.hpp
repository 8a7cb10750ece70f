// SPDX-License-Identifier: Apache-2.0
// A progress bar on the standard error stream, for runs longer than a second; none where that is no terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace apps {

class progress_bar {
 public:
  // "frame", of so many. `anywhere`: also where that is no terminal, but leads to one.
  progress_bar(const char* what, std::uint64_t steps, bool anywhere = false);
  ~progress_bar();  // removes the bar, so that what is printed next starts on a clean line
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  // As often as you like: it draws ten times a second.
  void show(std::uint64_t done);

 private:
  const char* what_;
  std::uint64_t steps_;
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace apps
