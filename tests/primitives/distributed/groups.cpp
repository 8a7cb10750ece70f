// SPDX-License-Identifier: Apache-2.0
// Groups of ranks that are threads.
#include "group_checks.hpp"

namespace test {

std::unique_ptr<od::rank_group> group_of(int ranks) { return std::make_unique<od::rank_group>(ranks); }

TEST(distributed_group, runs_cpu) { a_group_runs_often{200}(group_of); }
TEST(distributed_group, exceptions_cpu) { a_group_outlives_exceptions{}(group_of); }
TEST(distributed_group, failures_cpu) { a_group_fails{}(group_of); }

// Nothing is done with it; or so little time passes that its threads may not have begun.
TEST(distributed_group, unused_cpu) {
  for (int i = 0; i < 50; ++i) group_of(3);
  const auto idle = group_of(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

// Any thread may make a run, one after another.
TEST(distributed_group, of_several_threads_cpu) {
  od::rank_group group(3);
  int runs = 0;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      group.run([&](od::thread_communicator& comm) {
        if (comm.rank() == 0) ++runs;
      });
    }).join();
    group.run(scan_of_ones{});
  }
  EXPECT_EQ(runs, 20);
}

// A deadline goes for exchanges, and not for the time between runs.
TEST(distributed_group, deadline_cpu) {
  onepass::communicator_options options;
  options.deadline = std::chrono::milliseconds(50);
  od::rank_group group(2, options);
  group.run(scan_of_ones{});
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  group.run(scan_of_ones{});
  EXPECT_THROW(group.run([](od::thread_communicator& comm) {
    if (comm.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    scan_of_ones{}(comm);
  }),
               onepass::distributed_error);
  EXPECT_THROW(group.run(scan_of_ones{}), onepass::distributed_error);
}

TEST(distributed_group, arguments_cpu) {
  EXPECT_THROW(od::rank_group(0), onepass::invalid_argument);
  EXPECT_THROW(od::rank_group(-2), onepass::invalid_argument);
}

}  // namespace test
