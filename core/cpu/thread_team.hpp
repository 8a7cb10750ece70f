// SPDX-License-Identifier: Apache-2.0
// Threads for one call: oneTBB's where it is linked, otherwise std::thread. Nothing in the protocol needs the members of
// a team to run at once: a member that starts late, or after all others have ended, just finds less to do.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "../config.hpp"

#if ONEPASS_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif

namespace onepass::detail {

inline int available_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Runs body() `members` times, at once as far as there are threads, one of them on the calling thread, and returns when
// all have ended. body must not throw.
template <class Body>
void run_team(int members, Body&& body) {
  if (members <= 1) {
    body();
    return;
  }
#if ONEPASS_HAS_TBB
  // An arena of its own: a member that waits for others must not be given somebody else's work to do meanwhile, which
  // could wait for what this thread holds.
  tbb::task_arena arena(std::min(members, available_threads()));
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, members, 1), [&](const tbb::blocked_range<int>&) { body(); },
        tbb::simple_partitioner());
  });
#else
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(members) - 1);
  try {
    for (int i = 1; i < members; ++i) others.emplace_back(body);
  } catch (const std::system_error&) {
    // Fewer threads than wished for: those that run do the work.
  }
  body();
  for (std::thread& t : others) t.join();
#endif
}

}  // namespace onepass::detail
