// SPDX-License-Identifier: Apache-2.0
// Policies of calls across ranks: a size in memory, Thrust's policies, none. And a value type that cannot be made from
// nothing.
#include <onepass/distributed.hpp>
#include <onepass/distributed_sort.hpp>

#include <thrust/execution_policy.h>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;
using od::run_ranks;
using od::thread_communicator;

constexpr int ranks = 3;

// Each rank works on the first *size of its items. What is behind them is neither read nor written.
TEST(distributed_policies, size_in_memory_cpu) {
  run_ranks(ranks, [](thread_communicator& comm) {
    const index_t size = comm.rank();  // 0, 1 and 2 of four
    const auto policy = onepass::cpu(1).sized_by(&size);
    const std::vector<int> x = {5, 6, 1000, 1000};
    std::vector<int> y(4, -1), z(4, -1);
    od::inclusive_scan(comm, policy, x.begin(), x.end(), y.begin());
    EXPECT_EQ(y, comm.rank() == 0   ? (std::vector<int>{-1, -1, -1, -1})
                 : comm.rank() == 1 ? (std::vector<int>{5, -1, -1, -1})
                                    : (std::vector<int>{10, 16, -1, -1}));
    EXPECT_EQ(od::copy_if(comm, policy, x.begin(), x.end(), y.begin(), is_even{}).total, 1);
    EXPECT_EQ(od::unique_copy(comm, policy, x.begin(), x.end(), y.begin()).total, 2);  // 5 and 6: of 5, 5, 6
    EXPECT_EQ(od::reduce_by_key(comm, policy, x.begin(), x.end(), x.begin(), y.begin(), z.begin()).total, 2);
    EXPECT_EQ(od::rebalance(comm, policy, x.begin(), x.end(), y.data(), 1).size, 1);
    EXPECT_EQ(y[0], comm.rank() < 2 ? 5 : 6);
    EXPECT_EQ(od::radix_sort(comm, policy, x.begin(), x.end(), z.data(), 1, {}, od::shares::even).total, 3);
    EXPECT_EQ(z[0], comm.rank() < 2 ? 5 : 6);
  });
}

// What a scan returns, and the parts of sorts.
TEST(distributed_policies, size_in_memory_of_other_calls_cpu) {
  run_ranks(ranks, [](thread_communicator& comm) {
    const index_t size = 2;
    const auto policy = onepass::cpu(1).sized_by(&size);
    const std::vector<int> x = {6, 5, 1000, 1000}, flags(4, 0);
    std::vector<int> y(4, -1);
    EXPECT_EQ(od::inclusive_scan(comm, policy, x.begin(), x.end(), y.begin()), y.end());
    EXPECT_EQ(od::inclusive_segmented_scan(comm, policy, x.begin(), x.end(), flags.begin(), y.begin()), y.end());
    od::rank_carry<int> carry;
    EXPECT_EQ(od::inclusive_scan_local(comm, policy, x.begin(), x.end(), y.begin(), &carry), y.end());
    const auto splitters = od::splitters(comm, policy, x.begin(), x.end());
    y.assign(4, -1);
    const std::vector<index_t> counts = od::partition_for(policy, x.begin(), x.end(), splitters, y.data());
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), index_t{0}), 2);
    EXPECT_EQ(y[2], -1);
    EXPECT_THROW(
        onepass::measure(onepass::cpu(1),
                         [&](const auto& p) { od::partition_for(p, x.begin(), x.end(), splitters, y.data()); }),
        onepass::invalid_argument);
    EXPECT_THROW(onepass::measure(onepass::cpu(1),
                                  [&](const auto& p) {
                                    od::merge_runs(p, x.begin(), {1, 1}, y.data());
                                  }),
                 onepass::invalid_argument);
  });
}

TEST(distributed_policies, of_thrust_cpu) {
  run_ranks(ranks, [](thread_communicator& comm) {
    const std::vector<int> x = {1, 1};
    std::vector<int> y(2);
    od::inclusive_scan(comm, thrust::host, x.begin(), x.end(), y.begin());
    EXPECT_EQ(y[1], 2 * comm.rank() + 2);
    od::exclusive_scan(comm, thrust::seq, x.begin(), x.end(), y.begin(), 7);
    EXPECT_EQ(y[1], 2 * comm.rank() + 8);
  });
}

// A workspace of the policy is not used, not even a wrong one.
TEST(distributed_policies, with_a_workspace_cpu) {
  run_ranks(ranks, [](thread_communicator& comm) {
    onepass::workspace nothing(onepass::cpu(), {});
    const std::vector<int> x(100000, 1);
    std::vector<int> y(x.size());
    od::inclusive_scan(comm, onepass::cpu(1).with(nothing), x.begin(), x.end(), y.begin());
    EXPECT_EQ(y.back(), 100000 * (comm.rank() + 1));
  });
}

struct fixed {
  int value;
  explicit fixed(int v) : value(v) {}
};
struct add_fixed {
  fixed operator()(const fixed& a, const fixed& b) const { return fixed(a.value + b.value); }
};
TEST(distributed_policies, type_without_default_cpu) {
  run_ranks(ranks, [](thread_communicator& comm) {
    const std::vector<fixed> x(40000, fixed(1));
    std::vector<fixed> y(x.size(), fixed(0));
    const std::vector<int> keys(x.size(), 3);
    od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), add_fixed{});
    EXPECT_EQ(y.back().value, 40000 * (comm.rank() + 1));
    od::inclusive_scan_by_key(comm, onepass::cpu(1), keys.begin(), keys.end(), x.begin(), y.begin(), std::equal_to<>{},
                              add_fixed{});
    EXPECT_EQ(y.back().value, 40000 * (comm.rank() + 1));
  });
}

}  // namespace test
