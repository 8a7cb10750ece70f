// SPDX-License-Identifier: Apache-2.0
// Compaction, rebalance, reductions by key and unique across ranks that are threads.
#include "compact_checks.hpp"

namespace test {

TEST(distributed_compact, copies_cpu) { by_threads(compactions{}); }
TEST(distributed_compact, rebalance_cpu) { by_threads(rebalances{}); }
TEST(distributed_reduce, not_commutative_cpu) { by_threads(reductions_by_key{}); }
TEST(distributed_reduce, sums_cpu) { by_threads(sums_by_key{}); }
TEST(distributed_reduce, unique_cpu) { by_threads(uniques{}); }

}  // namespace test
