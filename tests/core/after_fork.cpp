// SPDX-License-Identifier: Apache-2.0
// Calls on the CPU in a child process, whose parent has made calls and has threads that the child has not (docs/threads.md).
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>

#include "support/test.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {

// Whether a scan and a sort of n items are right.
bool are_right(int threads, std::size_t n) {
  std::vector<std::uint32_t> items(n), sums(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::uint32_t>(test::hash(1, i));
  std::vector<std::uint32_t> expected(n);
  std::partial_sum(items.begin(), items.end(), expected.begin());
  onepass::inclusive_scan(onepass::cpu(threads), items.begin(), items.end(), sums.begin());
  onepass::radix_sort(onepass::cpu(threads), items.begin(), items.end());
  return sums == expected && std::is_sorted(items.begin(), items.end());
}

// What a child ends with in which both calls are right.
constexpr int right = 7;

}  // namespace

#if ONEPASS_HAS_TBB
// oneTBB may be at work although the parent has never called onepass with more than one thread: by itself, for instance. Of
// children of such a parent 3 in 311 hung.
ONEPASS_CPU_TEST(after_fork, child_of_a_parent_without_calls) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  ASSERT_TRUE(are_right(1, 1000));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(120);  // ends a child that hangs
    _exit(onepass::detail::is_forked() && are_right(4, 1 << 20) ? right : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), right);
  EXPECT_FALSE(onepass::detail::is_forked());
}
#endif

ONEPASS_CPU_TEST(after_fork, child_makes_calls) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  for (const int threads : {1, 2, 16}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    ASSERT_TRUE(are_right(threads, 1 << 20));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(120);  // ends a child that hangs
      _exit(are_right(threads, 1 << 20) && are_right(threads, 1000) && are_right(threads, 1 << 18) ? right : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), right);
    EXPECT_TRUE(are_right(threads, 1 << 20)) << "in the parent, afterwards";
  }
}

// Workers of the call before are at work still, or look for it.
ONEPASS_CPU_TEST(after_fork, child_that_was_forked_right_behind_a_call) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  const std::vector<std::uint64_t> items(300000, 1);
  std::vector<std::uint64_t> sums(items.size());
  const auto scan = [&] {
    onepass::inclusive_scan(onepass::cpu(), items.begin(), items.end(), sums.begin());
    return sums.back() == items.size();
  };
  for (int run = 0; run < 300; ++run) {
    for (int calls = 0; calls <= run % 3; ++calls) ASSERT_TRUE(scan());
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // ends a child that hangs
      _exit(scan() && scan() ? right : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << " in run " << run;
    ASSERT_EQ(WEXITSTATUS(status), right);
  }
}
