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
TEST(distributed_sort, runs_of_negative_sizes_cpu) {
  const std::vector<int> x = {1, 2, 3, 4, 5};
  std::vector<int> out(5, 9), values = out;
  for (const std::vector<index_t>& sizes : {std::vector<index_t>{3, -1, 2}, {-1, 2}, {2, -1}}) {
    EXPECT_THROW(od::merge_runs(onepass::cpu(1), x.begin(), sizes, out.data()), onepass::invalid_argument);
    EXPECT_THROW(od::merge_runs(onepass::cpu(1), x.begin(), x.begin(), sizes, out.data(), values.data()),
                 onepass::invalid_argument);
  }
  EXPECT_EQ(out, std::vector<int>(5, 9));
}

}  // namespace test
