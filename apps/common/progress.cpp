// SPDX-License-Identifier: Apache-2.0
// Draws the progress bar.
#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace apps {
namespace {

constexpr int bar_width = 40;

}  // namespace

progress_bar::progress_bar(const char* what, int steps)
    : what_(what), steps_(steps), on_terminal_(isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar() {
  if (shown_) std::fputs("\r\033[K", stderr);  // to the line's start, and clear it
}

void progress_bar::show(int done) {
  using namespace std::chrono_literals;
  if (!on_terminal_ || std::chrono::steady_clock::now() - begin_ < 1s) return;
  shown_ = true;
  const auto full = static_cast<std::size_t>(static_cast<long>(bar_width) * done / steps_);
  const std::string bar = std::string(full, '#') + std::string(bar_width - full, '.');
  std::fprintf(stderr, "\r[%s] %s %d of %d", bar.c_str(), what_, done, steps_);
  std::fflush(stderr);
}

}  // namespace apps
