// SPDX-License-Identifier: Apache-2.0
// Scans across ranks with GPUs whose parts take the pipeline, and a last segment that is longer than the tiles that are
// looked at first.
#include "on_gpus.hpp"
#include "primitives/distributed/scan_checks.hpp"

namespace test {

// Two ranks on the first device; and a rank on each, where there are several.
template <class Check>
void by_two_gpu_threads(const Check& check) {
  const time_limit limit;
  const auto run = [&](int ranks, int devices) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks on " + std::to_string(devices) + " GPUs");
    onepass::distributed::run_cuda_ranks(
        devices_for(ranks, devices), [&](onepass::distributed::cuda_thread_communicator& comm) { check(comm); },
        within(std::chrono::seconds(20)));
  };
  run(2, 1);
  if (const int devices = device_count(); devices > 1) run(devices, devices);
}

ONEPASS_GPU_TEST(cuda_ranks_long, sums) { by_two_gpu_threads(long_scans<std::uint32_t, onepass::sum>{9000007}); }
ONEPASS_GPU_TEST(cuda_ranks_long, not_commutative) {
  by_two_gpu_threads(long_scans<triple, triangular_product>{700001});
}
ONEPASS_GPU_TEST(cuda_ranks_long, segmented_sums) {
  by_two_gpu_threads(long_segmented_scans<std::uint32_t, onepass::sum>{9000007});
}
ONEPASS_GPU_TEST(cuda_ranks_long, segmented_not_commutative) {
  by_two_gpu_threads(long_segmented_scans<triple, triangular_product>{900001});
}

}  // namespace test
