// SPDX-License-Identifier: Apache-2.0
// Threads for one call: oneTBB's where it is linked, otherwise std::thread. Nothing in the protocol needs the members of
// a team to run at once: a member that starts late, or after all others have ended, just finds less to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <onepass/config.hpp>

#if ONEPASS_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif

namespace onepass::detail {

// Asked for once: that takes two microseconds, ten times as long as a scan of 1,000 items.
inline int available_threads() {
  static const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return threads;
}

#if ONEPASS_HAS_TBB
// An arena for one call: a member that waits for others must not be given somebody else's work to do meanwhile, which could
// wait for what this thread holds.
//
// One is kept from call to call, for whoever finds it free, as a worker that has just left an arena comes back to it within a
// microsecond, and to a new one only when it has been woken. It lives as long as the program: no thread belongs to it.
class team_arena {
 public:
  explicit team_arena(int members) {
    if (members == available_threads() && !kept().is_taken.exchange(true, std::memory_order_acquire)) {
      arena_ = &kept().arena;
    } else {
      arena_ = &own_.emplace(members);
    }
  }
  ~team_arena() {
    if (!own_) kept().is_taken.store(false, std::memory_order_release);
  }
  team_arena(const team_arena&) = delete;
  team_arena& operator=(const team_arena&) = delete;

  tbb::task_arena& get() { return *arena_; }

 private:
  struct kept_arena {
    tbb::task_arena arena{available_threads()};
    std::atomic<bool> is_taken{false};
  };
  static kept_arena& kept() {
    static kept_arena& arena = *new kept_arena;  // not destroyed: a call may come from another object's destructor
    return arena;
  }
  std::optional<tbb::task_arena> own_;
  tbb::task_arena* arena_;
};
#endif

// body() on `members` threads, or on as many as can be started, one of them the calling thread.
template <class Body>
void run_on_own_threads(int members, Body& body) {
  std::vector<std::thread> others;
  try {
    others.reserve(static_cast<std::size_t>(members) - 1);
    for (int i = 1; i < members; ++i) others.emplace_back([&body] { body(); });
  } catch (const std::exception&) {
    // No more threads, or no memory for one (std::system_error, std::bad_alloc): those that run do the work.
  }
  body();
  for (std::thread& t : others) t.join();
}

#if ONEPASS_HAS_TBB
// Whether `count` threads can be started beside the calling one. Found out by starting them; they wait until all are there.
inline bool can_start_threads(int count) {
  std::vector<std::thread> threads;
  std::mutex started;
  bool all = true;
  {
    const std::lock_guard<std::mutex> lock(started);
    try {
      threads.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i)
        threads.emplace_back([&started] { const std::lock_guard<std::mutex> wait(started); });
    } catch (const std::exception&) {
      all = false;
    }
  }
  for (std::thread& t : threads) t.join();
  return all;
}

// oneTBB's workers start further workers, and a worker that cannot ends the program by std::terminate, where nobody can
// catch anything. So before the first team, all threads that it may ever want are started once (10 us each); if they are
// not to be had, teams are made of threads of our own, which may be fewer.
inline bool tbb_has_threads() {
  static const bool has = can_start_threads(available_threads() - 1);
  return has;
}
#endif

// Runs body() at least once and at most `members` times, at once as far as there are threads, one of them the calling
// thread, and returns when all have ended. A body that runs to its end has to leave nothing for the others to do. body must
// not throw.
template <class Body>
void run_team(int members, Body&& body) {
  if (members <= 1) {
    body();
    return;
  }
#if ONEPASS_HAS_TBB
  if (tbb_has_threads()) {
    std::atomic<bool> has_begun{false};
    try {
      team_arena arena(std::min(members, available_threads()));
      arena.get().execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<int>(0, members, 1),
            [&](const tbb::blocked_range<int>&) {
              has_begun.store(true, std::memory_order_relaxed);
              body();
            },
            tbb::simple_partitioner());
      });
    } catch (const std::exception&) {
      // oneTBB's own: no memory for a task, or no thread after all. Whoever has begun has done the work.
    }
    if (!has_begun.load(std::memory_order_relaxed)) body();
    return;
  }
#endif
  run_on_own_threads(members, body);
}

// Calls body(part, member) for each part from 0 to parts - 1; the members of a team, from 0 on, draw them one after another.
// When all have ended, throws what one of them has thrown; after that, no more parts are begun.
template <class Body>
void share_out(int members, index_t parts, Body&& body) {
  if (members <= 1) {
    for (index_t part = 0; part < parts; ++part) body(part, 0);
    return;
  }
  std::atomic<index_t> next{0};
  std::atomic<int> next_member{0};
  std::mutex mutex;
  std::exception_ptr failure;
  run_team(members, [&] {
    const int member = next_member.fetch_add(1, std::memory_order_relaxed);
    try {
      for (index_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) body(part, member);
    } catch (...) {
      next.store(parts, std::memory_order_relaxed);
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
    }
  });
  const std::lock_guard<std::mutex> lock(mutex);  // what the members wrote is ours to see
  if (failure) std::rethrow_exception(failure);
}

}  // namespace onepass::detail
