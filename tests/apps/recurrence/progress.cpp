// SPDX-License-Identifier: Apache-2.0
// A long read and a long write show how far they are, on a terminal of the test's own.
#include "../../../apps/common/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "../../../apps/recurrence/series.hpp"
#include "../common/files.hpp"

namespace {

using namespace std::chrono_literals;
class long_files : public test::own_folder {};

using clock_type = std::chrono::steady_clock;

// What `work` writes to standard error where that is a terminal.
template <class Work>
std::string shown_by(Work work) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  EXPECT_GE(screen, 0);
  std::string shown;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t got = 0; (got = read(terminal, bytes, sizeof bytes)) > 0;) shown.append(bytes, got);
  });
  const int before = dup(STDERR_FILENO);
  dup2(screen, STDERR_FILENO);
  work();
  dup2(before, STDERR_FILENO);
  close(before);
  close(screen);  // the last one: the reader ends
  reader.join();
  close(terminal);
  return shown;
}

// How many rows keep `work` busy for two seconds here.
template <class Work>
std::size_t long_enough(Work work) {
  constexpr std::size_t few = 100000;
  const auto begin = clock_type::now();
  work(few);
  const double seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
  return static_cast<std::size_t>(few * 2 / seconds);
}

void expect_bar(const std::string& shown, const std::string& part) {
  EXPECT_NE(shown.find("[#"), std::string::npos) << shown;
  EXPECT_NE(shown.find(part), std::string::npos) << shown;
  const std::string cleared = "\r\033[K";
  ASSERT_GE(shown.size(), cleared.size());
  EXPECT_EQ(shown.substr(shown.size() - cleared.size()), cleared) << shown;
  EXPECT_LT(shown.size(), 100000U) << "drawn too often";
}

TEST(progress, where_standard_error_is_no_terminal) {
  for (const bool anywhere : {false, true}) {
    testing::internal::CaptureStderr();
    {
      apps::progress_bar bar("step", 10, anywhere);
      std::this_thread::sleep_for(1100ms);
      bar.show(5);
    }
    const std::string shown = testing::internal::GetCapturedStderr();
    if (anywhere) expect_bar(shown, "step 5 of 10");
    else EXPECT_EQ(shown, "");
  }
}

TEST(progress, none_in_the_first_second) {
  EXPECT_EQ(shown_by([] {
              apps::progress_bar bar("step", 10);
              bar.show(5);
            }),
            "");
}

TEST(progress, a_bar_afterwards) {
  std::size_t draws = 0;  // at most
  const std::string shown = shown_by([&draws] {
    apps::progress_bar bar("step", 2000);
    std::this_thread::sleep_for(1100ms);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) bar.show(1000);
    draws = 1 + static_cast<std::size_t>((std::chrono::steady_clock::now() - begin) / 100ms);
  });
  expect_bar(shown, "[####################....................] step 1,000 of 2,000");
  EXPECT_LT(shown.size(), 200 * draws) << shown;  // ten times a second, not a thousand times
}

TEST_F(long_files, show_how_far_they_are_read) {
  const auto text = [](std::size_t rows) {
    std::string result = "v\n";
    for (std::size_t i = 0; i < rows; ++i) result += "0.12345678\n";
    return result;
  };
  const auto read = [&](std::size_t rows) {
    EXPECT_EQ(recurrence::parse_csv(text(rows), "a.csv", "").values.size(), rows);
  };
  const std::size_t rows = long_enough(read);
  expect_bar(shown_by([&] { read(rows); }), "reading byte ");
}

TEST_F(long_files, show_how_far_they_are_written) {
  const auto write = [&](std::size_t rows) {
    const std::vector<double> values(rows, 0.12345678);
    recurrence::write_csv((folder_ / "a.csv").string(), "v", values, values);
  };
  const std::size_t rows = long_enough(write);
  expect_bar(shown_by([&] { write(rows); }), "writing row ");
}

}  // namespace
