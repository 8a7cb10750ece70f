// SPDX-License-Identifier: Apache-2.0
// Compaction and rebalance across ranks with GPUs.
#include "on_gpus.hpp"
#include "primitives/distributed/compact_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_compact, copies) { by_gpu_threads(compactions{}); }
ONEPASS_GPU_TEST(cuda_ranks_compact, rebalance) { by_gpu_threads(rebalances{}); }

}  // namespace test
