// SPDX-License-Identifier: Apache-2.0
// What groups of ranks have to do, on any carrier. A check gets make(ranks), which returns a new group by
// std::unique_ptr.
#pragma once

#include <onepass/distributed.hpp>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;

// A scan of ones, which each rank has two of.
struct scan_of_ones {
  template <class Comm>
  void operator()(Comm& comm) const {
    const auto x = array_on(comm, std::vector<int>{1, 1});
    auto y = array_on<int>(comm, 2);
    od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin());
    EXPECT_EQ(on_host(y), (std::vector<int>{2 * comm.rank() + 1, 2 * comm.rank() + 2}));
  }
};

// Runs follow each other, some after the threads have gone to sleep, on the same threads.
struct a_group_runs_often {
  int runs;
  template <class Make>
  void operator()(Make make) const {
    for (const int ranks : {1, 2, 3, 4, 9}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks");
      const auto group = make(ranks);
      ASSERT_EQ(group->size(), ranks);
      std::vector<std::thread::id> threads(static_cast<std::size_t>(ranks));
      group->run([&](auto& comm) { threads[static_cast<std::size_t>(comm.rank())] = std::this_thread::get_id(); });
      std::vector<int> sums(threads.size());  // what a rank keeps from run to run
      for (int i = 0; i < runs; ++i) {
        if (i % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        group->run([&](auto& comm) {
          const auto rank = static_cast<std::size_t>(comm.rank());
          EXPECT_EQ(comm.size(), ranks);
          EXPECT_EQ(std::this_thread::get_id(), threads[rank]);
          sums[rank] += i;
          if (i % 8 == 0) scan_of_ones{}(comm);
        });
      }
      EXPECT_EQ(sums, std::vector<int>(threads.size(), runs * (runs - 1) / 2));
    }
  }
};

// Ranks throw, and no other rank waits for them: the group can be used again.
struct a_group_outlives_exceptions {
  template <class Make>
  void operator()(Make make) const {
    for (const int ranks : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks");
      const auto group = make(ranks);
      for (int turn = 0; turn < 5; ++turn) {
        const int bad = turn % ranks;
        EXPECT_THROW(group->run([&](auto& comm) {
          if (comm.rank() == bad) throw refusal();
        }),
                     refusal);
        EXPECT_THROW(group->run([&](auto& comm) {
          scan_of_ones{}(comm);
          throw comm.rank();
        }),
                     int);
        expect_distributed_error(  // what all ranks throw together
            [&] {
              group->run([&](auto& comm) {
                const auto x = array_on(comm, std::vector<int>{1, 1});
                auto y = array_on<int>(comm, 2);
                const auto last = comm.rank() == bad ? x.begin() - 1 : x.end();
                od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), last, y.begin());
              });
            },
            bad, "last is before first");
        group->run(scan_of_ones{});
      }
    }
  }
};

// Ranks wait for one that throws, or returns: they throw, and the group says from then on that it has failed.
struct a_group_fails {
  template <class Make>
  void operator()(Make make) const {
    for (const int ranks : {2, 3, 9}) {
      for (const bool throws : {true, false}) {
        SCOPED_TRACE(std::to_string(ranks) + (throws ? " ranks, one throws" : " ranks, one returns"));
        const auto group = make(ranks);
        group->run(scan_of_ones{});
        const int bad = ranks - 1;
        const auto run = [&] {
          group->run([&](auto& comm) {
            if (comm.rank() != bad) scan_of_ones{}(comm);
            else if (throws) throw refusal();
          });
        };
        const char* const text = throws ? "refused" : "has ended";
        if (throws) EXPECT_THROW(run(), refusal);
        else expect_distributed_error(run, bad, text);
        bool was_called = false;
        for (int i = 0; i < 2; ++i) {
          expect_distributed_error([&] { group->run([&](auto&) { was_called = true; }); }, bad, text);
        }
        EXPECT_FALSE(was_called);
      }
    }
  }
};

}  // namespace test
