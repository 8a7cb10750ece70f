// SPDX-License-Identifier: Apache-2.0
// Teams where threads or memory for them cannot be had: the work is done by those that run, or by the calling thread alone.
#include "../../core/cpu/driver/thread_team.hpp"

#include <onepass/scan.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "support/failing_allocations.hpp"
#include "support/float_control.hpp"
#include "support/test.hpp"

namespace {

using onepass::detail::run_on_own_threads;
using onepass::detail::run_team;
using onepass::detail::share_out;

// Each allocation of `start` fails once; body has to run in any case, not more than 8 times.
template <class Start>
void fail_each_allocation(Start start) {
  for (long k = 1;; ++k) {
    std::atomic<int> runs{0};
    bool failed = false;
    {
      const test::failing_allocation failure(k);
      start(8, [&] { runs.fetch_add(1); });
      failed = failure.has_failed();
    }
    EXPECT_GE(runs.load(), 1) << "allocation " << k;
    EXPECT_LE(runs.load(), 8) << "allocation " << k;
    if (!failed) break;
    ASSERT_LT(k, 1000);
  }
}

TEST(thread_team, own_threads_without_memory_cpu) {
  fail_each_allocation([](int members, auto body) { run_on_own_threads(members, body); });
}
TEST(thread_team, without_memory_cpu) {
  fail_each_allocation([](int members, auto body) { run_team(members, body); });
}
TEST(thread_team, parts_without_memory_cpu) {
  for (long k = 1; k < 40; ++k) {
    std::vector<int> done(100);
    {
      const test::failing_allocation failure(k);
      share_out(8, 100, [&](onepass::index_t part, int) { ++done[static_cast<std::size_t>(part)]; });
    }
    EXPECT_EQ(done, std::vector<int>(100, 1)) << "allocation " << k;
  }
}

// In a process of its own: lets it have `threads` threads beside its first, and no more, then ends it with 0 if f() is true.
// Root has no such limit, so it becomes a user that nobody else is.
template <class F>
[[noreturn]] void end_with_few_threads(int threads, F f) {
  const bool is_root = geteuid() == 0;
  const auto most = static_cast<rlim_t>(is_root ? threads + 1 : 0);
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) std::_Exit(3);
  if (is_root && setuid(static_cast<uid_t>(70000 + getpid())) != 0) std::_Exit(4);
  std::_Exit(f() ? 0 : 5);
}
#define ONEPASS_EXPECT_WITH_FEW_THREADS(threads, f) \
  EXPECT_EXIT(end_with_few_threads(threads, f), testing::ExitedWithCode(0), "")

bool scans() {
  std::vector<std::int64_t> in(1 << 20), out(1 << 20), expected(1 << 20);
  std::iota(in.begin(), in.end(), 0);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  for (const int threads : {2, 8, 0, 64}) {
    std::fill(out.begin(), out.end(), 0);
    onepass::inclusive_scan(onepass::cpu(threads), in.begin(), in.end(), out.begin());
    if (out != expected) return false;
  }
  return true;
}

class few_threads : public testing::Test {
 protected:
  // The program is started anew: in a process made by fork alone oneTBB has no threads.
  few_threads() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(few_threads, none_cpu) { ONEPASS_EXPECT_WITH_FEW_THREADS(0, scans); }
TEST_F(few_threads, one_cpu) { ONEPASS_EXPECT_WITH_FEW_THREADS(1, scans); }
TEST_F(few_threads, own_threads_cpu) {
  ONEPASS_EXPECT_WITH_FEW_THREADS(2, [] {
    std::atomic<int> runs{0};
    const auto body = [&] { runs.fetch_add(1); };
    run_on_own_threads(8, body);
    return runs.load() >= 1;
  });
}
#if ONEPASS_HAS_TBB
TEST_F(few_threads, asked_for_before_tbb_is_cpu) {
  if (geteuid() != 0) GTEST_SKIP() << "the user's other processes count, too";
  using onepass::detail::can_start_threads;
  ONEPASS_EXPECT_WITH_FEW_THREADS(4, [] { return can_start_threads(4); });
  ONEPASS_EXPECT_WITH_FEW_THREADS(4, [] { return !can_start_threads(5); });
  ONEPASS_EXPECT_WITH_FEW_THREADS(0, [] { return can_start_threads(0) && !can_start_threads(1); });
}
#endif

}  // namespace

#if ONEPASS_HAS_TBB
// A body may use oneTBB, as the caller's function objects are called there. While it waits for its tasks, its thread begins
// no other member's body, which may wait for what this one does.
ONEPASS_CPU_TEST(thread_team, bodies_that_use_tbb) {
  if (onepass::detail::available_threads() < 4) GTEST_SKIP() << "needs four cores";
  for (int call = 0; call < 200; ++call) {
    std::atomic<int> nested{0};
    run_team(8, [&] {
      thread_local bool is_inside = false;
      if (is_inside) nested.fetch_add(1);
      const bool was_inside = std::exchange(is_inside, true);
      tbb::parallel_for(0, 64, [](int i) {
        for (int turn = 0; turn < i % 8; ++turn) std::this_thread::yield();
      });
      is_inside = was_inside;
    });
    ASSERT_EQ(nested.load(), 0);
  }
}
#endif

// A pool's threads have been started when the caller's setting was another one.
ONEPASS_CPU_TEST(thread_team, calculates_as_its_caller) {
  const unsigned usual = test::float_control();
  const auto controls_of_members = [] {
    std::mutex mutex;
    std::vector<unsigned> found;
    run_team(8, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // others take some of the members meanwhile
      const std::lock_guard<std::mutex> lock(mutex);
      found.push_back(test::float_control());
    });
    return found;
  };
  for (int call = 0; call < 3; ++call) {
    for (const unsigned control : controls_of_members()) EXPECT_EQ(control, usual);
    const test::subnormals_are_zero setting;
    for (const unsigned control : controls_of_members()) EXPECT_EQ(control, test::float_control());
  }
  EXPECT_EQ(test::float_control(), usual);
}

// A process that is bound to some cores (taskset, a batch system, a container) makes no more threads than it has cores.
ONEPASS_CPU_TEST(thread_team, counts_the_cores_that_it_may_use) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const int bound = onepass::detail::find_available_threads();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(bound, 1);
  EXPECT_EQ(onepass::detail::find_available_threads(), CPU_COUNT(&before));
}
