// SPDX-License-Identifier: Apache-2.0
// core/exchange/rank_barrier.hpp: ranks wait for each other thousands of times, while one fails or ends at any moment.
#include <array>
#include <random>
#include <thread>

#include <onepass/thread_ranks.hpp>

#include "support/test.hpp"

namespace {

constexpr std::size_t ranks = 4;
using onepass::detail::rank_barrier;

template <class F>
void on_threads(F f) {
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank) threads.emplace_back([&, rank] { f(rank); });
  for (std::thread& t : threads) t.join();
}
// Waits for the others up to `most` times. Returns how often all have come.
int wait_often(rank_barrier& barrier, std::size_t rank, int most) {
  for (int i = 0; i < most; ++i) {
    try {
      barrier.wait("wait", rank);
    } catch (const onepass::distributed_error&) {
      return i;
    }
  }
  return most;
}

TEST(rank_barrier, all_have_come_cpu) {
  rank_barrier barrier(ranks, {});
  std::array<int, ranks> written = {};  // by each rank before it comes, read by all others behind
  on_threads([&](std::size_t rank) {
    for (int i = 1; i <= 5000; ++i) {
      written[rank] = i;
      barrier.wait("wait", rank);
      for (const int w : written) EXPECT_EQ(w, i);
      barrier.leave();
    }
  });
}

// A thread that is no rank fails. Either all ranks have come to a wait, or none goes on from it.
TEST(rank_barrier, a_failure_at_any_moment_cpu) {
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    rank_barrier barrier(ranks, {});
    std::array<int, ranks> met = {};
    const auto wait = std::chrono::microseconds(random() % 200);
    std::thread failing([&] {
      std::this_thread::sleep_for(wait);
      barrier.fail(2, "fails");
    });
    on_threads([&](std::size_t rank) { met[rank] = wait_often(barrier, rank, 1'000'000); });
    failing.join();
    for (const int m : met) EXPECT_EQ(m, met[0]) << "run " << run;
    EXPECT_THROW(barrier.wait("wait", 0), onepass::distributed_error);
  }
}

// A rank that has met the others often enough ends. They go on if it has been the last to come, and learn that it is gone
// where they would wait for it.
TEST(rank_barrier, a_rank_that_ends_cpu) {
  std::mt19937 random(2);
  for (int run = 0; run < 300; ++run) {
    rank_barrier barrier(ranks, {});
    const int most = static_cast<int>(random() % 50);
    std::array<int, ranks> met = {};
    on_threads([&](std::size_t rank) {
      met[rank] = wait_often(barrier, rank, rank == 1 ? most : most + 1);
      barrier.end(rank, nullptr);
    });
    for (const int m : met) EXPECT_EQ(m, most) << "run " << run;
    EXPECT_THROW(barrier.resume("resume"), onepass::distributed_error);
  }
}
// All end, and begin anew.
TEST(rank_barrier, all_end_cpu) {
  rank_barrier barrier(ranks, {});
  for (int run = 0; run < 300; ++run) {
    on_threads([&](std::size_t rank) {
      EXPECT_EQ(wait_often(barrier, rank, run % 5), run % 5);
      barrier.end(rank, nullptr);
    });
    barrier.resume("resume");
  }
}

TEST(rank_barrier, deadline_cpu) {
  rank_barrier barrier(ranks, std::chrono::milliseconds(20));
  on_threads([&](std::size_t rank) {
    if (rank == 2) return;
    try {
      barrier.wait("wait", rank);
      ADD_FAILURE() << "rank 2 has not come";
    } catch (const onepass::distributed_error& e) {
      EXPECT_NE(std::string(e.what()).find("in vain for rank 2"), std::string::npos) << e.what();
    }
  });
}

}  // namespace
