// SPDX-License-Identifier: Apache-2.0
// Numbers and text, the table of comparisons, the choice of a backend.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../../apps/common/backend.hpp"
#include "../../../apps/common/comparison.hpp"
#include "../../../apps/common/cpu_backend.hpp"
#include "../../../apps/common/text.hpp"
#include "../../../apps/common/user_error.hpp"

namespace {

using namespace apps;

TEST(text, numbers) {
  EXPECT_EQ(number_in("12"), 12);
  EXPECT_EQ(number_in("+1.5e-3"), 1.5e-3);
  EXPECT_EQ(number_in("-.5"), -0.5);
  EXPECT_EQ(number_in("1e-400"), 0);
  EXPECT_EQ(number_in("-1e400"), -HUGE_VAL);
  for (const char* word : {"", "+", "-", "++1", "+-1", "1x", "x", " 1", "1 ", "0x10", "1,5", "1e"}) {
    EXPECT_EQ(number_in(word), std::nullopt) << word;
  }
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(text, escapes_what_steers_a_terminal) {
  EXPECT_EQ(escaped("plain text, \\ and ~"), "plain text, \\ and ~");
  EXPECT_EQ(escaped("a\tb\n\x1b[31m\x7f\xff"), "a\\x09b\\x0a\\x1b[31m\\x7f\\xff");
  EXPECT_EQ(escaped(std::string("\0", 1)), "\\x00");
  const std::string unicode = "gr\xc3\xb6n, \xe2\x82\xac, \xf0\x9f\x8c\x8c";
  EXPECT_EQ(escaped(unicode), unicode);
  EXPECT_EQ(escaped("\xc2\x9b"), "\\xc2\\x9b");                             // a control character of two bytes
  EXPECT_EQ(escaped("\xe2\x80\xae"), "\\xe2\\x80\\xae");                    // turns the order of what follows
  EXPECT_EQ(escaped("\xc0\x9b\xe0\x80\x9b"), "\\xc0\\x9b\\xe0\\x80\\x9b");  // longer than they need to be
  EXPECT_EQ(escaped("\xed\xa0\x80\xf5\x80\x80\x80"), "\\xed\\xa0\\x80\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(escaped("\xc3"), "\\xc3");
  EXPECT_EQ(printable(std::string(1000, 'x')).size(), 40U);
  EXPECT_EQ(printable(std::string(39, 'x') + "\xc3\xb6"), std::string(39, 'x'));
}

TEST(comparison, median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(comparison, table_says_who_disagrees) {
  std::vector<comparison> rows{{"multiply", "ours", "theirs", 2, 8, true, "by 1e-16"}, {"read", "", "", 1, 0, true}};
  EXPECT_TRUE(all_agree(rows));
  std::ostringstream good;
  print_comparisons(good, "step", rows);
  EXPECT_NE(good.str().find("4.00  yes (by 1e-16)"), std::string::npos) << good.str();
  EXPECT_EQ(good.str().find("NO"), std::string::npos) << good.str();
  rows[0].agree = false;
  EXPECT_FALSE(all_agree(rows));
  std::ostringstream bad;
  print_comparisons(bad, "step", rows);
  EXPECT_NE(bad.str().find("NO"), std::string::npos) << bad.str();
}

TEST(backend, automatic_takes_what_is_there) {
  const backend_kind chosen = chosen_backend(backend_kind::automatic);
  EXPECT_EQ(chosen, why_no_cuda().empty() ? backend_kind::cuda : backend_kind::cpu);
  EXPECT_EQ(chosen_backend(backend_kind::cpu), backend_kind::cpu);
}

TEST(backend, no_device_where_one_was_asked_for) {
  if (why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  try {
    chosen_backend(backend_kind::cuda);
    FAIL() << "no error";
  } catch (const user_error& error) {
    EXPECT_NE(std::string(error.what()).find("--backend cuda"), std::string::npos) << error.what();
  }
}

// In a process of its own, which may start no threads: root has no such limit, so it becomes a user that nobody else is. Ends
// it with 0 if all is done without them, and with 77 where the system does not let it try.
[[noreturn]] void count_without_threads() {
  const bool is_root = geteuid() == 0;
  const rlimit limit{is_root ? 1U : 0U, is_root ? 1U : 0U};
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) std::_Exit(77);
  if (is_root && setuid(static_cast<uid_t>(70000 + getpid())) != 0) std::_Exit(77);
  try {
    std::thread([] {}).join();
    std::_Exit(77);  // they can be started all the same
  } catch (const std::system_error&) {
  }
  std::vector<int> done(1000);
  cpu_backend(8).for_each(1000, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
  std::_Exit(done == std::vector<int>(1000, 1) ? 0 : 5);
}

TEST(backend, for_each_goes_on_with_the_threads_that_there_are) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto is_well = [](int status) {
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
  };
  EXPECT_EXIT(count_without_threads(), is_well, "");
  cpu_backend(8).for_each(0, [](std::int64_t) { FAIL(); });
}

}  // namespace
