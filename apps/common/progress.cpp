// SPDX-License-Identifier: Apache-2.0
// Draws the progress bar.
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include "text.hpp"

namespace apps {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t bar_width = 40;

}  // namespace

progress_bar::progress_bar(const char* what, std::uint64_t steps, bool anywhere)
    : what_(what),
      steps_(std::max<std::uint64_t>(steps, 1)),
      on_terminal_(anywhere || isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + 1s) {}

progress_bar::~progress_bar() {
  if (shown_) std::fputs("\r\033[K", stderr);  // to the line's start, and clear it
}

void progress_bar::show(std::uint64_t done) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + 100ms;
  shown_ = true;
  const auto full = static_cast<std::size_t>(bar_width * std::min(done, steps_) / steps_);
  const std::string bar = std::string(full, '#') + std::string(bar_width - full, '.');
  std::fprintf(stderr, "\r[%s] %s %s of %s", bar.c_str(), what_, grouped(done).c_str(), grouped(steps_).c_str());
  std::fflush(stderr);
}

}  // namespace apps
