// SPDX-License-Identifier: Apache-2.0
// Calls across ranks with GPUs where a rank fails.
#include "failure_checks_on_gpus.hpp"
#include "support/occupier.hpp"

namespace test {

using std::chrono::milliseconds;

ONEPASS_GPU_TEST(cuda_ranks_failure, wrong_arguments) { by_gpu_threads(wrong_arguments{}); }
ONEPASS_GPU_TEST(cuda_ranks_failure, different_calls) { by_gpu_threads(different_calls_on_gpus{}); }
ONEPASS_GPU_TEST(cuda_ranks_failure, captured_streams) { by_gpu_threads(captured_streams{}); }
ONEPASS_GPU_TEST(cuda_ranks_failure, a_rank_comes_late) {
  const a_rank_comes_late_on_gpus check{milliseconds(200), milliseconds(1000)};
  by_gpu_threads(check, within(check.deadline));
}

#if ONEPASS_HAS_CUDA
// All ranks have enqueued a scan, and one waits for the other on the device, whose stream is held up. Then that one
// gives up. The scan has returned on both, so it goes on to its end.
ONEPASS_GPU_TEST(cuda_ranks_failure, what_has_returned_is_completed) {
  if (device_count() < 2) GTEST_SKIP() << "one GPU";
  const time_limit limit;
  od::run_cuda_ranks({0, 1}, [](od::cuda_thread_communicator& comm) {
    const auto x = array_on(comm, std::vector<int>{1, 2});
    const auto y = array_on(comm, std::vector<int>{-1, -1});
    const auto scan = [&] { od::inclusive_scan(comm, policy_on(comm, 1), x.data(), x.data() + 2, y.data()); };
    scan();  // what the first call alone does is done
    {
      std::optional<occupier> held;
      if (comm.rank() == 1) held.emplace(rank_stream(), 1);
      scan();
      if (comm.rank() == 1) comm.fail("the disk is full");
      std::this_thread::sleep_for(milliseconds(100));
    }
    check_cuda(cudaStreamSynchronize(rank_stream()), "the scan");
    EXPECT_EQ(on_host(y), comm.rank() == 0 ? (std::vector<int>{1, 3}) : (std::vector<int>{4, 6}));
    EXPECT_THROW(scan(), onepass::distributed_error);
  });
}
// The stream of one rank is held up beyond the deadline. All ranks throw, and the devices can be used.
ONEPASS_GPU_TEST(cuda_ranks_failure, a_device_comes_late) {
  const int devices = device_count();
  const time_limit limit;
  const auto check = [](od::cuda_thread_communicator& comm) {
    const auto keys = array_on(comm, std::vector<int>{1, 1, 2});
    const auto some_keys = array_on(comm, 3, -1), sums = array_on(comm, 3, -1);
    {
      std::optional<occupier> held;
      if (comm.rank() == 1) held.emplace(rank_stream(), 1);
      EXPECT_THROW(od::reduce_by_key(comm, policy_on(comm, 1), keys.data(), keys.data() + 3, keys.data(),
                                     some_keys.data(), sums.data()),
                   onepass::distributed_error);
    }
    check_cuda(cudaStreamSynchronize(rank_stream()), "what was enqueued");
    onepass::inclusive_scan(policy_on(comm, 1), keys.data(), keys.data() + 3, sums.data());
    EXPECT_EQ(on_host(sums), (std::vector<int>{1, 2, 4}));
  };
  od::run_cuda_ranks(devices_for(3, devices), check, within(milliseconds(300)));
  od::run_cuda_ranks(devices_for(2, devices), check, within(milliseconds(300)));
}
#endif

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
  const od::cuda_thread_ranks ranks({0});
  EXPECT_EQ(ranks.device(0), 0);
  for (const int none : {-1, 1}) {
    EXPECT_THROW(ranks.communicator(none), onepass::invalid_argument);
    EXPECT_THROW(ranks.device(none), onepass::invalid_argument);
  }
  check_cuda(cudaSetDevice(0), "cudaSetDevice");
  const auto comm = ranks.communicator(0);
  EXPECT_THROW(ranks.communicator(0), onepass::invalid_argument);  // others may store into the mailbox of the first
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
