// SPDX-License-Identifier: Apache-2.0
// Calls across ranks with GPUs where a rank fails.
#include "failure_checks_on_gpus.hpp"

namespace test {

using std::chrono::milliseconds;

ONEPASS_GPU_TEST(cuda_ranks_failure, wrong_arguments) { by_gpu_threads(wrong_arguments{}); }
ONEPASS_GPU_TEST(cuda_ranks_failure, different_calls) { by_gpu_threads(different_calls_on_gpus{}); }
ONEPASS_GPU_TEST(cuda_ranks_failure, a_rank_comes_late) {
  const a_rank_comes_late_on_gpus check{milliseconds(200), milliseconds(1000)};
  by_gpu_threads(check, within(check.deadline));
}

// A rank's own exception comes out of run_ranks, and the others do not wait for that rank.
ONEPASS_GPU_TEST(cuda_ranks_failure, of_a_function) {
  EXPECT_THROW(od::run_cuda_ranks(devices_for(3, 1),
                                  [](od::cuda_thread_communicator& comm) {
                                    const auto x = array_on(comm, std::vector<int>{1});
                                    if (comm.rank() == 2) throw refusal();
                                    od::inclusive_scan(comm, policy_on(comm, 1), x.data(), x.data() + 1, x.data());
                                  }),
               refusal);
}

ONEPASS_GPU_TEST(cuda_ranks_failure, of_arguments) {
  EXPECT_THROW(od::cuda_thread_ranks({}), onepass::invalid_argument);
  EXPECT_THROW(od::cuda_thread_ranks({0}).communicator(1), onepass::invalid_argument);
  EXPECT_THROW(od::run_cuda_ranks({1000}, [](od::cuda_thread_communicator&) {}), onepass::cuda_error);
}

// Each rank works on the first *size of its items, where the size is in device memory.
ONEPASS_GPU_TEST(cuda_ranks_policies, size_in_memory) {
  od::run_cuda_ranks(devices_for(3, 1), [](od::cuda_thread_communicator& comm) {
    const auto size = array_on(comm, std::vector<index_t>{comm.rank()});  // 0, 1 and 2 of four
    const auto policy = policy_on(comm, 1).sized_by(size.data());
    const auto x = array_on(comm, std::vector<int>{5, 6, 1000, 1000});
    const auto y = array_on(comm, 4, -1);
    od::inclusive_scan(comm, policy, x.data(), x.data() + 4, y.data());
    EXPECT_EQ(on_host(y), comm.rank() == 0   ? (std::vector<int>{-1, -1, -1, -1})
                          : comm.rank() == 1 ? (std::vector<int>{5, -1, -1, -1})
                                             : (std::vector<int>{10, 16, -1, -1}));
    EXPECT_EQ(od::copy_if(comm, policy, x.data(), x.data() + 4, y.data(), is_even{}).total, 1);
    EXPECT_EQ(od::rebalance(comm, policy, x.data(), x.data() + 4, y.data(), 1).size, 1);
    EXPECT_EQ(on_host(y)[0], comm.rank() < 2 ? 5 : 6);
  });
}

}  // namespace test
