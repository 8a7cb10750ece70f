// SPDX-License-Identifier: Apache-2.0
// Calls across ranks that are threads, where a rank fails; and what thread_ranks and run_ranks do then.
#include <set>

#include "failure_checks.hpp"

namespace test {

using od::run_ranks;
using od::thread_communicator;
using std::chrono::milliseconds;

onepass::communicator_options with_deadline(milliseconds deadline) {
  onepass::communicator_options options;
  options.deadline = deadline;
  return options;
}

TEST(distributed_failure, one_rank_throws_cpu) { by_threads(one_rank_throws{}); }
TEST(distributed_failure, cause_is_nested_cpu) { by_threads(cause_is_nested{}); }
TEST(distributed_failure, last_step_cpu) { by_threads(the_last_step_throws{}); }
TEST(distributed_failure, different_calls_cpu) { by_threads(different_calls{}); }
TEST(distributed_failure, different_sorts_cpu) { by_threads(different_sorts{}); }
TEST(distributed_failure, keys_that_change_cpu) { by_threads(keys_that_change{}); }
TEST(distributed_failure, a_rank_gives_up_cpu) { by_threads(a_rank_gives_up{}); }

TEST(distributed_failure, a_rank_gives_up_late_cpu) {
  by_threads(a_rank_gives_up_late{false});
  by_threads(a_rank_gives_up_late{true});
}

TEST(distributed_failure, a_rank_comes_late_cpu) {
  const a_rank_comes_late check{milliseconds(100), milliseconds(400)};
  for (const int ranks : rank_counts) {
    run_ranks(
        ranks, [&](thread_communicator& comm) { check(comm); }, with_deadline(check.deadline));
  }
}

TEST(distributed_failure, the_missing_rank_is_named_cpu) {
  run_ranks(
      3,
      [&](thread_communicator& comm) {
        if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(300));
        int x = 1;
        try {
          od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
          ADD_FAILURE() << "nothing was thrown";
        } catch (const onepass::distributed_error& e) {
          EXPECT_NE(std::string(e.what()).find("has waited 50 ms in vain for rank 1"), std::string::npos) << e.what();
        }
      },
      with_deadline(milliseconds(50)));
}

// A deadline is no error as long as all come in time.
TEST(distributed_failure, in_time_cpu) {
  run_ranks(
      4,
      [&](thread_communicator& comm) {
        delayed<thread_communicator> slow(comm);
        for (int i = 0; i < 20; ++i) {
          int x = 1;
          od::inclusive_scan(slow, onepass::cpu(1), &x, &x + 1, &x);
          EXPECT_EQ(x, comm.rank() + 1);
        }
      },
      with_deadline(milliseconds(60000)));
}

// A deadline that no clock can count to is none.
TEST(distributed_failure, a_deadline_without_end_cpu) {
  run_ranks(
      2,
      [&](thread_communicator& comm) {
        if (comm.rank() == 1) std::this_thread::sleep_for(milliseconds(20));
        int x = 1;
        od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
        EXPECT_EQ(x, comm.rank() + 1);
      },
      with_deadline(milliseconds::max()));
}

// A rank sleeps until all have come to a scan. The other one has come last; it gives up, and makes two calls more before the
// first rank has read what it was told. Those calls must not overwrite that.
TEST(distributed_failure, calls_behind_a_failure_leave_messages_alone_cpu) {
  for (int run = 0; run < 50; ++run) {
    run_ranks(2, [&](thread_communicator& comm) {
      int x = comm.rank() == 0 ? 1 : 10, sum = -1;
      if (comm.rank() == 0) std::this_thread::sleep_for(milliseconds(2));
      try {
        od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &sum);
        EXPECT_EQ(sum, comm.rank() == 0 ? 1 : 11);
      } catch (const onepass::distributed_error&) {
        EXPECT_EQ(comm.rank(), 1);  // the scan's last exchange may find the failure
      }
      if (comm.rank() == 1) return;
      comm.fail("gives up");
      for (x = 100; x < 102; ++x) {
        EXPECT_THROW(od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &sum), onepass::distributed_error);
      }
    });
  }
}

// A rank's own exception comes out of run_ranks, and the others do not wait for that rank.
TEST(distributed_failure, of_a_function_cpu) {
  for (const int ranks : rank_counts) {
    EXPECT_THROW(run_ranks(ranks,
                           [&](thread_communicator& comm) {
                             int x = 1;
                             od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
                             if (comm.rank() == ranks - 1) throw refusal();
                             od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
                           }),
                 refusal);
  }
}

TEST(distributed_failure, of_an_unknown_type_cpu) {
  EXPECT_THROW(run_ranks(2,
                         [&](thread_communicator& comm) {
                           if (comm.rank() == 1) throw 7;
                           int x = 1;
                           od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
                         }),
               int);
}

// A rank makes fewer calls than the others.
TEST(distributed_failure, of_a_rank_that_has_ended_cpu) {
  for (const int delay : {0, 50}) {
    try {
      run_ranks(3, [&](thread_communicator& comm) {
        int x = 1;
        std::this_thread::sleep_for(milliseconds(comm.rank() == 2 ? 0 : delay));
        if (comm.rank() != 2) od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const onepass::distributed_error& e) {
      EXPECT_EQ(e.rank(), 2);
      EXPECT_NE(std::string(e.what()).find("has ended"), std::string::npos) << e.what();
    }
  }
}

// A function object throws what is no std::exception.
TEST(distributed_failure, of_a_function_object_cpu) {
  try {
    run_ranks(2, [](thread_communicator& comm) {
      int x[] = {1, 2, 3};
      od::inclusive_scan(comm, onepass::cpu(1), x, x + 3, x, [](int, int) -> int { throw 42; });
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const onepass::distributed_error& e) {
    EXPECT_NE(std::string(e.what()).find("unknown type"), std::string::npos) << e.what();
  }
}

// Exchanges of different kinds at the same time.
TEST(distributed_failure, of_kinds_cpu) {
  try {
    run_ranks(2, [](thread_communicator& comm) {
      std::uint64_t word = 1, all[2] = {};
      if (comm.rank() == 0) comm.all_gather("kinds", &word, all, sizeof word);
      else comm.all_sum("kinds", &word, 1);
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const onepass::distributed_error& e) {
    EXPECT_NE(std::string(e.what()).find("is in another call than another rank"), std::string::npos) << e.what();
  }
}

// Copies between ranks as on a device, where they go on when the call has returned; those of one rank fail.
struct failing_copies {
  bool fails;
  bool has_ended = false;
  std::set<const failing_copies*> waited_for;

  void begin(const char*) const {}
  void copy(const char*, const failing_copies&, void*, const void*, std::size_t) const {
    if (fails) throw refusal();
  }
  void end(const char*) { has_ended = true; }
  void wait_for(const char*, const failing_copies& other) { waited_for.insert(&other); }
};

// A rank that cannot copy gives its memory up only when the others have copied from it, and says when its own copies,
// some of which may be under way, have ended. All ranks throw: what it could not copy, another one may wait for.
TEST(distributed_failure, of_copies_cpu) {
  onepass::detail::thread_exchange exchange(3, {});
  std::vector<failing_copies> copies(3, failing_copies{false, false, {}});
  copies[1].fails = true;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      const char mine[3] = {};
      char all[3];
      const std::size_t bytes[] = {1, 1, 1};
      const auto copy = [&] { exchange.all_to_all("copies", rank, mine, bytes, all, bytes, copies[rank]); };
      if (rank == 1) EXPECT_THROW(copy(), refusal);
      else EXPECT_THROW(copy(), onepass::distributed_error);
      EXPECT_TRUE(copies[rank].has_ended);
      EXPECT_EQ(copies[rank].waited_for.size(), 3u);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_THROW(exchange.check("copies"), onepass::distributed_error);
}

// Messages of different sizes, and parts whose receiver expects another size.
TEST(distributed_failure, of_sizes_cpu) {
  EXPECT_THROW(run_ranks(2,
                         [](thread_communicator& comm) {
                           const std::vector<char> mine(static_cast<std::size_t>(comm.rank()) + 1);
                           std::vector<char> all(4);
                           comm.all_gather("sizes", mine.data(), all.data(), mine.size());
                         }),
               onepass::distributed_error);
  EXPECT_THROW(run_ranks(3,
                         [](thread_communicator& comm) {
                           const std::vector<char> mine(6);
                           std::vector<char> received(6);
                           const std::size_t sent[] = {1, 2, 3};
                           const std::size_t expected[] = {1, 2, 3};  // not what is sent
                           comm.all_to_all("sizes", mine.data(), sent, received.data(), expected);
                         }),
               onepass::distributed_error);
}

// Only one rank sees that the sizes differ.
TEST(distributed_failure, of_one_size_cpu) {
  onepass::detail::thread_exchange exchange(3, {});
  std::atomic<int> thrown{0};
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      const char mine[4] = {};
      char all[4];
      const std::size_t sent[] = {1, rank == 0 ? 2u : 1u, 1}, expected[] = {1, 1, 1};  // rank 1 gets 2 bytes of rank 0
      onepass::detail::host_copies copies;
      try {
        exchange.all_to_all("sizes", rank, mine, sent, all, expected, copies);
      } catch (const onepass::distributed_error& e) {
        EXPECT_NE(std::string(e.what()).find("rank 1: receives another number of bytes"), std::string::npos)
            << e.what();
        ++thrown;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(thrown, 3);
}

// Messages without a byte are exchanged, too.
TEST(distributed_failure, not_of_empty_messages_cpu) {
  run_ranks(3, [](thread_communicator& comm) {
    comm.all_gather("nothing", nullptr, nullptr, 0);
    comm.all_sum("nothing", nullptr, 0);
    const std::size_t none[] = {0, 0, 0};
    comm.all_to_all("nothing", nullptr, none, nullptr, none);
  });
}

// An array of 2^64 bytes.
TEST(distributed_failure, of_a_range_that_no_memory_holds_cpu) {
  run_ranks(2, [](thread_communicator& comm) {
    const thrust::counting_iterator<index_t> computed(0);
    index_t y = 7;
    expect_distributed_error(
        [&] {
          od::rebalance(comm, onepass::cpu(1), computed, computed + (comm.rank() == 1 ? index_t{1} << 61 : 1), &y, 1);
        },
        1, "bad_alloc");
    EXPECT_EQ(y, 7);
  });
}

TEST(distributed_failure, of_arguments_cpu) {
  EXPECT_THROW(od::thread_ranks(0), onepass::invalid_argument);
  EXPECT_THROW(od::thread_ranks(2).communicator(2), onepass::invalid_argument);
  EXPECT_THROW(od::thread_ranks(2).communicator(-1), onepass::invalid_argument);
  EXPECT_THROW(run_ranks(-1, [](thread_communicator&) {}), onepass::invalid_argument);
  EXPECT_THROW(run_ranks(2,
                         [](thread_communicator& comm) {
                           int x = 1, y = 0;
                           od::rebalance(comm, onepass::cpu(1), &x, &x + 1, &y, -1);
                         }),
               onepass::distributed_error);
}

}  // namespace test
