// SPDX-License-Identifier: Apache-2.0
// The checks of tests/primitives/distributed over NCCL: a thread a GPU, as many as there are GPUs, and a rank alone.
// Skips itself where there is no GPU or no NCCL. Every wait has a deadline.
#include "../primitives/cuda_ranks/failure_checks_on_gpus.hpp"
#include "by_nccl.hpp"
#include "../primitives/distributed/compact_checks.hpp"
#include "../primitives/distributed/local_scan_checks.hpp"
#include "../primitives/distributed/scan_checks.hpp"
#include "../primitives/distributed/sort_checks.hpp"

namespace test {

using od::nccl_communicator;
using std::chrono::milliseconds;

ONEPASS_GPU_TEST(nccl_scan, sums) { by_nccl(inclusive_scans<std::uint32_t, onepass::sum>{}); }
ONEPASS_GPU_TEST(nccl_scan, not_commutative) { by_nccl(inclusive_scans<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(nccl_scan, initial_value) { by_nccl(scans_with_initial<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(nccl_scan, floats) { by_nccl(scans_of_floats{}); }
ONEPASS_GPU_TEST(nccl_local_scan, not_commutative) { by_nccl(local_inclusive_scans<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(nccl_local_scan, wrong_arguments) { by_nccl(local_scans_with_wrong_arguments{}); }
ONEPASS_GPU_TEST(nccl_segmented_scan, keys) { by_nccl(scans_by_key<triangular_product>{}); }
ONEPASS_GPU_TEST(nccl_compact, copies) { by_nccl(compactions{}); }
ONEPASS_GPU_TEST(nccl_compact, rebalance) { by_nccl(rebalances{}); }
ONEPASS_GPU_TEST(nccl_sort, uint32) { by_nccl(sorts<std::uint32_t>{{700}}); }
ONEPASS_GPU_TEST(nccl_sort, floats) { by_nccl(sorts_of_floats{}); }

ONEPASS_GPU_TEST(nccl_failure, wrong_arguments) { by_nccl(wrong_arguments{}); }
ONEPASS_GPU_TEST(nccl_failure, captured_streams) { by_nccl(captured_streams{}); }
ONEPASS_GPU_TEST(nccl_failure, different_calls) { by_nccl(different_calls_on_gpus{}); }
ONEPASS_GPU_TEST(nccl_failure, a_rank_comes_late) {
  const a_rank_comes_late_on_gpus check{milliseconds(8000), milliseconds(18000), false};  // NCCL takes seconds to begin
  by_nccl(check, check.deadline);
}

// A communicator that the program has made is borrowed.
ONEPASS_GPU_TEST(nccl_communicator, borrowed) {
  if (const std::string missing = missing_nccl(); !missing.empty()) GTEST_SKIP() << missing;
  const auto& nccl = onepass::detail::nccl_library::get("test");
  onepass::detail::nccl_id_bytes id;
  ASSERT_EQ(nccl.get_unique_id(&id), nccl.success);
  ncclComm* comm = nullptr;
  onepass::detail::nccl_config config;
  config.blocking = 1;
  ASSERT_EQ(nccl.init_rank(&comm, 1, id, 0, &config), nccl.success);
  for (int i = 0; i < 2; ++i) {
    nccl_communicator own(comm);
    EXPECT_EQ(own.size(), 1);
    inclusive_scans<std::uint32_t, onepass::sum>{}(own);
  }
  EXPECT_EQ(nccl.destroy(comm), nccl.success);
}

ONEPASS_GPU_TEST(nccl_communicator, arguments) {
  if (const std::string missing = missing_nccl(); !missing.empty()) GTEST_SKIP() << missing;
  EXPECT_THROW(nccl_communicator(nullptr), onepass::invalid_argument);
  EXPECT_THROW(nccl_communicator(od::make_nccl_id(), 0, 0), onepass::invalid_argument);
  EXPECT_THROW(nccl_communicator(od::make_nccl_id(), 2, 2), onepass::invalid_argument);
}

// A rank that never makes its end of a communicator.
ONEPASS_GPU_TEST(nccl_communicator, a_rank_never_comes) {
  if (const std::string missing = missing_nccl(); !missing.empty()) GTEST_SKIP() << missing;
  const auto started = std::chrono::steady_clock::now();
  EXPECT_THROW(nccl_communicator(od::make_nccl_id(), 2, 0, within(milliseconds(500))), onepass::distributed_error);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10));
}

}  // namespace test
