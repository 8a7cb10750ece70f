// SPDX-License-Identifier: Apache-2.0
// Compaction, rebalance, reductions by key and unique across ranks that are threads.
#include "compact_checks.hpp"

namespace test {

TEST(distributed_compact, copies_cpu) { by_threads(compactions{}); }
TEST(distributed_compact, rebalance_cpu) { by_threads(rebalances{}); }
TEST(distributed_reduce, not_commutative_cpu) { by_threads(reductions_by_key{}); }
TEST(distributed_reduce, sums_cpu) { by_threads(sums_by_key{}); }
TEST(distributed_reduce, unique_cpu) { by_threads(uniques{}); }

// A rank in which no run begins needs no outputs, and one that needs some is told that it has none.
TEST(distributed_reduce, outputs_of_no_runs_cpu) {
  od::run_ranks(3, [](od::thread_communicator& comm) {
    const std::vector<int> keys = {7, 7}, values = {comm.rank(), 1};
    std::vector<int> sums(comm.rank() == 0 ? 1 : 0), ones(sums.size());
    const auto reduce = [&] {
      return od::reduce_by_key(comm, onepass::cpu(1), keys.begin(), keys.end(), values.begin(), ones.begin(),
                               sums.begin());
    };
    const auto unique = [&] { return od::unique_copy(comm, onepass::cpu(1), keys.begin(), keys.end(), ones.begin()); };
    EXPECT_EQ(reduce().total, 1);
    EXPECT_EQ(unique().total, 1);
    if (comm.rank() == 0) {
      EXPECT_EQ(sums[0], 6);
    }
    sums.clear(), sums.shrink_to_fit(), ones.clear(), ones.shrink_to_fit();
    EXPECT_THROW(reduce(), std::exception);
    EXPECT_THROW(unique(), std::exception);
  });
}

}  // namespace test
