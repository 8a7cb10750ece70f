// SPDX-License-Identifier: Apache-2.0
// Threads for one call: oneTBB's where it is linked, otherwise std::thread. The members of a team do not have to run at
// once: a member that starts late, or after all others have ended, finds less to do, or nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include <onepass/config.hpp>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif
#if ONEPASS_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif

namespace onepass::detail {

// The number of cores that the process may use, which is its first thread's, or of all cores where the system does not
// say. The system is asked once: that takes two microseconds, ten times as long as a scan of 1,000 items.
[[gnu::noinline, gnu::cold]] inline int find_available_threads() {
#if defined(__linux__)
  cpu_set_t cores;  // has room for 1,024; where there are more, the system refuses
  if (sched_getaffinity(getpid(), sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
inline int available_threads() {
  static const int threads = find_available_threads();
  return threads;
}

#if ONEPASS_HAS_TBB
// An arena for one call. A member that waits for others must not be given work of another arena meanwhile: that work
// could wait for what this thread has locked.
//
// One arena is kept, and any call that finds it free takes it. A worker that has just left an arena comes back to it
// within a microsecond, but into a new one only after it has been woken (56 us: docs/history/performance-log.md,
// "CPU"). The kept arena lives as long as the program; no thread belongs to it.
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
    static kept_arena& arena = *new kept_arena;  // not destroyed, as a static object's destructor may make calls
    return arena;
  }
  std::optional<tbb::task_arena> own_;
  tbb::task_arena* arena_;
};
#endif

// Refers to a function object that lives as long as the call that takes this. So threads and tasks are compiled once, and
// not for every function object: in a sort they were two fifths of the code.
template <class... Arguments>
class function_reference {
 public:
  template <class F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, function_reference>, int> = 0>
  function_reference(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_(call_as<std::remove_reference_t<F>>) {}
  void operator()(Arguments... arguments) const { call_(object_, arguments...); }

 private:
  template <class F>
  static void call_as(void* object, Arguments... arguments) {
    (*static_cast<F*>(object))(arguments...);
  }
  void* object_;
  void (*call_)(void*, Arguments...);
};

// How the thread that makes this rounds floats, and whether it takes subnormal ones for zero. A team does as its caller does,
// so that results do not depend on which thread has which part: XLA sets the latter for calls on the CPU, and the threads of
// a pool have what was set when they were started.
class float_control {
#if defined(__SSE2__)
 public:
  float_control() : word_(__builtin_ia32_stmxcsr()) {}
  template <class F>
  void run(F f) const {
    const unsigned own = __builtin_ia32_stmxcsr();
    const bool differs = ((own ^ word_) & controls) != 0;
    if (differs) __builtin_ia32_ldmxcsr(word_);
    f();
    if (differs) __builtin_ia32_ldmxcsr(own);
  }

 private:
  static constexpr unsigned controls = 0xffc0;  // the other bits say what has happened
  unsigned word_;
#else
 public:
  template <class F>
  void run(F f) const {
    f();
  }
#endif
};

// Calls body() on `members` threads, or on as many as can be started. One of them is the calling thread.
inline void run_on_own_threads(int members, function_reference<> body) {
  std::vector<std::thread> others;
  try {
    others.reserve(static_cast<std::size_t>(members) - 1);
    for (int i = 1; i < members; ++i) others.emplace_back([body] { body(); });
  } catch (const std::exception&) {
    // No more threads, or no memory for one (std::system_error, std::bad_alloc): those that have started do the work.
  }
  body();
  for (std::thread& t : others) t.join();
}

#if ONEPASS_HAS_TBB
// Whether `count` threads can be started beside the calling one. This starts them; they wait until all have started,
// and end.
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

// oneTBB's workers start further workers. A worker that cannot do so ends the program by std::terminate, and nobody can
// catch an exception there. So before the first team, as many threads as oneTBB may ever want are started once (10 us
// each). If that fails, teams are made of threads of our own, which may be fewer.
inline bool tbb_has_threads() {
  static const bool has = can_start_threads(available_threads() - 1);
  return has;
}
#endif

#if ONEPASS_HAS_TBB
// Whether this process was forked from another after the program, or the library that this is in, had been loaded. Its copy of
// oneTBB may wait for ever for workers that were at work, or looked for it, when it was forked: of children that were forked
// right behind a call 6 of 51 did. The parent need not have called onepass for that: it may use oneTBB by itself.
#if defined(__linux__)
inline const pid_t process_at_load = getpid();
inline bool is_forked() { return getpid() != process_at_load; }
#else
inline bool is_forked() { return false; }
#endif
#endif

// Runs body() at least once and at most `members` times, at the same time as far as there are threads. One of them is
// the calling thread. Returns when all have ended. A body that runs to its end has to leave nothing for the others to
// do. body must not throw.
inline void run_team(int members, function_reference<> of_member) {
  if (members <= 1) {
    of_member();
    return;
  }
  const float_control control;
  const auto as_caller = [&] { control.run(of_member); };
  const function_reference<> body(as_caller);
#if ONEPASS_HAS_TBB
  if (!is_forked() && tbb_has_threads()) {
    std::atomic<bool> has_begun{false};
    try {
      team_arena arena(std::min(members, available_threads()));
      arena.get().execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<int>(0, members, 1),
            [&](const tbb::blocked_range<int>&) {
              has_begun.store(true, std::memory_order_relaxed);
              // A function object of the caller's may use oneTBB. While it waits there, its thread must not begin
              // another member's body, which may wait for what this one does.
              tbb::this_task_arena::isolate(body);
            },
            tbb::simple_partitioner());
      });
    } catch (const std::exception&) {
      // oneTBB has thrown: no memory for a task, or no thread after all. A body that has begun has done all the work.
    }
    if (!has_begun.load(std::memory_order_relaxed)) body();
    return;
  }
#endif
  run_on_own_threads(members, body);
}

// Calls body(part, member) for each part from 0 to parts - 1. The members of a team, numbered from 0, draw parts one
// after another. If a body throws, no more parts are begun; when all members have ended, this throws the same
// exception.
inline void share_out(int members, index_t parts, function_reference<index_t, int> body) {
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
  const std::lock_guard<std::mutex> lock(mutex);  // makes visible what the members wrote
  if (failure) std::rethrow_exception(failure);
}

}  // namespace onepass::detail
