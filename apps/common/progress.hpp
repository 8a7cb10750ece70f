// SPDX-License-Identifier: Apache-2.0
// A progress bar on the standard error stream, for runs longer than a second; none where that is no terminal.
#pragma once

#include <chrono>

namespace apps {

class progress_bar {
 public:
  progress_bar(const char* what, int steps);  // "frame", of so many
  ~progress_bar();                            // removes the bar, so that what is printed next starts on a clean line
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(int done);

 private:
  const char* what_;
  int steps_;
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace apps
