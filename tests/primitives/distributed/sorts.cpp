// SPDX-License-Identifier: Apache-2.0
// Sorts of whole keys across ranks that are threads: all kinds of keys, distributions and shares.
#include "sort_checks.hpp"

namespace test {

TEST(distributed_sort, uint32_cpu) { by_threads(sorts<std::uint32_t>{}); }
TEST(distributed_sort, int64_cpu) { by_threads(sorts<std::int64_t>{}); }
TEST(distributed_sort, int8_cpu) { by_threads(sorts<std::int8_t>{}); }

}  // namespace test
