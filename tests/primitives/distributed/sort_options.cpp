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

// Sizes that no number counts, though their sum would come out as 0.
TEST(distributed_sort, runs_of_too_large_sizes_cpu) {
  std::vector<int> x(4), out(4);
  for (const std::size_t runs : {2, 4})
    EXPECT_THROW(od::merge_runs(onepass::cpu(1), x.begin(), std::vector<index_t>(runs, index_t{1} << 62), out.data()),
                 onepass::invalid_argument);
}
// Keys would be overwritten by values, or values by keys, before they are read.
TEST(distributed_sort, parts_refuse_outputs_over_the_other_input_cpu) {
  std::vector<int> keys = {1, 5, 2, 6}, values = {0, 1, 2, 3}, out(4);
  const std::vector<int> old_keys = keys, old_values = values;
  int *const k = keys.data(), *const v = values.data();
  const auto policy = onepass::cpu(1);
  const auto refuses = [&](auto call) { EXPECT_THROW(call(), onepass::invalid_argument); };
  refuses([&] { od::merge_runs(policy, k, v, {2, 2}, out.data(), k); });
  refuses([&] { od::merge_runs(policy, k, v, {2, 2}, v, out.data()); });
  od::run_ranks(1, [&](od::thread_communicator& comm) {
    const auto cuts = od::splitters(comm, policy, k, k + 4);
    refuses([&] { od::partition_for(policy, k, k + 4, v, cuts, out.data(), k); });
    refuses([&] { od::partition_for(policy, k, k + 4, v, cuts, v, out.data()); });
  });
  EXPECT_EQ(keys, old_keys);
  EXPECT_EQ(values, old_values);
}

}  // namespace test
