// SPDX-License-Identifier: Apache-2.0
// Times calls that return at once or when they are done, on any backend.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "comparison.hpp"
#include "progress.hpp"

namespace apps {

// Of one call of `work`, on average over `calls` of them in a row, after which the backend is waited for; the median of
// five such rows. One call before them, which isn't timed, warms up caches, memory pools and the GPU's code.
template <class Backend, class Work>
double milliseconds_a_call(const Backend& backend, int calls, Work work) {
  constexpr int rows = 5;
  work();
  std::vector<double> times;
  progress_bar progress("timing, row", rows);
  for (int row = 0; row < rows; ++row) {
    backend.wait();
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) work();
    backend.wait();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() /
                    calls);
    progress.show(static_cast<std::uint64_t>(row) + 1);
  }
  return median(times);
}

}  // namespace apps
