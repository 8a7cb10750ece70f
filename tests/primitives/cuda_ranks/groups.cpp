// SPDX-License-Identifier: Apache-2.0
// Groups of ranks with GPUs.
#include "on_gpus.hpp"
#include "primitives/distributed/group_checks.hpp"

namespace test {

// Calls check(make) for ranks that share a GPU; and for ranks with one each, where there are several.
template <class Check>
void by_gpu_groups(const Check& check) {
  const time_limit limit;
  const auto on = [&](int devices) {
    check([=](int ranks) {
      return std::make_unique<od::cuda_rank_group>(devices_for(ranks, devices), within(std::chrono::seconds(20)));
    });
  };
  on(1);
  if (const int devices = device_count(); devices > 1) on(devices);
}

ONEPASS_GPU_TEST(cuda_ranks_group, runs) { by_gpu_groups(a_group_runs_often{50}); }
ONEPASS_GPU_TEST(cuda_ranks_group, exceptions) { by_gpu_groups(a_group_outlives_exceptions{}); }
ONEPASS_GPU_TEST(cuda_ranks_group, failures) { by_gpu_groups(a_group_fails{}); }

// Each run begins on the rank's device, whatever the last one did. What is allocated in one run is used in the next.
ONEPASS_GPU_TEST(cuda_ranks_group, devices) {
  const time_limit limit;
  const int devices = device_count();
  const std::vector<int> of = devices_for(devices + 1, devices);
  od::cuda_rank_group group(of, within(std::chrono::seconds(20)));
  std::vector<std::optional<device_array<int>>> parts(of.size());
  group.run([&](od::cuda_thread_communicator& comm) {
    parts[static_cast<std::size_t>(comm.rank())].emplace(std::vector<int>{1, 1});
    check_cuda(cudaSetDevice((comm.device() + 1) % devices), "cudaSetDevice");
  });
  group.run([&](od::cuda_thread_communicator& comm) {
    int current = -1;
    check_cuda(cudaGetDevice(&current), "cudaGetDevice");
    EXPECT_EQ(current, of[static_cast<std::size_t>(comm.rank())]);
    EXPECT_EQ(group.device(comm.rank()), current);
    const device_array<int>& x = *parts[static_cast<std::size_t>(comm.rank())];
    od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), x.begin());
    EXPECT_EQ(on_host(x), (std::vector<int>{2 * comm.rank() + 1, 2 * comm.rank() + 2}));
  });
}

ONEPASS_GPU_TEST(cuda_ranks_group, arguments) {
  EXPECT_THROW(od::cuda_rank_group({}), onepass::invalid_argument);
  EXPECT_THROW(od::cuda_rank_group({1000}), onepass::cuda_error);
  EXPECT_THROW(od::cuda_rank_group({0, 1000, 0}), onepass::cuda_error);
}

}  // namespace test
