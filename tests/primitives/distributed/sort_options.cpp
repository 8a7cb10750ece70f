// SPDX-License-Identifier: Apache-2.0
// Sorts across ranks that are threads: directions, bits, floats, many keys, and the parts of a sort.
#include "sort_checks.hpp"

namespace test {

TEST(distributed_sort, uint128_cpu) { by_threads(sorts_with_options<uint128>{}); }
TEST(distributed_sort, options_cpu) { by_threads(sorts_with_options<std::int32_t>{}); }
TEST(distributed_sort, options_of_bytes_cpu) { by_threads(sorts_with_options<std::uint8_t>{}); }
TEST(distributed_sort, floats_cpu) { by_threads(sorts_of_floats{}); }
TEST(distributed_sort, many_cpu) { by_threads(sorts_of_many{}); }
TEST(distributed_sort, parts_cpu) { by_threads(parts_of_sorts{}); }

}  // namespace test
