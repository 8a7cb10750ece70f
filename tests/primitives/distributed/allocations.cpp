// SPDX-License-Identifier: Apache-2.0
// Calls across ranks that are threads, of which one allocation fails, one after another of all that a call makes on any
// rank. Either all ranks throw or none, no rank is left waiting, and nothing leaks.
#include <onepass/distributed.hpp>

#include <thrust/iterator/counting_iterator.h>

#include "over_ranks.hpp"
#include "support/failing_allocations.hpp"

namespace test {

namespace od = onepass::distributed;
using od::thread_communicator;

constexpr int ranks = 3;

// Runs call(comm) on all ranks while the k-th allocation fails. Returns how many ranks have thrown.
template <class Call>
int failures_of(long k, const Call& call, bool& has_failed) {
  std::atomic<int> thrown{0}, ended{0};
  onepass::communicator_options options;
  options.deadline = std::chrono::seconds(20);  // a rank that is left waiting ends the test
  od::run_ranks(
      ranks,
      [&](thread_communicator& comm) {
        char mine = 0, all[ranks];
        comm.all_gather("ready", &mine, all, 1);
        if (comm.rank() == 0) allocations::left = k;
        try {
          comm.all_gather("set", &mine, all, 1);
          call(comm);
        } catch (const onepass::distributed_error&) {
          ++thrown;
        } catch (const std::bad_alloc&) {
          ++thrown;
        }
        // A rank whose function returned would be noticed by that.
        for (++ended; ended < ranks;) std::this_thread::yield();
      },
      options);
  has_failed = allocations::left == 0;
  allocations::left = 0;
  return thrown;
}

template <class Call>
void fail_each_allocation(const Call& call) {
  bool has_failed = false;
  EXPECT_EQ(failures_of(1000000, call, has_failed), 0);  // and keeps what is kept for later calls
  long k = 1;
  for (has_failed = true; has_failed; ++k) {
    const long alive = allocations::alive;
    const auto started = std::chrono::steady_clock::now();
    const int thrown = failures_of(k, call, has_failed);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10)) << "allocation " << k;
    EXPECT_EQ(thrown, has_failed ? ranks : 0) << "allocation " << k;
    EXPECT_EQ(allocations::alive, alive) << "allocation " << k;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(k, 2);
}

const std::vector<int> x = {3, 1, 1, 2, 2, 2}, heads = {0, 0, 1, 0, 0, 0};

// Each rank has outputs of its own, which are made before an allocation fails.
struct outputs {
  std::vector<int> first = std::vector<int>(20), second = std::vector<int>(20);
};

TEST(distributed_allocations, scan_cpu) {
  std::vector<outputs> out(ranks);
  fail_each_allocation([&](thread_communicator& comm) {
    auto& mine = out[static_cast<std::size_t>(comm.rank())];
    od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), mine.first.begin());
    EXPECT_EQ(mine.first[5], 11 * (comm.rank() + 1));
  });
}
TEST(distributed_allocations, local_scan_cpu) {
  std::vector<outputs> out(ranks);
  fail_each_allocation([&](thread_communicator& comm) {
    auto& mine = out[static_cast<std::size_t>(comm.rank())];
    od::rank_carry<int> carry{true, -1};
    od::exclusive_scan_local(comm, onepass::cpu(1), x.begin(), x.end(), mine.first.begin(), &carry);
    EXPECT_EQ(carry.value, 11 * comm.rank());
  });
}
TEST(distributed_allocations, segmented_scan_cpu) {
  std::vector<outputs> out(ranks);
  fail_each_allocation([&](thread_communicator& comm) {
    auto& mine = out[static_cast<std::size_t>(comm.rank())];
    od::inclusive_scan_by_key(comm, onepass::cpu(1), x.begin(), x.end(), x.begin(), mine.first.begin());
    EXPECT_EQ(mine.first[5], 6);
    od::exclusive_segmented_scan(comm, onepass::cpu(1), x.begin(), x.end(), heads.begin(), mine.first.begin(), 0);
    EXPECT_EQ(mine.first[5], 5);
  });
}
TEST(distributed_allocations, compaction_cpu) {
  std::vector<outputs> out(ranks);
  fail_each_allocation([&](thread_communicator& comm) {
    auto& mine = out[static_cast<std::size_t>(comm.rank())];
    const auto kept = od::copy_if(comm, onepass::cpu(1), x.begin(), x.end(), mine.first.begin(), is_even{});
    EXPECT_EQ(kept.total, 3 * ranks);
    const thrust::counting_iterator<int> computed(0);
    const auto even = od::rebalance(comm, onepass::cpu(1), computed, computed + 4, mine.first.data(), 4);
    EXPECT_EQ(even.total, 4 * ranks);
  });
}
TEST(distributed_allocations, reduction_cpu) {
  std::vector<outputs> out(ranks);
  fail_each_allocation([&](thread_communicator& comm) {
    auto& mine = out[static_cast<std::size_t>(comm.rank())];
    const auto sums = od::reduce_by_key(comm, onepass::cpu(1), x.begin(), x.end(), x.begin(), mine.first.begin(),
                                        mine.second.begin());
    EXPECT_EQ(sums.total, 3 * ranks);
    EXPECT_EQ(od::unique_copy(comm, onepass::cpu(1), x.begin(), x.end(), mine.first.begin()).total, 3 * ranks);
  });
}
TEST(distributed_allocations, sort_cpu) {
  std::vector<outputs> out(ranks);
  fail_each_allocation([&](thread_communicator& comm) {
    auto& mine = out[static_cast<std::size_t>(comm.rank())];
    const auto sorted = od::radix_sort_by_key(comm, onepass::cpu(1), x.begin(), x.end(), x.begin(), mine.first.data(),
                                              mine.second.data(), 6);
    EXPECT_EQ(sorted.size, 6);
    EXPECT_EQ(mine.first[0], comm.rank() == 2 ? 2 : comm.rank() + 1);
  });
}

// A rank's sort takes memory for its keys and for its own sort; also where many keys agree with a border in their first
// digits.
TEST(distributed_allocations, bytes_of_a_sort_cpu) {
  constexpr std::size_t n = 300000;
  const long input = static_cast<long>(2 * n * sizeof(std::uint32_t));
  for (const std::uint32_t step : {2654435761u, 1u, 0u}) {
    std::vector<std::uint32_t> keys(2 * n), out(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i) keys[i] = static_cast<std::uint32_t>(i) * step;
    const long before = allocations::bytes_now;
    allocations::most_bytes = before;
    od::run_ranks(2, [&](thread_communicator& comm) {
      const auto first = keys.begin() + comm.rank() * static_cast<std::ptrdiff_t>(n);
      od::radix_sort(comm, onepass::cpu(1), first, first + n, out.data() + comm.rank() * static_cast<std::ptrdiff_t>(n),
                     n);
    });
    EXPECT_LT(allocations::most_bytes - before, input + input / 8) << "keys by steps of " << step;
  }
}

// What starts the ranks' threads gets no memory: it throws, and the threads that have started have ended.
TEST(distributed_allocations, of_threads_cpu) {
  bool has_failed = true;
  long k = 1;
  for (; has_failed; ++k) {
    const long alive = allocations::alive;
    bool thrown = false;
    std::atomic<int> begun{0}, ended{0};
    {
      const failing_allocation failure(k);
      try {
        od::run_ranks(ranks, [&](thread_communicator& comm) {
          ++begun;
          char mine = 0, all[ranks];
          try {
            comm.all_gather("all are there", &mine, all, 1);
          } catch (const std::exception&) {
            ++ended;
            throw;
          }
          ++ended;
        });
      } catch (const std::exception&) {
        thrown = true;
      }
      has_failed = failure.has_failed();
    }
    EXPECT_EQ(thrown, has_failed) << "allocation " << k;
    EXPECT_EQ(begun, ended) << "allocation " << k;
    EXPECT_EQ(allocations::alive, alive) << "allocation " << k;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(k, ranks);  // a thread needs memory
}

}  // namespace test
